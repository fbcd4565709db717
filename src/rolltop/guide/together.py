"""Changes that wait for the same file are made together: reading and writing it takes longer than all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

__all__ = ["Change", "Together"]

T = TypeVar("T")
Document = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Change(Generic[T]):
    """An edit that answers and says whether there is anything to keep, and its answer when it is kept."""

    edit: Callable[[Document], tuple[T, bool]]
    made: Future[T] = field(default_factory=Future)


class Together:
    """Changes of one document, which `load` reads and `keep` writes."""

    def __init__(self, load: Callable[[], Document], keep: Callable[[Document], None]) -> None:
        self._load = load
        self._keep = keep
        self._waiting: list[Change[Any]] = []
        self._guard = threading.Lock()

    def add(self, edit: Callable[[Document], tuple[T, bool]]) -> Change[T]:
        change = Change(edit)
        with self._guard:
            self._waiting.append(change)
        return change

    def drop(self, change: Change[Any]) -> bool:
        """Take a change back; false where somebody has made it or is at it."""
        with self._guard:
            if change not in self._waiting:
                return False
            self._waiting.remove(change)
            return True

    def make(self) -> None:
        """Make every change that waits, one after the other, and keep them in one step. The caller holds the lock."""
        with self._guard:
            taken, self._waiting = self._waiting, []
        try:
            for change, answer in self._made(taken):
                change.made.set_result(answer)
        except BaseException as error:
            for change in taken:
                if not change.made.done():
                    change.made.set_exception(error)
            if not isinstance(error, Exception):
                raise

    def _made(self, changes: list[Change[Any]]) -> list[tuple[Change[Any], Any]]:
        document = self._load()
        made: list[tuple[Change[Any], Any]] = []
        worth_it = False
        for change in changes:
            try:
                answer, changed = change.edit(document)
            except Exception as error:
                change.made.set_exception(error)
                document = self._again([each for each, _ in made])
            else:
                made.append((change, answer))
                worth_it |= changed
        if worth_it:
            self._keep(document)
        return made

    def _again(self, changes: list[Change[Any]]) -> Document:
        """The document with these changes, and with nothing of one that failed half-way."""
        document = self._load()
        for change in changes:
            change.edit(document)
        return document
