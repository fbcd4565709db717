"""Cursors: opaque to clients, checked when they come back."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any, TypeVar

from mcp_core import ProtocolFault

__all__ = ["INVALID_PARAMS", "PAGE", "bad_cursor", "decode_cursor", "encode_cursor", "page_of"]

T = TypeVar("T")
INVALID_PARAMS = -32602
PAGE = 200
"""Entries of a list that one answer carries."""


def encode_cursor(*parts: Any) -> str:
    text = json.dumps(parts, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def decode_cursor(cursor: str, kinds: tuple[type, ...]) -> list[Any]:
    """The parts of a cursor that we made; anything else is refused."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        parts = json.loads(text)
    except (binascii.Error, ValueError):
        raise bad_cursor() from None
    if not isinstance(parts, list) or len(parts) != len(kinds):
        raise bad_cursor()
    if any(part is not None and type(part) is not kind for part, kind in zip(parts, kinds, strict=True)):
        raise bad_cursor()
    return parts


def bad_cursor() -> ProtocolFault:
    return ProtocolFault(INVALID_PARAMS, "Invalid params: the cursor is not one that this server gave")


def page_of(items: Sequence[T], cursor: str | None, size: int) -> tuple[Sequence[T], str | None]:
    """One page of a list that is all in memory."""
    start = 0
    if cursor is not None:
        (start,) = decode_cursor(cursor, (int,))
        if start is None or not 0 < start < len(items):
            raise bad_cursor()
    end = start + size
    return items[start:end], encode_cursor(end) if end < len(items) else None
