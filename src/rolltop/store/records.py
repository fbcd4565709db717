"""The nouns of the store: what the catalogue hands out and what calls answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = [
    "STRIDE",
    "Added",
    "Document",
    "Frame",
    "Mark",
    "Object",
    "Place",
    "Snapshot",
    "Stats",
    "Version",
]


_AS_THEY_ARE = ("charset=utf-8", "charset=us-ascii")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a frame's bytes are."""

    pack: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Frame:
    """One compressed run of leaves; `base` is the leaf it was compressed against."""

    id: int
    place: Place
    raw: int
    base: int | None = None
    depth: int = 0


STRIDE = 16
"""Leaves of a long object that a mark covers: about a quarter of a megabyte."""


class Mark(NamedTuple):
    """What some leaves hold: bytes, and line ends."""

    size: int
    lines: int


@dataclass(frozen=True, slots=True)
class Object:
    """Bytes with a SHA-256: a slice of a frame, or a list of such slices."""

    id: int
    hash: bytes
    size: int
    frame: int | None
    start: int = 0
    parts: tuple[int, ...] | None = None
    aligned: bool = True
    marks: tuple[Mark, ...] = ()
    """What every few leaves of a list hold, while it is being stored; afterwards the catalogue is asked for them."""

    @property
    def hex(self) -> str:
        return self.hash.hex()


@dataclass(frozen=True, slots=True)
class Document:
    """A path with its current content."""

    id: int
    path: str
    name: str
    extension: str
    mime: str
    kind: str
    object: int
    hash: str
    size: int
    version: int
    created: int
    modified: int
    indexed: int
    change: int
    deleted: int | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def is_text(self) -> bool:
        """Whether its bytes are text as they are, in UTF-8; text in another encoding says so in its MIME type."""
        return self.kind == "text" and ("charset=" not in self.mime or self.mime.lower().endswith(_AS_THEY_ARE))


@dataclass(frozen=True, slots=True)
class Version:
    """What a document was, or is."""

    document: int
    number: int
    object: int
    hash: str
    size: int
    modified: int
    indexed: int


@dataclass(frozen=True, slots=True)
class Added:
    """The answer to storing: `bytes_stored + bytes_deduped` is the size of the content."""

    document: Document
    bytes_stored: int
    bytes_deduped: int
    bytes_written: int
    outcome: str  # new, version, unchanged

    @property
    def hash(self) -> str:
        return self.document.hash


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A named set of (path, content)."""

    id: int
    label: str
    created: int
    prefix: str
    documents: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures that `verify` proves against the disk."""

    documents: int
    versions: int
    logical_bytes: int
    unique_objects: int
    unique_blocks: int
    unique_bytes: int
    frames: int
    packs: int
    pack_bytes: int
    deleted_documents: int

    @property
    def deduplicated_bytes(self) -> int:
        return max(0, self.logical_bytes - self.unique_bytes)

    @property
    def dedup_ratio(self) -> float:
        return self.deduplicated_bytes / self.logical_bytes if self.logical_bytes else 0.0
