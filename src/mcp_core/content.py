"""What an answer may carry beside its text and its structure."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

from mcp_core.jsonable import without_surrogates

__all__ = [
    "DATA",
    "FROM_DOCUMENTS",
    "TEXT_AT",
    "Audio",
    "Block",
    "EmbeddedResource",
    "Image",
    "ResourceLink",
    "Text",
    "wire_block",
]


FROM_DOCUMENTS = "from-documents"
"""The tag of tools whose answers carry what documents, packages or foreign code say."""
DATA: dict[str, Any] = {"rolltop/content": "data"}
"""`_meta` of such content: a host can tell it from instructions, and should not follow any that are in it."""


TEXT_AT = "rolltop/text"
"""Key of a resource's `_meta`: the URI of what it says as plain text or Markdown."""


@dataclass(frozen=True, slots=True)
class Text:
    """Words beside the answer's own text: notes, or a text to read."""

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
    """A resource the client may read; the way to hand over what is too large for an answer."""

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
