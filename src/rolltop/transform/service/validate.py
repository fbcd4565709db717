"""Everything that can be said about a program without running it, as the tools tell it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform.check.checker import check_parsed
from rolltop.transform.check.schema_types import type_of_schema
from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.service.schemas_given import plain_schema
from rolltop.transform.syntax.parser import Parsed, parse
from rolltop.transform.types import Type

__all__ = ["input_types", "validate"]

_TYPES, _STYLE = "E5", "W6"


def validate(transformation: str, input_schema: Any = None, strict: bool = True) -> dict[str, Any]:
    """`errors` with their severities (style is `info`), and `warnings`; valid without an error."""
    parsed = parse(transformation)
    checked = check_parsed(parsed, inputs=input_types(parsed, input_schema), lint=True)
    errors: list[dict[str, Any]] = []
    warnings: list[dict[str, Any]] = []
    for found in checked.findings:
        severity = _severity(found, strict=strict)
        if severity == "warning":
            warnings.append(_shown(found))
        else:
            errors.append({**_shown(found), "severity": severity})
    return {"valid": all(each["severity"] != "error" for each in errors), "errors": errors, "warnings": warnings}


def _severity(found: Diagnostic, *, strict: bool) -> str:
    if found.code.startswith(_STYLE):
        return "info"
    if found.severity == "error" and found.code.startswith(_TYPES) and not strict:
        return "warning"
    return found.severity


def _shown(found: Diagnostic) -> dict[str, Any]:
    shown = {"line": found.line, "column": found.column, "message": found.message, "code": found.code}
    return {**shown, "suggestion": found.hint} if found.hint else shown


def input_types(parsed: Parsed, schema: Any) -> Mapping[str, Type]:
    """The type of each input; a program with several takes them from the properties of one object schema."""
    if schema is None:
        return {}
    plain = plain_schema(schema)
    ports = parsed.program.header.inputs
    if len(ports) == 1:
        return {ports[0].name: type_of_schema(plain)}
    parts = plain.get("properties") if isinstance(plain, dict) else None
    named = parts if isinstance(parts, dict) else {}
    return {port.name: type_of_schema(named[port.name]) for port in ports if port.name in named}
