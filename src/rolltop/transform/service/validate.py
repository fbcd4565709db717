"""Everything that can be said about a program without running it, as the tools tell it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform.check.checker import check_parsed
from rolltop.transform.check.schema_types import type_of_schema
from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.repair import find_repair, suspicions
from rolltop.transform.service.failures import told
from rolltop.transform.service.schemas_given import plain_schema, read_from_xml
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
    answer = {"valid": valid, "errors": errors, "warnings": warnings}
    if valid and not doubts and not any(_is_doubt(found) for found in checked.findings):
        return answer
    return {**answer, **repaired(transformation, input_schema, strict=strict)}


def repaired(transformation: str, input_schema: Any = None, *, strict: bool = False) -> dict[str, Any]:
    """`repair`: a program without errors that was probably meant, with the places that differ and why; or nothing."""
    repair = find_repair(transformation, lambda text: _is_valid(text, input_schema, strict=strict))
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
    return {"repair": {"transformation": repair.text, "edits": edits, "reasons": repair.reasons}}


def _is_valid(text: str, input_schema: Any, *, strict: bool) -> bool:
    """Whether there is nothing to say against a program."""
    parsed = parse(text)
    found = check_parsed(parsed, inputs=input_types(parsed, input_schema)).findings
    unwanted = any(_severity(each, strict=strict) == "error" or _is_doubt(each) for each in found)
    return not unwanted and not suspicions(parsed)


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
    plain, ports = plain_schema(schema), parsed.program.header.inputs
    if all(port.format == "xml" for port in ports):
        plain = read_from_xml(plain)
    type_ = type_of_schema(plain, unfollowed=unfollowed)
    if len(ports) == 1:
        return {ports[0].name: type_}
    fields = type_.index if isinstance(type_, ObjectType) else {}
    return {port.name: fields[port.name] for port in ports if port.name in fields}
