"""A page about the tools of a package, for people: markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from rolltop.catalog.definition import Definition
from rolltop.catalog.paragraphs import fenced

__all__ = ["reference_page"]


def reference_page(definitions: Iterable[Definition]) -> str:
    """Every tool with its parameters, result and example; tools of one category stand together."""
    tools = sorted(definitions, key=lambda tool: (tool.category or "", tool.name))
    packages = ", ".join(dict.fromkeys(tool.package for tool in tools))
    parts = [f"# Tools of {packages}" if packages else "# Tools", "" if tools else "There are none."]
    for category, members in groupby(tools, lambda tool: tool.category):
        if category:
            parts.append(f"## {category}")
        parts += [part for tool in members for part in _tool(tool)]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _tool(tool: Definition) -> Iterator[str]:
    yield f"### `{tool.name}`"
    marks = {"Dangerous": tool.dangerous, "Needs approval": tool.requires_approval}
    yield "".join(f"**{mark}.** " for mark, is_set in marks.items() if is_set).strip()
    yield tool.description
    if properties := tool.parameters["properties"]:
        rows = [_row(name, schema, name in tool.parameters["required"]) for name, schema in properties.items()]
        yield "\n".join(["| parameter | type | default | meaning |", "|---|---|---|---|", *rows])
    if tool.returns:
        yield f"Returns {_type(tool.returns)}: {tool.returns.get('description') or ''}".rstrip(": ")
        fields = tool.returns.get("properties") or (tool.returns.get("items") or {}).get("properties") or {}
        yield "\n".join(f"- `{name}` ({_type(each)}): {_line(each)}" for name, each in fields.items())
    if tool.implementation_example.strip():
        yield fenced(tool.implementation_example, tool.language)


def _row(name: str, schema: Mapping[str, Any], is_required: bool) -> str:
    default = "required" if is_required else f"`{schema['default']!r}`" if "default" in schema else ""
    return f"| `{name}` | {_type(schema)} | {default} | {_line(schema)} |"


def _line(schema: Mapping[str, Any]) -> str:
    return " ".join(str(schema.get("description") or "").split()).replace("|", "\\|")


def _type(schema: Mapping[str, Any]) -> str:
    kinds = schema.get("type") or "any"
    text = kinds if isinstance(kinds, str) else " or ".join(kinds)
    if text == "array" and isinstance(schema.get("items"), Mapping):
        text = f"array of {_type(schema['items'])}"
    choices = schema.get("enum") or ()
    return f"{text}: {', '.join(f'`{choice}`' for choice in choices)}" if choices else text
