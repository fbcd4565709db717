"""Docstrings in Google, NumPy and Sphinx style: text, parameters, result, example, keywords."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rolltop.catalog.found import ExampleCode
from rolltop.catalog.pylang.docstring_sections import split_free_text
from rolltop.catalog.pylang.sphinx import without_sphinx

__all__ = ["Docstring", "DocumentedValue", "read_docstring"]

_KEYWORDS = re.compile(
    r"^[ \t]*(?:[:@.]{0,3}[ \t]*keywords?:*[ \t]*)?(mcp-[\w.-]+(?:[, \t]+mcp-[\w.-]+)*)[, \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
# A doctest runs until the next blank line; left in place it would count as description.
_DOCTEST = re.compile(r"^[ \t]*>>> .*(?:\n(?![ \t]*$).*)*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DocumentedValue:
    """A parameter or result as documented; `kind` is the type as written there.

    `is_yielded` says that a generator gives any number of them.
    """

    text: str = ""
    kind: str = ""
    name: str = ""
    is_yielded: bool = False


@dataclass(frozen=True, slots=True)
class Docstring:
    description: str = ""
    keywords: tuple[str, ...] = ()
    parameters: dict[str, DocumentedValue] = field(default_factory=dict)
    results: tuple[DocumentedValue, ...] = ()
    example: ExampleCode = field(default_factory=ExampleCode)


def read_docstring(raw: str | None) -> Docstring:
    """What a docstring says. A docstring that follows no style is all description."""
    if not raw:
        return Docstring()
    # Imported here: it takes longer to load than to read a package that has no Python in it.
    from docstring_parser import ParseError, parse  # noqa: PLC0415

    text = inspect.cleandoc(raw)
    keywords = tuple(word for found in _KEYWORDS.finditer(text) for word in re.split(r"[,\s]+", found[1]) if word)
    text = without_sphinx(_KEYWORDS.sub("", text).strip())
    structured, free = split_free_text(_DOCTEST.sub("", text))
    try:
        parsed = parse(structured)
    except ParseError:
        return Docstring(text, keywords, example=_example(text, ""))
    parameters = {
        name.strip().lstrip("*"): DocumentedValue(item.description or "", item.type_name or "")
        for item in parsed.params
        for name in item.arg_name.split(",")
    }
    results = tuple(
        DocumentedValue(item.description or "", item.type_name or "", item.return_name or "", item.is_generator)
        for item in parsed.many_returns
    )
    written = "\n".join(item.description or "" for item in parsed.examples)
    description = "\n\n".join(part for part in (parsed.description, *_notes(parsed), free) if part)
    return Docstring(description, keywords, parameters, results, _example(text, written))


def _notes(parsed: Any) -> Iterator[str]:
    """What NumPy's sections for it say beside the description: warnings and notes, not references."""
    for item in parsed.meta:
        if item.args[0] in ("warnings", "warning", "notes", "note") and (item.description or "").strip():
            yield f"## {item.args[0].capitalize()}\n\n{item.description}"


def _example(text: str, section: str) -> ExampleCode:
    """The doctest lines without their prompts; without doctests the example section as it is."""
    try:
        steps = doctest.DocTestParser().get_examples(text)
    except ValueError:
        steps = []
    code = "".join(step.source for step in steps).rstrip() or _code_only(section)
    return ExampleCode(code, code)


def _code_only(section: str) -> str:
    lines = [line for line in section.splitlines() if not re.match(r"\s*(?:```|\.\. code)", line)]
    code = inspect.cleandoc("\n".join(lines))
    try:
        compile(code, "<example>", "exec", dont_inherit=True, flags=0x400)  # only parsed: PyCF_ONLY_AST
    except (SyntaxError, ValueError):
        return ""
    return code
