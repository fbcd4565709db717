"""Everything that can be said about a program without running it, as the tools tell it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform.check.checker import check_parsed
from rolltop.transform.check.schema_types import type_of_schema
from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.repair import find_repair, suspicions
from rolltop.transform.service.failures import told
from rolltop.transform.service.input_schema import (
    declares_types,
    describes_xml,
    plain_schema,
    read_as_texts,
    read_from_xml,
)
from rolltop.transform.syntax.parser import Parsed, parse
from rolltop.transform.types import ObjectType, Type

__all__ = ["input_types", "repaired", "validate"]

_TYPES, _STYLE = "E5", "W6"


def validate(transformation: str, input_schema: Any = None, strict: bool = True) -> dict[str, Any]:
    """`errors` with their severities (style is `info`), and `warnings`; valid without an error.

    `repair` is there when a small change, known from other languages, makes the program valid.
    """
    parsed = parse(transformation)
    unfollowed: list[str] = []
    types = input_types(parsed, input_schema, unfollowed)
    checked = check_parsed(parsed, inputs=types, lint=True)
    doubts = suspicions(parsed)
    errors: list[dict[str, Any]] = []
    warnings = [_not_followed(reference) for reference in unfollowed]
    for found in [*checked.findings, *doubts]:
        severity = _severity(found, strict=strict)
        if severity == "warning":
            warnings.append(_shown(found))
        else:
            errors.append({**_shown(found), "severity": severity})
    valid = all(each["severity"] != "error" for each in errors)
    errors, warnings = _cut(errors), _cut(warnings)
    answer = {"valid": valid, "errors": errors, "warnings": warnings}
    if valid and not doubts and not any(_is_doubt(found) for found in checked.findings):
        return answer
    return {**answer, **repaired(transformation, input_schema, strict=strict)}


_MOST = 100
"""Findings of a kind that are told."""


def _cut(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(findings) <= _MOST:
        return findings
    more = f"{len(findings) - _MOST} further findings are not shown"
    return [*findings[:_MOST], {**findings[_MOST], "message": more, "code": "E499"}]


def repaired(transformation: str, input_schema: Any = None, *, strict: bool = False) -> dict[str, Any]:
    """`repair`: what was probably meant, with the places that differ and why; `complete` is false when mistakes are
    left that no rule explains. Nothing when no rule explains any."""
    repair = find_repair(transformation, lambda text: _mistakes(text, input_schema, strict=strict))
    if repair is None:
        return {}
    edits = [
        {
            "line": edit.line,
            "column": edit.column,
            "endLine": edit.end_line,
            "endColumn": edit.end_column,
            "old": edit.old,
            "new": edit.new,
        }
        for edit in repair.edits
    ]
    shown = {"transformation": repair.text, "edits": edits, "reasons": repair.reasons}
    return {"repair": shown if repair.complete else {**shown, "complete": False}}


def _mistakes(text: str, input_schema: Any, *, strict: bool) -> tuple[int, int]:
    """How many syntax errors a program has, and how much else there is to say against it."""
    parsed = parse(text)
    if parsed.problems:
        return len(parsed.problems), 0
    found = check_parsed(parsed, inputs=input_types(parsed, input_schema)).findings
    unwanted = [each for each in found if _severity(each, strict=strict) == "error" or _is_doubt(each)]
    return 0, len(unwanted) + len(suspicions(parsed))


def _is_doubt(found: Diagnostic) -> bool:
    """Whether it is valid, but nobody means it."""
    return found.code.startswith("W7")


def _severity(found: Diagnostic, *, strict: bool) -> str:
    if found.code.startswith(_STYLE):
        return "info"
    if found.severity == "error" and found.code.startswith(_TYPES) and not strict:
        return "warning"
    return found.severity


def _shown(found: Diagnostic) -> dict[str, Any]:
    shown = {"line": found.line, "column": found.column, "message": found.message, "code": found.code}
    return {**shown, "suggestion": told(found.hint)} if found.hint else shown


def _not_followed(reference: str) -> dict[str, Any]:
    shown = {"line": 1, "column": 1, "code": "W503"}
    message = f"The input's schema refers to {reference[:80]}, which is not followed: nothing is checked there"
    return {**shown, "message": message, "suggestion": "Put what it refers to into $defs of the schema."}


def input_types(parsed: Parsed, schema: Any, unfollowed: list[str] | None = None) -> Mapping[str, Type]:
    """The type of each input; a program with several takes them from the properties of one object schema.

    `unfollowed` gets the references to other documents, of which nothing is known.
    """
    if schema is None:
        return {}
    plain, header = plain_schema(schema), parsed.program.header
    ports = header.inputs
    # A program without a header does not say what it reads: then the structure does.
    xml = all(port.format == "xml" for port in ports) if header.written else describes_xml(schema)
    texts = all(port.options.get("inferTypes") is False for port in ports)
    if texts:
        plain = read_as_texts(plain)
    if xml:
        plain = read_from_xml(plain, declared=not texts and declares_types(schema) and declares_types(plain))
    type_ = type_of_schema(plain, xml=xml, unfollowed=unfollowed)
    if len(ports) == 1:
        return {ports[0].name: type_}
    fields = type_.index if isinstance(type_, ObjectType) else {}
    return {port.name: fields[port.name] for port in ports if port.name in fields}
