"""`{"success": true, "data": …}`, or `{"success": false, "error": {"code", "message", "details", …}}`."""

from __future__ import annotations

from typing import Any

from mcp_core import Answer, InvalidArguments, Result, ToolSpec
from mcp_core.envelope import invalid_arguments_result, one_of, plain_value, split_definitions

__all__ = ["CODES", "TransformEnvelope", "code_of"]

CODES = (
    "DAEMON_CONNECTION_ERROR", "INVALID_INPUT", "TIMEOUT", "PARSE_ERROR", "VALIDATION_ERROR", "EXECUTION_ERROR",
    "INTERNAL_ERROR",
)  # fmt: skip
_KNOWN = dict.fromkeys(
    (
        "validation_error", "invalid_arguments", "not_found", "document_not_found", "permission_denied", "conflict",
        "consent_required",
    ),
    "INVALID_INPUT",
) | {
    "timeout": "TIMEOUT",
    "cancelled": "TIMEOUT",
    "unreadable_input": "PARSE_ERROR",
    "invalid_data": "PARSE_ERROR",
    "invalid_program": "VALIDATION_ERROR",
    "memory_limit": "EXECUTION_ERROR",
    "size_limit": "EXECUTION_ERROR",
    "limit_exceeded": "EXECUTION_ERROR",
}  # fmt: skip


_SHOWN = ("line", "column", "stackTrace", "executionTime")


def code_of(error_type: str | None) -> str:
    """The requirement's code for a kind of error."""
    if error_type in CODES:
        return str(error_type)
    return _KNOWN.get(error_type or "", "INTERNAL_ERROR")


class TransformEnvelope:
    """Hints are among the details: `details.hint` says what to do next."""

    def success(self, result: Result[Any], spec: ToolSpec) -> Answer:
        return Answer.of({"success": True, "data": plain_value(result)}, content=result.content)

    def failure(self, result: Result[Any], spec: ToolSpec) -> Answer:
        details = dict(result.details or {})
        if result.instruction:
            details["hint"] = result.instruction
        error: dict[str, Any] = {"code": code_of(result.error_type), "message": result.error}
        # Where the requirement shows them, and among the details, where its envelope has them.
        error.update({key: details[key] for key in _SHOWN if key in details})
        if details:
            error["details"] = details
        return Answer.of({"success": False, "error": error}, is_error=True)

    def invalid_arguments(self, error: InvalidArguments, spec: ToolSpec) -> Answer:
        return self.failure(invalid_arguments_result(error), spec)

    def output_schema(self, spec: ToolSpec) -> dict[str, Any]:
        value, definitions = split_definitions(spec.value_schema)
        error = {
            "type": "object",
            "properties": {
                "code": {"type": "string", "enum": list(CODES)},
                "message": {"type": "string"},
                "line": {"type": "integer"},
                "column": {"type": "integer"},
                "stackTrace": {"type": "string"},
                "executionTime": {"type": "number"},
                "details": {"type": "object"},
            },
            "required": ["code", "message"],
        }
        properties = {"success": {"type": "boolean"}, "data": value, "error": error}
        schema = one_of(properties, ["success", "data"], ["success", "error"])
        return {**schema, "$defs": definitions} if definitions else schema
