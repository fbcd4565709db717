"""How the reports set answers: the documented sentence as text, the facts beside it, failures with diagnostics."""

from __future__ import annotations

from typing import Any

from mcp_core import Answer, InvalidArguments, ProtocolFault, Result, ToolSpec
from mcp_core.envelope import one_of, plain_value, split_definitions

__all__ = ["ReportsEnvelope"]

INVALID_PARAMS = -32602
NOT_FOUND = -32002
INTERNAL_ERROR = -32603

_NAMES = {
    "invalid_arguments": ("InvalidParams", INVALID_PARAMS),
    "invalid_request": ("InvalidRequest", -32600),
    "document_not_found": ("NotFound", NOT_FOUND),
    "not_found": ("NotFound", NOT_FOUND),
}


class ReportsEnvelope:
    """Success: the value, and its sentence. Failure: `error` with code, name, message, hint and details."""

    def success(self, result: Result[Any], spec: ToolSpec) -> Answer:
        value = plain_value(result)
        if result.message is None:
            return Answer.of(value, content=result.content)
        return Answer.of({"message": result.message, **value}, text=result.message, content=result.content)

    def failure(self, result: Result[Any], spec: ToolSpec) -> Answer:
        name, code = _NAMES.get(result.error_type or "", ("InternalError", INTERNAL_ERROR))
        error: dict[str, Any] = {"code": code, "name": name, "type": result.error_type, "message": result.error}
        if result.instruction:
            error["hint"] = result.instruction
        if result.details:
            error["details"] = result.details
        return Answer.of({"error": error}, text=_as_text(result), is_error=True)

    def invalid_arguments(self, error: InvalidArguments, spec: ToolSpec) -> Answer:
        """The requirement answers these with a JSON-RPC error: `Invalid params: filename is required`."""
        said = "; ".join(f"{each.path} {each.message}" for each in error.problems)
        raise ProtocolFault(INVALID_PARAMS, f"Invalid params: {said}", error.details)

    def output_schema(self, spec: ToolSpec) -> dict[str, Any]:
        value, definitions = split_definitions(spec.value_schema)
        properties = {"message": {"type": "string"}, **value.get("properties", {}), "error": {"type": "object"}}
        schema = one_of(properties, list(value.get("required", [])), ["error"])
        return {**schema, "$defs": definitions} if definitions else schema


def _as_text(result: Result[Any]) -> str:
    """Everything that helps, for clients that show the model only text."""
    lines = [result.error or "the tool failed"]
    if result.instruction:
        lines.append(result.instruction)
    details = result.details or {}
    shown = [(key, details[key]) for key in ("call", "traceback", "log") if details.get(key)]
    lines += [f"{key}: {value if isinstance(value, str) else ' > '.join(map(str, value))}" for key, value in shown]
    return "\n".join(lines)
