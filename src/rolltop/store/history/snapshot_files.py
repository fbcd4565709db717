"""A snapshot written out as files: what cannot be a file there is named, and everything else is written."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rolltop.errors import ConsentMissing, Damaged, InvalidInput

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["Restored", "write_snapshot"]

_FULL = (errno.ENOSPC, errno.EDQUOT)
_OUTSIDE = "it leads out of the directory"
_BELOW = "it is a file, and other documents lie below it"
_TWICE = "another document goes to the same file"


@dataclass(slots=True)
class Restored:
    """What was written, and what was not: (path, why)."""

    documents: int = 0
    bytes: int = 0
    left: list[tuple[str, str]] = field(default_factory=list)


def write_snapshot(
    library: Library, documents: Iterable[tuple[str, int, int]], target: Path, *, overwrite: bool
) -> Restored:
    """Write (path, object, modified) below a directory. Files that exist are replaced only if asked for."""
    entries = {path: (number, modified) for path, number, modified in documents}
    if target.exists() and not target.is_dir():
        raise InvalidInput(f"{target} is not a directory")
    done = Restored()
    places = _places(entries, target, done)
    there = next((place for place in places if _is_file(place)), None)
    if there is not None and not overwrite:
        raise ConsentMissing(f"{there} exists already", hint="Add --force to replace files.")
    for place, path in places.items():
        number, modified = entries[path]
        try:
            size = _write_file(place, library.documents.read_object(number), modified)
        except (OSError, Damaged) as error:
            if isinstance(error, OSError) and error.errno in _FULL:
                raise
            done.left.append((path, getattr(error, "strerror", None) or str(error)))
        else:
            done.documents += 1
            done.bytes += size
    return done


def _write_file(place: Path, data: bytes, modified: int) -> int:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    os.utime(place, ns=(modified, modified))
    return len(data)


def _is_file(place: Path) -> bool:
    """False also for a name that no file can have here: writing it says why."""
    try:
        return place.is_file()
    except OSError:
        return False


def _places(paths: Iterable[str], target: Path, done: Restored) -> dict[Path, str]:
    """Where each document goes; those that have no place of their own are noted."""
    root = target.resolve()
    places: dict[Path, str] = {}
    for path in paths:
        place = (root / path.lstrip("/")).resolve()
        if ".." in path.split("/") or root not in place.parents:
            done.left.append((path, _OUTSIDE))
        elif place in places:
            done.left.append((path, _TWICE))
        else:
            places[place] = path
    folders = {folder for place in places for folder in place.parents}
    for place in sorted(places.keys() & folders):
        done.left.append((places.pop(place), _BELOW))
    return places
