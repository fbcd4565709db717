"""Whether the files of a tantivy index are what was written: each ends with its own CRC-32."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["damaged_files", "is_sound"]

_MAGIC = 1337
_BLOCK = 1 << 20
_LEAST = 4
"""Files that every part has: terms, postings, stored fields, columns."""


def damaged_files(directory: Path) -> list[str]:
    """What is wrong with the files of an index; an index that is not there is in order."""
    if not (directory / "meta.json").exists():
        return []
    try:
        listed = json.loads((directory / "meta.json").read_bytes())["segments"]
        parts = {segment["segment_id"].replace("-", ""): _deletions(segment) for segment in listed}
    except (ValueError, KeyError, TypeError, AttributeError):
        return ["the keyword index cannot read the list of its parts"]
    told = []
    for part, deletions in sorted(parts.items()):
        files = [path for path in sorted(directory.glob(f"{part}.*")) if path.suffix != ".del"]
        files += [directory / f"{part}.{deletions}.del"] if deletions is not None else []
        if len(files) < _LEAST or not all(path.exists() for path in files):
            told.append(f"the keyword index has lost files of its part {part}")
        else:
            told += [f"the keyword index file {path.name} is damaged" for path in files if not is_sound(path)]
    return told


def _deletions(segment: dict[str, Any]) -> int | None:
    """The number in the name of the file that says which documents of a part are gone."""
    deletes = segment.get("deletes")
    return None if deletes is None else int(deletes["opstamp"])


def is_sound(path: Path) -> bool:
    """Whether the checksum in a file's footer fits. The footer: JSON, its length, a magic number."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - 8))
        tail = file.read(8)
        length, magic = int.from_bytes(tail[:4], "little"), int.from_bytes(tail[4:], "little")
        if size < 8 or magic != _MAGIC or length + 8 > size:
            return False
        file.seek(size - 8 - length)
        try:
            expected = json.loads(file.read(length))["crc"]
        except (ValueError, KeyError, TypeError):
            return False
        file.seek(0)
        return bool(_checksum(file, size - 8 - length) == expected)


def _checksum(file: BinaryIO, size: int) -> int:
    total = 0
    while size > 0 and (block := file.read(min(_BLOCK, size))):
        total = zlib.crc32(block, total)
        size -= len(block)
    return total
