"""Read the files of a catalog's tree through the opener: regular files, inside the tree, of a bounded size.

A tree comes from others. A link in it that leads elsewhere, a pipe or a device is refused, whatever names it.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from rolltop.files import Files

__all__ = ["LARGEST", "is_inside", "list_files", "read_inside"]

LARGEST = 16 << 20
"""Bytes of the largest source or definition that is read."""


def read_inside(path: Path, root: Path | None = None) -> bytes:
    """The bytes of a file in the tree below `root`, by default the file's own directory."""
    return _opener(str(root or path.parent)).read_bytes(path)


def list_files(folder: Path, root: Path, suffix: str) -> list[Path]:
    """The regular files of a directory whose names end in `suffix`, sorted; links are left out."""
    found = _opener(str(root)).list(folder)
    return sorted(folder / info.path.name for info in found if info.kind == "file" and info.path.name.endswith(suffix))


def is_inside(path: Path, root: Path) -> bool:
    """True if `path` leads to a place in the tree below `root`, links followed."""
    return path.resolve().is_relative_to(root.resolve())


@lru_cache(maxsize=64)
def _opener(root: str) -> Files:
    return Files([root], homes=(), base=root, largest=LARGEST)
