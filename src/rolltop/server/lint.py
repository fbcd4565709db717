"""The documentation rules, enforced: what requirement 002 asks of every tool and prompt."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mcp_core import InvalidArguments, Prompt, ToolSpec
from mcp_core.description import SECTIONS, describe
from mcp_core.prompts import SECTIONS as PROMPT_SECTIONS
from mcp_core.prompts import declared_prompts
from mcp_core.toolset import resolve
from mcp_core.validation import check_arguments
from rolltop.server.toolsets import Loaded, discover, load_set
from rolltop.settings import Settings

__all__ = ["Problem", "lint_all", "lint_prompt", "lint_spec"]

FIRST_LINE = 50
TOOL_TEMPLATE = "src/rolltop/tools/README.md"
PROMPT_TEMPLATE = "src/rolltop/prompts/README.md"
_PLACEHOLDER = re.compile(
    r"(?i)\b(foo|bar|baz|xxx|lorem ipsum|your[_ -]\w+|tbd)\b|<(your|name|path|value|text|id)[a-z _-]*>"
)


@dataclass(frozen=True, slots=True)
class Problem:
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.message}"


def lint_all(settings: Settings) -> list[Problem]:
    """Every installed set, served or not."""
    available, broken = discover()
    loaded = [load_set(toolset, settings) for toolset in available]
    broken = [*broken, *(each for each in loaded if each.error and not _lacks_a_part(each))]
    problems = [Problem(each.toolset.name, f"cannot be loaded: {each.error}") for each in broken]
    for toolset in available:
        if toolset in [each.toolset for each in broken]:
            continue
        for spec in toolset.load():
            problems.extend(Problem(spec.name, message) for message in lint_spec(spec))
        for module in toolset.prompts:
            resolve(f"{module}:__name__")
        for prompt in declared_prompts(toolset.prompts):
            problems.extend(Problem(f"prompt {prompt.name}", message) for message in lint_prompt(prompt))
    return problems


def _lacks_a_part(loaded: Loaded) -> bool:
    """Whether a set is not served for want of something on this machine, which says nothing about its tools."""
    return any(need.vital and not need.present for need in loaded.needs)


def lint_spec(spec: ToolSpec) -> Iterator[str]:
    """What is wrong with a tool's documentation."""
    if not spec.summary:
        yield "has no docstring"
    elif len(spec.summary) > FIRST_LINE:
        yield f"the first line has {len(spec.summary)} characters, at most {FIRST_LINE} are allowed"
    if not spec.body:
        yield "the docstring says nothing beyond its first line"
    if not spec.usage:
        yield "has no usage instructions"
    yield from _lint_fields(spec.input_schema)
    yield from _lint_examples(spec)
    yield from _lint_sections(describe(spec, "full"), SECTIONS)
    if TOOL_TEMPLATE not in _source(spec.func):
        yield f"its module has no comment that refers to {TOOL_TEMPLATE}"
    if spec.annotations.destructive and spec.consent is None and "consent-exempt" not in spec.tags:
        yield "is destructive but asks for no consent"


def _lint_fields(schema: dict[str, Any], where: str = "") -> Iterator[str]:
    for name, each in schema.get("properties", {}).items():
        path = f"{where}.{name}" if where else name
        if not each.get("description"):
            yield f"the argument {path} has no description"
        yield from _lint_fields(each, path)
    for definition, each in schema.get("$defs", {}).items():
        yield from _lint_fields(each, definition)


def _lint_examples(spec: ToolSpec) -> Iterator[str]:
    if not spec.examples:
        yield "has no examples"
    for number, example in enumerate(spec.examples, 1):
        if not example.why or not example.expect:
            yield f"example {number} does not say why or what to expect"
        if _PLACEHOLDER.search(str(dict(example.arguments))):
            yield f"example {number} holds a placeholder instead of a real value"
        if spec.model is not None and example.fails is None:
            try:
                check_arguments(spec.model, example.arguments)
            except InvalidArguments as error:
                yield f"example {number} is not valid: {error}"


def _lint_sections(text: str, sections: tuple[str, ...]) -> Iterator[str]:
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    if tuple(headings) != sections:
        yield f"the sections are {headings}, expected {list(sections)}"


def lint_prompt(prompt: Prompt) -> Iterator[str]:
    """What is wrong with a prompt's documentation."""
    if len(prompt.summary) > FIRST_LINE:
        yield f"the first line has {len(prompt.summary)} characters, at most {FIRST_LINE} are allowed"
    yield from _lint_sections(prompt.text, PROMPT_SECTIONS)
    if "*args" in prompt.text and f"@{prompt.name}" not in prompt.text:
        yield f"the usage does not show @{prompt.name}"
    if re.search(r"\barg[0-9A-F]\b", prompt.text):
        yield "shows its internal argument names"
    if PROMPT_TEMPLATE not in _source(prompt.render):
        yield f"its module has no comment that refers to {PROMPT_TEMPLATE}"


def _source(func: Any) -> str:
    module = sys.modules.get(func.__module__)
    return inspect.getsource(module) if module is not None else ""
