"""One document out of an export."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.store.metadata_values import check_tag

__all__ = ["Item", "file_name", "moment_of", "tags_from"]

LONGEST = 60
"""Characters of a title in a path."""

_NO_WORD = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class Item:
    """A document: the same item of a later export has the same path, so it becomes a new version."""

    path: str
    content: bytes
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    created: int | None = None
    """Nanoseconds since 1970."""
    modified: int | None = None


def file_name(title: str, identity: str, ending: str = "md") -> str:
    """A name that can be read and that belongs to one identity."""
    words = _NO_WORD.sub("-", title.lower()).strip("-")[:LONGEST].strip("-") or "untitled"
    return f"{words}-{hashlib.sha256(identity.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}.{ending}"


def moment_of(value: object) -> int | None:
    """Nanoseconds since 1970, of seconds or an ISO date; None where it is neither."""
    try:
        if isinstance(value, str) and not value.replace(".", "", 1).isdigit():
            found = datetime.fromisoformat(value)
            seconds = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
        else:
            seconds = float(value)  # type: ignore[arg-type]
        return int(seconds * 1_000_000) * 1000 if 0 < seconds < 1e11 else None
    except (ValueError, TypeError, OverflowError):
        return None


def tags_from(words: str) -> tuple[str, ...]:
    """Tags of a list with commas or semicolons; what cannot be a tag is left out."""
    found = dict.fromkeys(word.strip().strip("/") for word in re.split(r"[,;]", words))
    return tuple(tag for tag in found if tag and _can_be_tag(tag))


def _can_be_tag(tag: str) -> bool:
    try:
        check_tag(tag)
    except InvalidInput:
        return False
    return True
