"""What a listing may ask for."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.store.records import Document

__all__ = ["SORT_KEYS", "Listing", "Page", "decode_cursor", "encode_cursor", "unknown_cursor"]

SORT_KEYS = ("name", "size", "created", "modified", "indexed", "path")
TIMES = ("created", "modified", "indexed")


@dataclass(frozen=True, slots=True)
class Listing:
    """Filters, order and page. Times are nanoseconds; None means no bound."""

    type: str | None = None
    mime: str | None = None
    extension: str | None = None
    binary: bool = False
    text: bool = False
    after: Mapping[str, int] = field(default_factory=dict)
    before: Mapping[str, int] = field(default_factory=dict)
    recent: int | None = None
    name: str | None = None
    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    match_all_tags: bool = True
    exclude_tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    documents: tuple[int, ...] | None = None
    sort_by: str = "indexed"
    descending: bool = True
    limit: int = 100
    cursor: str | None = None

    def __post_init__(self) -> None:
        if self.sort_by not in SORT_KEYS:
            raise InvalidInput(f"sort_by is one of {', '.join(SORT_KEYS)}")
        for name in ("limit", "recent"):
            if (number := getattr(self, name)) is not None and number < 1:
                raise InvalidInput(f"{name} must be at least 1")


@dataclass(frozen=True, slots=True)
class Page:
    """Some documents, how many there are in all, and how to get the next ones."""

    documents: list[Document]
    total: int
    next_cursor: str | None = None


def encode_cursor(*state: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(state, separators=(",", ":")).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, length: int) -> list[Any]:
    try:
        state = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except ValueError:
        state = None
    if not isinstance(state, list) or len(state) != length:
        raise unknown_cursor()
    return state


def unknown_cursor() -> InvalidInput:
    return InvalidInput("the cursor is not one that this store gave out", hint="Start again without a cursor.")
