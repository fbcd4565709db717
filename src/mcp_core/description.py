"""The description of a tool: four labelled sections, or a shorter form that costs fewer tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mcp_core.result import Result
from mcp_core.schema import listed_schema, schema_markdown
from mcp_core.spec import Example, ToolSpec

__all__ = ["SECTIONS", "describe", "expand_names", "expand_result", "expand_schema"]

SECTIONS = ("Description", "JSON Schema", "Usage Instructions", "Concrete Examples")
"""The headings of the full form, in order."""

_REFERENCE = re.compile(r"\{tool:([A-Za-z0-9_.-]+)\}")

NameOf = Callable[[str], str]


def expand_names(text: str, name_of: NameOf | None = None) -> str:
    """Replace `{tool:get_content}` by the registered name, or by the plain one in documentation."""
    return _REFERENCE.sub(lambda match: name_of(match[1]) if name_of else match[1], text)


def expand_result(result: Result[Any], name_of: NameOf | None = None) -> Result[Any]:
    """Resolve tool names in a result's error, message and instruction, which never hold document text."""
    told = [None if text is None else expand_names(text, name_of) for text in (result.message, result.instruction)]
    if told == [result.message, result.instruction]:
        return result
    return replace(result, message=told[0], instruction=told[1])


def expand_schema(schema: Any, name_of: NameOf) -> Any:
    """Resolve tool names in the descriptions of a JSON Schema."""
    if isinstance(schema, list):
        return [expand_schema(part, name_of) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: expand_names(part, name_of)
        if key == "description" and isinstance(part, str)
        else expand_schema(part, name_of)
        for key, part in schema.items()
    }


def describe(spec: ToolSpec, profile: str, name_of: NameOf | None = None) -> str:
    """The description in a profile.

    `full`: four sections; `auto`: four sections with a short schema for tools that declare `sections_in_list`, compact
    for the others; `compact`: the purpose and when to use the tool; `none`: nothing.
    """
    match profile:
        case "full":
            text = _full(spec, name_of)
        case "auto" if spec.sections_in_list:
            text = _short_sections(spec)
        case "auto" | "compact":
            text = _compact(spec)
        case "none":
            text = ""
        case _:
            raise ValueError(f"unknown description profile {profile!r}")
    return expand_names(text, name_of)


def _full(spec: ToolSpec, name_of: NameOf | None) -> str:
    bodies = (_purpose(spec), _schema(spec), _usage(spec, name_of), _examples(spec, name_of))
    return "\n\n".join(f"## {heading}\n\n{body}" for heading, body in zip(SECTIONS, bodies, strict=True))


def _short_sections(spec: ToolSpec) -> str:
    """The four sections as a list carries them: a schema of names and types, one example, no blank lines.

    The input schema beside the description says what each argument means.
    """
    plain = _without_descriptions(listed_schema(spec.input_schema))
    schema = json.dumps(plain, separators=(",", ":"), ensure_ascii=False)
    examples = "\n".join(
        f"{json.dumps(each.arguments, separators=(',', ':'), ensure_ascii=False)}\n# {each.why} {each.expect}"
        for each in spec.examples[:1]
    )
    bodies = (
        " ".join(_purpose(spec).split()),
        f"```json\n{schema}\n```",
        f"```text\n{spec.usage.strip() or spec.summary}\n```",
        f"```text\n{examples or 'None.'}\n```",
    )
    return "\n".join(f"## {heading}\n{body}" for heading, body in zip(SECTIONS, bodies, strict=True))


def _without_descriptions(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_descriptions(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_descriptions(part)
        for key, part in schema.items()
        if not (key == "description" and isinstance(part, str))
    }


def _purpose(spec: ToolSpec) -> str:
    parts = [spec.summary, spec.body]
    if spec.consent is not None:
        parts.append(spec.consent.warning)
    return "\n\n".join(part for part in parts if part)


def _schema(spec: ToolSpec) -> str:
    schema = json.dumps(spec.input_schema, indent=2, ensure_ascii=False)
    return f"#{schema_markdown(spec.input_schema)}\n\n```json\n{schema}\n```"


def _usage(spec: ToolSpec, name_of: NameOf | None) -> str:
    name = name_of(spec.name) if name_of else spec.name
    required = spec.input_schema.get("required", [])
    call = f"{name}({', '.join(f'{argument}=…' for argument in required)})"
    return f"```text\n{call}\n\n{spec.usage.strip() or spec.summary}\n```"


def _examples(spec: ToolSpec, name_of: NameOf | None) -> str:
    if not spec.examples:
        return "```text\nNone.\n```"
    return "\n\n".join(_example(spec, example, name_of) for example in spec.examples)


def _example(spec: ToolSpec, example: Example, name_of: NameOf | None) -> str:
    name = name_of(spec.name) if name_of else spec.name
    arguments = json.dumps(example.arguments, ensure_ascii=False)
    return f"{example.why}\n\n```json\n{name} {arguments}\n```\n\n{example.expect}"


def _compact(spec: ToolSpec) -> str:
    lines = [spec.brief] if spec.brief is not None else [spec.summary]
    if spec.brief is None and (first := spec.body.partition("\n\n")[0]):
        lines.append(" ".join(first.split()))
    if spec.consent is not None:
        lines.append(spec.consent.headline)
    return "\n".join(lines)
