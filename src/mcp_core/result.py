"""`Result[T]`: what every tool returns, success or failure, before an envelope gives it its wire shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from mcp_core.content import Block
from mcp_core.jsonable import to_json_bytes, to_jsonable

__all__ = ["Result"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Result(Generic[T]):
    """A success with a value, or a failure with an error and its type.

    `message` is for the user, `instruction` for the agent (what to do or not to do next); neither is ever
    filled from document text. `data` carries structured facts beside the value of a success (a manifest, where
    a value comes from), `details` those of a failure; `content` is extra blocks of a success (images, links).
    """

    success: bool
    value: T | None = None
    error: str | None = None
    error_type: str | None = None
    message: str | None = None
    instruction: str | None = None
    exception: BaseException | None = None
    details: Mapping[str, Any] | None = None
    content: tuple[Block, ...] = field(default=())
    data: Mapping[str, Any] | None = None

    @classmethod
    def ok(
        cls,
        value: T | None = None,
        message: str | None = None,
        instruction: str | None = None,
        *,
        content: Iterable[Block] = (),
        data: Mapping[str, Any] | None = None,
    ) -> Result[T]:
        """The tool succeeded. `ok(None)` is a success whose value is null."""
        return cls(True, value=value, message=message, instruction=instruction, content=tuple(content), data=data)

    @classmethod
    def failure(
        cls,
        error: str,
        error_type: str = "error",
        exception: BaseException | None = None,
        message: str | None = None,
        instruction: str | None = None,
        *,
        details: Mapping[str, Any] | None = None,
    ) -> Result[T]:
        """The tool failed: what was wrong (`error`), and its kind (`error_type`) for programs."""
        return cls(
            False,
            error=error,
            error_type=error_type,
            exception=exception,
            message=message,
            instruction=instruction,
            details=details,
        )

    @property
    def is_ok(self) -> bool:
        return self.success

    @property
    def is_failure(self) -> bool:
        return not self.success

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types; every field that was set, the empty string included."""
        document: dict[str, Any] = {"success": self.success}
        if self.success:
            document["value"] = to_jsonable(self.value)
        if self.data is not None:
            document["data"] = to_jsonable(self.data)
        for name in ("error", "error_type", "message", "instruction"):
            if (text := getattr(self, name)) is not None:
                document[name] = text
        if self.exception is not None:
            document["exception_type"] = type(self.exception).__name__
            document["exception_message"] = str(self.exception)
        if self.details is not None:
            document["details"] = to_jsonable(self.details)
        return document

    def to_json(self) -> dict[str, Any]:
        """The same as `to_dict`: what `json.dumps` takes."""
        return self.to_dict()

    def to_json_str(self) -> str:
        """The JSON text that answers an MCP tool call."""
        return to_json_bytes(self.to_dict()).decode("utf-8")
