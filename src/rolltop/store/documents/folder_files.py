"""Files of a directory tree, as sources for storing: what git ignores is left out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import pathspec

from rolltop.errors import InvalidInput, NotFound
from rolltop.store.documents.ingest import Source
from rolltop.store.file_types import storable_path
from rolltop.store.globs import glob_matches

__all__ = ["Gather", "open_source", "read_source"]

Ignores = tuple[tuple[str, pathspec.GitIgnoreSpec], ...]
Known = Callable[[str], tuple[int, int] | None]


@dataclass(slots=True)
class Gather:
    """Which files to take. `known` gives the size and time of what is stored under a path, to skip it unread."""

    recursive: bool = False
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    gitignore: bool = True
    hidden: bool = True
    largest: int = 1 << 30
    known: Known | None = None
    skipped: int = 0
    ignored: int = 0
    """Files and directories that .gitignore names."""
    excluded: int = 0
    """Those that a pattern leaves out."""
    passed_over: int = 0
    """Links, pipes, sockets and devices that were met."""
    problems: list[tuple[str, str]] = field(default_factory=list)

    def paths(self, roots: Sequence[str]) -> Iterator[str]:
        """The files, each once, in order."""
        for root in roots:
            place = os.path.abspath(root)
            if os.path.isdir(place):
                if not self.recursive:
                    raise InvalidInput(f"{storable_path(root)} is a directory", hint="Add -r to store what is in it.")
                yield from self._walk(place, _ignores_above(place) if self.gitignore else ())
            elif os.path.lexists(place):
                yield place
            else:
                raise NotFound(f"there is no file {storable_path(root)}")

    def sources(self, roots: Sequence[str]) -> Iterator[Source]:
        """The files, opened and read; what cannot be read is noted in `problems`."""
        for path in self.paths(roots):
            try:
                if self._is_known(path):
                    self.skipped += 1
                    continue
                yield read_source(path, self.largest)
            except (OSError, InvalidInput) as error:
                self._problem(path, error)

    def _problem(self, path: str, error: Exception) -> None:
        self.problems.append((storable_path(path), getattr(error, "strerror", None) or str(error)))

    def _is_known(self, path: str) -> bool:
        if self.known is None:
            return False
        status = os.stat(path)
        return self.known(storable_path(path)) == (status.st_size, status.st_mtime_ns)

    def _walk(self, directory: str, ignores: Ignores) -> Iterator[str]:
        """The files below a directory, in order; a tree may be deeper than calls can be nested."""
        waiting = [self._inside(directory, ignores)]
        while waiting:
            step = next(waiting[-1], None)
            if step is None:
                waiting.pop()
            elif isinstance(step, str):
                yield step
            else:
                waiting.append(self._inside(*step))

    def _inside(self, directory: str, ignores: Ignores) -> Iterator[str | tuple[str, Ignores]]:
        """What is in one directory: files, and directories with the rules that hold in them."""
        if self.gitignore:
            ignores = (*ignores, *_ignores_in(directory))
        try:
            entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
        except OSError as error:
            self._problem(directory, error)
            return
        for entry in entries:
            below = entry.is_dir(follow_symlinks=False)
            if not self._wanted(entry.path, entry.name, below, ignores):
                continue
            if below:
                yield entry.path, ignores
            elif entry.is_file(follow_symlinks=False):
                yield entry.path
            else:
                self.passed_over += 1

    def _wanted(self, path: str, name: str, below: bool, ignores: Ignores) -> bool:
        if name == ".git" or (not self.hidden and name.startswith(".")):
            return False
        excluded = any(glob_matches(pattern.rstrip("/"), path) for pattern in self.exclude)
        excluded |= not below and bool(self.include) and not any(glob_matches(each, path) for each in self.include)
        ignored = not excluded and _ignored(path, below, ignores)
        self.excluded += excluded
        self.ignored += ignored
        return not excluded and not ignored


def open_source(path: str) -> BinaryIO:
    """A regular file, opened; one that is not is refused without waiting for it."""
    opened = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    if not os.path.isfile(path):
        opened.close()
        raise InvalidInput("it is not a regular file")
    return opened


def read_source(path: str, largest: int = 1 << 30) -> Source:
    """A regular file, read whole."""
    with open_source(path) as opened:
        status = os.fstat(opened.fileno())
        if status.st_size > largest:
            raise InvalidInput(f"it is larger than {largest} bytes (largest_mb in the section [store] of the settings)")
        data = opened.read()
    return Source(path, data, min(status.st_ctime_ns, status.st_mtime_ns), status.st_mtime_ns)


def _ignores_in(directory: str) -> Ignores:
    try:
        lines = Path(directory, ".gitignore").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ()
    return ((directory, pathspec.GitIgnoreSpec.from_lines(lines)),)


def _ignores_above(directory: str) -> Ignores:
    """The rules of the directories above, up to the root of the repository."""
    found: list[Ignores] = []
    place = Path(directory)
    while not (place / ".git").exists() and place.parent != place:
        place = place.parent
        found.append(_ignores_in(str(place)))
    inside = (place / ".git").exists()
    return tuple(rule for rules in reversed(found) for rule in rules) if inside else ()


def _ignored(path: str, below: bool, ignores: Ignores) -> bool:
    """The innermost rule that says anything decides, as in git."""
    for base, spec in reversed(ignores):
        relative = storable_path(os.path.relpath(path, base)) + ("/" if below else "")
        verdict = spec.check_file(relative).include
        if verdict is not None:
            return verdict
    return False
