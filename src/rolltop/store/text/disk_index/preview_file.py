"""The heads of all documents in one file beside the index, read piece by piece: nothing of it stays in memory.

Two files make a generation. `<n>.heads` is heads, one after the other; it only grows. `<n>.places` says where the
head of each document lies: sixteen bytes per number, written in place, the first sixteen being about the file. Nothing
here can make an answer wrong: a head is checked by its own sum, is of one change of its document, and is only a copy.
"""

from __future__ import annotations

import os
import struct
import weakref
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rolltop.base.os_errors import is_transient_error
from rolltop.store.seams import TextHead
from rolltop.store.text.disk_index.previews import unpack_head

__all__ = ["HeadFiles", "HeadReader", "Where", "damaged_heads", "generations", "latest"]

Where = tuple[int, int, int]
"""Where a head begins, how long it is, its checksum."""

LARGEST = 1 << 22
"""Bytes. Nothing longer is kept, so that a wrong bit cannot ask for gigabytes."""

NOWHERE = (1 << 32) - 1
"""As the highest number: there are documents whose heads were lost, which only building the index again brings back."""

_MAGIC = b"RTH1"
_ABOUT = struct.Struct("<4sIQ")  # magic, highest number, bytes of the heads that are in use
_PLACE = struct.Struct("<QII")
_NONE = bytes(_PLACE.size)
_FARTHEST = 1 << 62
_AT_ONCE = _PLACE.size << 12


class HeadFiles:
    """One generation, open; closed when nobody looks at it any more."""

    def __init__(self, directory: Path, generation: int, flags: int = os.O_RDONLY, places: str = "places") -> None:
        self.generation = generation
        self._places = self._opened(directory / f"{generation:08d}.{places}", flags)
        self.heads = self._opened(directory / f"{generation:08d}.heads", flags)

    def _opened(self, path: Path, flags: int) -> int:
        file = os.open(path, flags | os.O_CLOEXEC, 0o600)
        weakref.finalize(self, os.close, file)
        return file

    def about(self) -> tuple[int, int]:
        """The highest number, and the bytes in use."""
        found = os.pread(self._places, _ABOUT.size, 0)
        if len(found) < _ABOUT.size or found[:4] != _MAGIC:
            raise ValueError("this is not a list of places")
        _, highest, used = _ABOUT.unpack(found)
        return highest, used

    def place(self, number: int) -> Where | None:
        found = os.pread(self._places, _PLACE.size, number * _PLACE.size)
        return None if len(found) < _PLACE.size or found == _NONE else _PLACE.unpack(found)

    def packed(self, place: Where) -> bytes | None:
        """The head at a place; None where something else lies there."""
        where, size, checksum = place
        if size > LARGEST or where > _FARTHEST:
            return None
        data = os.pread(self.heads, size, where)
        return data if len(data) == size and zlib.crc32(data) == checksum else None

    def all_places(self) -> Iterator[tuple[int, Where]]:
        """Every document that has a head, and where that lies."""
        start, number = _ABOUT.size, 1
        while block := os.pread(self._places, _AT_ONCE, start):
            start += len(block)
            for place in _PLACE.iter_unpack(block[: len(block) // _PLACE.size * _PLACE.size]):
                if any(place):
                    yield number, place
                number += 1

    def set_place(self, number: int, place: Where | None) -> None:
        os.pwrite(self._places, _NONE if place is None else _PLACE.pack(*place), number * _PLACE.size)

    def set_about(self, highest: int, used: int) -> None:
        """Say how far the places go, when they are written: they are on disk when this returns."""
        os.pwrite(self._places, _ABOUT.pack(_MAGIC, highest, used), 0)
        os.fsync(self._places)

    def damage(self) -> Iterator[str]:
        highest, _ = self.about()
        if os.fstat(self._places).st_size < (highest + 1) * _PLACE.size:
            yield "the keyword index has lost places of the heads of documents"
        for number, place in self.all_places():
            if self.packed(place) is None:
                yield f"what the keyword index has kept for showing document {number} is damaged"


def generations(directory: Path) -> list[int]:
    return sorted(int(path.stem) for path in directory.glob("*.places") if path.stem.isdigit())


def latest(directory: Path, flags: int = os.O_RDONLY) -> HeadFiles | None:
    """The last generation; None where there is none."""
    while there := generations(directory):
        with suppress(FileNotFoundError):
            return HeadFiles(directory, there[-1], flags)
        if generations(directory) == there:
            return None  # not replaced by another one meanwhile, but lost
    return None


class HeadReader:
    """Reads heads while another process may be writing some."""

    def __init__(self, directory: Path) -> None:
        try:
            self._files = latest(directory)
        except OSError:
            self._files = None

    def head(self, number: int) -> TextHead | None:
        """What was kept for showing a document; None where that cannot be read, for the document itself can."""
        if self._files is None:
            return None
        try:
            place = self._files.place(number)
            packed = None if place is None else self._files.packed(place)
        except OSError:
            return None
        return None if packed is None else unpack_head(packed)


def damaged_heads(directory: Path) -> list[str]:
    """What is wrong with the heads; at most one thing of a kind is told."""
    try:
        files = latest(directory)
        if files is None:
            return ["the keyword index has lost what it kept for showing documents"]
        return [*dict.fromkeys(files.damage())]
    except (OSError, ValueError) as error:
        if is_transient_error(error):
            raise
        return [f"what the keyword index has kept for showing documents cannot be read: {error}"]
