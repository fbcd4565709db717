"""Content by its hash, or by the beginning of one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rolltop.errors import InvalidInput, NotFound
from rolltop.store.records import Document, Object

__all__ = ["MOST_OBJECTS", "Found", "hash_prefix", "is_hash_prefix", "no_such_hash", "several_hashes"]

MOST_OBJECTS = 10_000
"""Contents that one beginning of a hash is looked up for."""

_HASH_PREFIX = re.compile(r"[0-9a-fA-F]{8,64}")


def is_hash_prefix(text: str) -> bool:
    """Whether a text could be a hash or the beginning of one."""
    return _HASH_PREFIX.fullmatch(text) is not None


def no_such_hash() -> NotFound:
    return NotFound(
        "no document has this hash", code="document_not_found", hint="Search for a word that the document holds."
    )


def hash_prefix(text: str) -> str:
    if not is_hash_prefix(text):
        raise InvalidInput("a hash is 8 to 64 hexadecimal digits")
    return text.lower()


def several_hashes(text: str, objects: Sequence[Object]) -> InvalidInput:
    hashes = [entry.hex for entry in objects]
    return InvalidInput(
        f"several documents have a hash that begins with {text}",
        hint="Give more digits of the hash: " + ", ".join(hashes[:3]),
        details={"candidates": hashes[:20]},
    )


@dataclass(frozen=True, slots=True)
class Found:
    """Content by its hash, and the document that has it (or had it)."""

    object: Object
    document: Document

    @property
    def current(self) -> bool:
        """Whether the document has the content now, not in an earlier version."""
        return self.document.object == self.object.id
