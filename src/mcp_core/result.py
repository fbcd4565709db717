"""`Result[T]`: the return value of every tool, and the content blocks it may carry. An envelope shapes it for MCP."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from mcp_core.jsonable import to_json_bytes, to_jsonable, without_surrogates

__all__ = [
    "DATA",
    "FROM_DOCUMENTS",
    "TEXT_AT",
    "Audio",
    "Block",
    "EmbeddedResource",
    "Image",
    "ResourceLink",
    "Result",
    "Text",
    "wire_block",
]


FROM_DOCUMENTS = "from-documents"
"""The tag of tools whose answers contain text of documents, packages or foreign code."""
DATA: dict[str, Any] = {"rolltop/content": "data"}
"""`_meta` of such content: a host must treat it as data and not follow instructions in it."""


TEXT_AT = "rolltop/text"
"""Key in a resource's `_meta`: the URI of its plain text or Markdown form."""


@dataclass(frozen=True, slots=True)
class Text:
    """Additional text beside the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    data: bytes
    mime_type: str = "image/png"


@dataclass(frozen=True, slots=True)
class Audio:
    data: bytes
    mime_type: str = "audio/wav"


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """A resource that the client may read; used for content too large for an answer."""

    uri: str
    name: str
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class EmbeddedResource:
    uri: str
    content: str | bytes
    mime_type: str | None = None


Block = Text | Image | Audio | ResourceLink | EmbeddedResource


def wire_block(block: Block) -> dict[str, Any]:
    """The MCP content block for `block`."""
    match block:
        case Text():
            return {"type": "text", "text": without_surrogates(block.text)}
        case Image():
            return {"type": "image", "data": _base64(block.data), "mimeType": block.mime_type}
        case Audio():
            return {"type": "audio", "data": _base64(block.data), "mimeType": block.mime_type}
        case ResourceLink():
            link = {
                "type": "resource_link",
                "uri": block.uri,
                "name": block.name,
                "description": block.description,
                "mimeType": block.mime_type,
                "size": block.size,
            }
            return {key: without_surrogates(value) for key, value in link.items() if value is not None}
        case EmbeddedResource():
            held: dict[str, Any] = {"uri": without_surrogates(block.uri)}
            if block.mime_type:
                held["mimeType"] = block.mime_type
            if isinstance(block.content, str):
                held["text"] = without_surrogates(block.content)
            else:
                held["blob"] = _base64(block.content)
            return {"type": "resource", "resource": held}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


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
