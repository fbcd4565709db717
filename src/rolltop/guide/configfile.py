"""The configuration file as a document: read without a lock, changed key by key under one.

A change reads the file again under the lock, edits the keys that it is about and nothing else, and
replaces the file in one step; comments, order and unknown keys stay. A file that does not parse is
never overwritten.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from rolltop.base.atomic_files import remove_leftovers, write_file
from rolltop.errors import Position
from rolltop.guide.errors import ConfigUnreadable, ConfigUnwritable
from rolltop.guide.lock import exclusive, in_turn
from rolltop.guide.together import Together

__all__ = ["VERSION", "ConfigFile", "line_of", "storable"]

VERSION = 1
LARGEST = 1 << 20
DEEPEST = 40

T = TypeVar("T")
_Stamp = tuple[int, int, int]


class ConfigFile:
    """`config.yaml` of one configuration directory. Safe to use from threads and processes at once."""

    def __init__(self, path: Path, *, deadline: float = 5.0) -> None:
        # The file may be a link into somebody's dotfiles: replace what it points to, not the link.
        self.path = Path(os.path.realpath(path))
        self.deadline = deadline
        self._cache: tuple[_Stamp | None, Mapping[str, Any]] | None = None
        self._guard = threading.Lock()
        self._changes = Together(self._current, self._keep)

    def read(self) -> Mapping[str, Any]:
        """The document as it is now. Not to be changed: the next reader gets the same object."""
        stamp = self._stamp()
        with self._guard:
            if self._cache is not None and self._cache[0] == stamp:
                return self._cache[1]
        document = self._load()
        with self._guard:
            # Stamped before it was read: if it changed in between, the next read sees that.
            self._cache = (stamp, document)
        return document

    def change(self, edit: Callable[[dict[str, Any]], tuple[T, bool]]) -> T:
        """Run `edit` on the document under the lock; it answers, and says whether there is anything to keep."""
        self._make_directory()
        lock = self.path.with_name(self.path.name + ".lock")
        mine = self._changes.add(edit)
        try:
            with in_turn(lock, deadline=self.deadline) as now:
                # Whoever had the turn before has made what was waiting along with his own.
                if now and not mine.made.done():
                    with exclusive(lock, deadline=self.deadline):
                        self._changes.make()
        finally:
            late = self._changes.drop(mine)
        if late:
            raise ConfigUnwritable(
                f"{self.path.name} was not changed within {self.deadline:g} s: other changes came first",
                hint="Try again.",
            )
        return mine.made.result()

    def _current(self) -> dict[str, Any]:
        document = self._load()
        document.setdefault("version", VERSION)
        return document

    def _keep(self, document: Mapping[str, Any]) -> None:
        """Replace the file; the caller holds the lock."""
        try:
            remove_leftovers(self.path)
            write_file(self.path, _dump(document), keep_attributes=True)
        except OSError as error:
            raise ConfigUnwritable(
                f"{self.path} cannot be written: {error.strerror}",
                hint="Check the disk and the permissions; the file is as it was.",
            ) from None

    def _make_directory(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise ConfigUnwritable(f"{self.path.parent} cannot be made: {error.strerror}") from None

    def _stamp(self) -> _Stamp | None:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unreadable(error.strerror or "") from None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _load(self) -> dict[str, Any]:
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            data = b""
        except OSError as error:
            raise self._unreadable(error.strerror or "") from None
        if len(data) > LARGEST:
            raise self._unreadable(f"it is larger than {LARGEST >> 20} MiB")
        return self._parse(data)

    def _parse(self, data: bytes) -> dict[str, Any]:
        from ruamel.yaml.comments import CommentedMap  # noqa: PLC0415 - 30 ms that a start need not pay
        from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415

        try:
            text = data.decode("utf-8-sig")
            if _depth(text) > DEEPEST:
                raise self._unreadable(f"it is nested more than {DEEPEST} deep")
            document = _yaml().load(text)
        except UnicodeDecodeError:
            raise self._unreadable("it is not UTF-8") from None
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise self._unreadable(error.problem or "not valid YAML", *_place(mark)) from None
        except (YAMLError, RecursionError, ValueError) as error:
            raise self._unreadable(f"not valid YAML ({type(error).__name__})") from None
        if document is None:
            document = CommentedMap()
        if not isinstance(document, CommentedMap):
            raise self._unreadable("it does not hold keys and values", 1, 1)
        self._check_version(document)
        return document

    def _check_version(self, document: Mapping[str, Any]) -> None:
        version = document.get("version", VERSION)
        if version != VERSION or isinstance(version, bool):
            raise ConfigUnreadable(
                f"{self.path} has a version other than {VERSION}",
                position=Position(line_of(document, "version"), 1, str(self.path)),
                hint="It was written by another release of rolltop; use that one, or correct the version.",
            )

    def _unreadable(self, why: str, line: int = 1, column: int = 1) -> ConfigUnreadable:
        return ConfigUnreadable(
            f"the guide's configuration cannot be read: {why}",
            position=Position(line, column, str(self.path)),
            hint="Correct the file, or move it away to start anew; it was not changed.",
        )


def line_of(table: Any, key: object) -> int:
    """The line of a key of a table that was read from the file, for messages."""
    try:
        return int(table.lc.key(key)[0]) + 1
    except (AttributeError, KeyError, TypeError):
        return 1


def storable(value: Any) -> Any:
    """A value to put into the document: a text with unusual characters is quoted with escapes.

    The writer quotes where it must, except that it leaves some line separators (U+0085) bare.
    """
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString  # noqa: PLC0415

    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, str) and not value.isprintable():
        return DoubleQuotedScalarString(value)
    return value


def _place(mark: Any) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


def _depth(text: str) -> int:
    """How deep the document is nested. The parser that keeps comments recurses, and takes seconds to give up."""
    import yaml  # noqa: PLC0415

    depth = deepest = 0
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            deepest = max(deepest, depth)
            if deepest > DEEPEST:
                break
    except yaml.YAMLError:
        pass  # what is wrong is said by the parser that comes next
    return deepest


def _yaml() -> Any:
    from ruamel.yaml import YAML  # noqa: PLC0415

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.allow_unicode = True
    yaml.width = 4096  # never fold a line that the user did not fold
    return yaml


def _dump(document: Mapping[str, Any]) -> bytes:
    stream = io.BytesIO()
    _yaml().dump(document, stream)
    return stream.getvalue()
