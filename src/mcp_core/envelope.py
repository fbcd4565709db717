"""Envelopes turn a `Result` into the answer of a call. Each tool set has one; `ResultEnvelope` is the default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from mcp_core.jsonable import plain_and_text, to_jsonable, without_surrogates
from mcp_core.result import DATA, Block, Result, wire_block
from mcp_core.spec import ToolSpec
from mcp_core.validation import InvalidArguments

__all__ = ["SPILLED", "Answer", "Envelope", "ProtocolFault", "ResultEnvelope", "one_of"]

SPILLED = "answer_too_large"
"""The key that replaces an answer above the budget, which is kept as a resource."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a call: its structure, the same as text, and whether it is an error."""

    structured: Any
    text: str
    is_error: bool = False
    content: tuple[Block, ...] = ()
    is_data: bool = False
    """True if it contains document text."""

    @classmethod
    def of(
        cls, structured: Any, *, text: str | None = None, is_error: bool = False, content: tuple[Block, ...] = ()
    ) -> Answer:
        """An answer whose text is the JSON of its structure, or a sentence of its own.

        A structure that JSON cannot hold raises here, where a failure can still be returned.
        """
        plain, written = plain_and_text(to_jsonable(structured) if is_error else structured)
        return cls(plain, written if text is None else without_surrogates(text), is_error, content)

    def blocks(self) -> list[dict[str, Any]]:
        """The MCP content blocks: the text, then the rest, marked if it is data."""
        blocks = [{"type": "text", "text": self.text}, *(wire_block(block) for block in self.content)]
        return [{**block, "_meta": DATA} for block in blocks] if self.is_data else blocks

    def wire(self) -> dict[str, Any]:
        """The result of `tools/call`; `content` and `structuredContent` each hold all of it."""
        wire = {"content": self.blocks(), "structuredContent": self.structured, "isError": self.is_error}
        return {**wire, "_meta": DATA} if self.is_data else wire


class ProtocolFault(Exception):
    """Answer with a JSON-RPC error instead of a tool result."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Envelope(Protocol):
    """The wire shape of a tool set."""

    def success(self, result: Result[Any], spec: ToolSpec) -> Answer: ...
    def failure(self, result: Result[Any], spec: ToolSpec) -> Answer: ...
    def invalid_arguments(self, error: InvalidArguments, spec: ToolSpec) -> Answer:
        """Usually a failure; a set whose requirement says so raises `ProtocolFault`."""
        ...

    def output_schema(self, spec: ToolSpec) -> dict[str, Any]:
        """The schema of every answer of this envelope: success, failure, or kept as a resource."""
        ...


class ResultEnvelope:
    """The Result's own JSON."""

    def success(self, result: Result[Any], spec: ToolSpec) -> Answer:
        return Answer.of(result.to_dict(), content=result.content)

    def failure(self, result: Result[Any], spec: ToolSpec) -> Answer:
        return Answer.of(result.to_dict(), is_error=True)

    def invalid_arguments(self, error: InvalidArguments, spec: ToolSpec) -> Answer:
        return self.failure(invalid_arguments_result(error), spec)

    def output_schema(self, spec: ToolSpec) -> dict[str, Any]:
        value, definitions = split_definitions(spec.value_schema)
        success = {
            "success": {"type": "boolean"},
            "value": value,
            "data": {"type": "object"},
            "message": {"type": "string"},
            "instruction": {"type": "string"},
        }
        failure = {"error": {"type": "string"}, "error_type": {"type": "string"}, "details": {"type": "object"}}
        schema = one_of({**success, **failure}, ["success", "value"], ["success", "error"])
        return {**schema, "$defs": definitions} if definitions else schema


def invalid_arguments_result(error: InvalidArguments) -> Result[Any]:
    """The failure that a call with bad arguments gets."""
    return Result.failure(
        f"the arguments are not valid: {error}",
        "validation_error",
        details=error.details,
        instruction="Correct the named arguments and call again.",
    )


def one_of(properties: Mapping[str, Any], success: list[str], failure: list[str]) -> dict[str, Any]:
    """An object that is a success, a failure, or kept as a resource, distinguished by required keys."""
    spilled = {"type": "object", "properties": {"uri": {"type": "string"}}, "required": ["uri"]}
    return {
        "type": "object",
        "properties": {**properties, SPILLED: spilled},
        "anyOf": [{"required": success}, {"required": failure}, {"required": [SPILLED]}],
    }


def split_definitions(schema: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A schema and its `$defs`, which must be at the root if the schema is nested."""
    plain = dict(schema)
    return plain, plain.pop("$defs", {})


def plain_value(result: Result[Any]) -> Any:
    """The value as plain JSON types."""
    return to_jsonable(result.value)
