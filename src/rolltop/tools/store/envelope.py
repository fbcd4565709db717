"""The store's shape on the wire: the documented object, or `{"error": …, "code": …, "hint": …}`."""

from __future__ import annotations

from typing import Any

from mcp_core import Answer, InvalidArguments, Result, ToolSpec
from mcp_core.envelope import invalid_arguments_result, one_of, plain_value, split_definitions

__all__ = ["StoreEnvelope", "code_of"]

_CODES = {
    "not_found": "document_not_found",
    "validation_error": "invalid_arguments",
    "unexpected_error": "internal_server_error",
    "failure": "internal_server_error",
}


def code_of(error_type: str | None) -> str:
    """The code that the requirement's conditions have; others keep their name."""
    return _CODES.get(error_type or "", error_type or "internal_server_error")


class StoreEnvelope:
    """Fields that are not there are left out rather than null. A message is the text twin of the structure."""

    def success(self, result: Result[Any], spec: ToolSpec) -> Answer:
        return Answer.of(_without_nulls(plain_value(result)), text=result.message, content=result.content)

    def failure(self, result: Result[Any], spec: ToolSpec) -> Answer:
        body: dict[str, Any] = {"error": result.error, "code": code_of(result.error_type)}
        if result.instruction:
            body["hint"] = result.instruction
        if result.details:
            body["details"] = dict(result.details)
        return Answer.of(body, is_error=True)

    def invalid_arguments(self, error: InvalidArguments, spec: ToolSpec) -> Answer:
        return self.failure(invalid_arguments_result(error), spec)

    def output_schema(self, spec: ToolSpec) -> dict[str, Any]:
        value, definitions = split_definitions(spec.value_schema)
        text = {"type": "string"}
        properties = {**value.get("properties", {}), "error": text, "code": text, "hint": text}
        schema = one_of(properties, list(value.get("required", [])), ["error", "code"])
        return {**schema, "$defs": definitions} if definitions else schema


def _without_nulls(value: Any) -> Any:
    """Leave out the answer's own empty fields, down to lists of entries; not the nulls of stored metadata."""
    if not isinstance(value, dict):
        return value
    return {key: _entries(key, item) for key, item in value.items() if item is not None}


def _entries(key: str, item: Any) -> Any:
    if isinstance(item, list) and key != "metadata":
        return [_without_nulls(each) for each in item]
    return item
