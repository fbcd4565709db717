"""Finding the files of a category that a pattern matches.

The walk goes only where the pattern can still match, lists each directory once per request, and
never leaves the document root: a link is followed when it leads to a place inside, and not into a
directory that the walk is already in. What is left out for a limit or a fault is said, not hidden.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rolltop.guide.errors import PathUnsafe
from rolltop.guide.pattern import Pattern, States

__all__ = ["Found", "Tree"]


@dataclass(frozen=True, slots=True)
class Found:
    path: str
    """Relative to the category's directory, with slashes."""
    real: Path


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    real: Path
    is_directory: bool


@dataclass(slots=True)
class Tree:
    """One request's view of the document root."""

    docroot: Path
    depth: int
    entries: int
    """How many directory entries may still be looked at."""
    warnings: list[str] = field(default_factory=list)
    truncated: bool = False
    _listings: dict[Path, list[_Entry]] = field(default_factory=dict)

    def find(self, directory: str, pattern: Pattern) -> list[Found]:
        """What the pattern matches below a category's directory, sorted by path."""
        top = Path(os.path.realpath(self.docroot / directory))
        if not top.is_relative_to(self.docroot):
            raise PathUnsafe(
                f"the directory {directory} leads out of the document root",
                hint="Replace the link by a directory, or choose another directory for the category.",
            )
        if not top.is_dir():
            self._warn(f"the directory {directory} does not exist in the document root")
            return []
        return sorted(self._walk(top, "", pattern, pattern.start, (top,)), key=lambda found: found.path)

    def _walk(
        self, directory: Path, prefix: str, pattern: Pattern, states: States, trail: tuple[Path, ...]
    ) -> Iterator[Found]:
        for entry in self._list(directory):
            if not entry.is_directory:
                if pattern.accepts(states, entry.name):
                    yield Found(prefix + entry.name, entry.real)
                continue
            below = pattern.enter(states, entry.name)
            if not below or entry.real in trail:
                continue
            if len(trail) > self.depth:
                self.truncated = True
                self._warn(f"directories more than {self.depth} levels deep were not searched")
                continue
            yield from self._walk(entry.real, f"{prefix}{entry.name}/", pattern, below, (*trail, entry.real))

    def _list(self, directory: Path) -> list[_Entry]:
        if directory not in self._listings:
            self._listings[directory] = list(self._scan(directory))
        return self._listings[directory]

    def _scan(self, directory: Path) -> Iterator[_Entry]:
        try:
            with os.scandir(directory) as scan:
                # Sorted, so that a limit cuts at the same place whatever the file system's order is.
                entries = sorted((entry for entry in scan if not _is_excluded(entry.name)), key=lambda e: e.name)
        except OSError as error:
            self._warn(f"{self._shown(directory)} cannot be listed: {error.strerror}")
            return
        for entry in entries:
            if self.entries <= 0:
                self.truncated = True
                self._warn("there are too many files; not all were looked at")
                return
            self.entries -= 1
            if (looked := self._look(entry)) is not None:
                yield looked

    def _look(self, entry: os.DirEntry[str]) -> _Entry | None:
        if not entry.name.isprintable():
            self._warn(f"a file in {self._shown(Path(entry.path).parent)} has an unprintable name and was left out")
            return None
        try:
            real = Path(os.path.realpath(entry.path)) if entry.is_symlink() else Path(entry.path)
            mode = entry.stat().st_mode
        except OSError:  # a dangling link, a loop of links, or gone meanwhile
            return None
        if not real.is_relative_to(self.docroot):
            self._warn(f"{self._shown(Path(entry.path))} leads out of the document root and was left out")
            return None
        if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
            return _Entry(entry.name, real, stat.S_ISDIR(mode))
        return None

    def _shown(self, path: Path) -> str:
        relative = os.path.relpath(path, self.docroot)
        return ascii(relative)[1:-1] if not relative.isprintable() else relative

    def _warn(self, warning: str) -> None:
        if warning not in self.warnings and len(self.warnings) < 50:
            self.warnings.append(warning)


def _is_excluded(name: str) -> bool:
    return name.startswith((".", "_")) or name.endswith(".orig")
