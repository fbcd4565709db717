"""Pieces of XML: elements at a path inside the root, as they are closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rolltop.transform.formats.xml_read import Builder

__all__ = ["NoRecords", "element_pieces"]

_RECORDS = 500


class NoRecords(Exception):
    """The document has no array at the path; `seen` is what was read while that could still be told."""


class _Records(Builder):
    """Takes the elements at a path out of the tree as soon as they are complete."""

    def __init__(self, path: tuple[str, ...], arrays: frozenset[str]) -> None:
        super().__init__(arrays)
        self._path = path
        self._depth = len(path)
        self._opened = dict.fromkeys(path[:-1], 0)
        self.records: list[Any] = []

    def _start(self, name: str, pairs: list[str]) -> None:
        super()._start(name, pairs)
        depth = len(self.stack)
        if depth < self._depth and self._on_path(depth):
            self._opened[name] += 1
            if self._opened[name] > 1:
                raise NoRecords

    def _on_path(self, depth: int) -> bool:
        return all(frame.name == wanted for frame, wanted in zip(self.stack[:depth], self._path, strict=False))

    def _end(self, name: str) -> None:
        if len(self.stack) != self._depth or not self._on_path(self._depth):
            super()._end(name)
            return
        self.records.append(self._value(self.stack.pop()))
        # What stands between records is not asked for.
        self.stack[-1].text.clear()
        self.stack[-1].children.clear()


def element_pieces(
    read: Callable[[int], bytes],
    path: tuple[str, ...],
    work: Callable[[Any], Any],
    *,
    size: int,
    arrays: frozenset[str] = frozenset(),
) -> Iterator[Any]:
    """What the work makes of each piece of the document, as a document that has only these elements."""
    if len(set(path)) != len(path) or arrays & set(path):
        raise NoRecords
    builder = _Records(path, arrays)
    started = False
    for _ in builder.feed(iter(lambda: read(size), b"")):
        if len(builder.records) >= min(_RECORDS, size):
            yield work(_document(path, builder.records))
            builder.records, started = [], True
    if not started and len(builder.records) < 2:
        raise NoRecords  # one element is an object, not an array
    yield work(_document(path, builder.records))


def _document(path: tuple[str, ...], records: list[Any]) -> Any:
    value: Any = records
    for name in reversed(path):
        value = {name: value}
    return value
