"""What the output directory holds: for each format of a document, the text it was made from and its figures.

`output/.rendered/NAME.json`, written by whoever holds the turn of the output directory. It is what tells a
result of a newer text from one of an older, and whose figure a file is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rolltop.errors import RolltopError
from rolltop.reports.files.atomic_files import read_plain, write_whole
from rolltop.reports.job import EXTENSIONS, Format

__all__ = ["Ledger", "Made", "Origin"]

_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class Origin:
    """What a result was made from: a digest of the document and its side files, and when they were read."""

    inputs: str
    read: int
    """Nanoseconds since 1970."""

    @classmethod
    def of(cls, files: Mapping[str, bytes], read: int) -> Origin:
        digest = hashlib.sha256()
        for name in sorted(files):
            digest.update(f"{len(name)}:{name}:{len(files[name])}:".encode() + files[name])
        return cls(digest.hexdigest(), read)

    def is_before(self, other: Origin) -> bool:
        """Whether the other is of another text that was read later."""
        return self.inputs != other.inputs and self.read < other.read


@dataclass(frozen=True, slots=True)
class Made:
    """One format as it lies there."""

    origin: Origin
    figures: tuple[str, ...]


class Ledger:
    """The records of one output directory."""

    def __init__(self, root: Path) -> None:
        self.root = root / ".rendered"

    def read(self, stem: str) -> dict[Format, Made]:
        """By format; empty when there is no record, or none that can be read."""
        try:
            found = json.loads(read_plain(self._place(stem), _LIMIT))
            return {name: _made(found[name]) for name in EXTENSIONS if name in found}
        except (OSError, RolltopError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def write(self, stem: str, made: Mapping[Format, Made]) -> None:
        data = json.dumps({name: asdict(each) for name, each in made.items()}).encode()
        write_whole(self._place(stem), data, replace=True, durable=False)

    def forget(self, stem: str) -> None:
        self._place(stem).unlink(missing_ok=True)

    def _place(self, stem: str) -> Path:
        return self.root / f"{stem}.json"


def _made(wire: Mapping[str, Any]) -> Made:
    origin = Origin(str(wire["origin"]["inputs"]), int(wire["origin"]["read"]))
    return Made(origin, tuple(map(str, wire["figures"])))
