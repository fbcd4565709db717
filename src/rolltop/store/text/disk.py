"""The part of the keyword index that lies on disk: one tantivy index and its vocabulary, written in large steps.

What has been learned and how far that goes are one commit, so a crash leaves an earlier state and nothing half. One
process writes at a time (`lock`); readers take no lock and see the last commit.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import tantivy

from rolltop.base.os_errors import ignoring_write_errors, is_write_error
from rolltop.store.commit import FileLock
from rolltop.store.seams import TextChanges
from rolltop.store.text import fields
from rolltop.store.text.checksums import damaged_files
from rolltop.store.text.headfile import HeadReader, damaged_heads
from rolltop.store.text.headwriter import HeadWriter
from rolltop.store.text.mapped import Mapped
from rolltop.store.text.memory import Memory
from rolltop.store.text.parts import part_names, words_in, words_in_parts
from rolltop.store.text.unchanged import Unchanged
from rolltop.store.text.vocabulary import Vocabulary
from rolltop.store.text.writing import State, Writing

__all__ = ["DiskIndex", "View", "means_damage"]

PATIENCE = 5.0
"""Seconds to wait for words that another process is about to write; they take it a tenth of one."""


def means_damage(error: BaseException) -> bool:
    """Whether the index on disk is not what was written. Where it is surprised, tantivy raises what is no Exception."""
    if is_write_error(error):
        return False  # a full disk harms nothing that is there
    return isinstance(error, (ValueError, OSError)) or type(error).__name__ == "PanicException"


@dataclass(frozen=True, slots=True)
class View:
    """One committed state of the index."""

    searcher: tantivy.Searcher
    heads: HeadReader
    files: Unchanged
    state: State = field(default_factory=State)
    memory: Memory = field(default_factory=Memory)

    def frequency(self, field: str, word: str) -> int:
        """How many documents have the word in the field; asked again and again while a query is planned."""
        found = self.memory.frequencies.known((field, word))
        if found is None:
            found = self.memory.frequencies.keep((field, word), self.searcher.doc_freq(field, word))
        return found


class DiskIndex:
    """An index in `directory/<store>-<format>`; what lies beside it is from another time and is removed."""

    def __init__(self, directory: Path, store: str) -> None:
        self._all = directory
        self._path = directory / f"{store[:16]}-{fields.FORMAT}"
        self._meta = str(self._path / "meta.json")
        self._lock = FileLock(directory / "lock")
        self._making = FileLock(directory / "making.lock")
        self._guard = threading.Lock()
        self._index: tantivy.Index | None = None
        self._stamp: tuple[int, int] | None = None
        self._view: View | None = None
        self._heads = self._path / "heads"
        self._mapped = Mapped()
        self._writing = False
        self.vocabulary = Vocabulary(self._path / "words")

    # reading -------------------------------------------------------------------------------------

    def view(self) -> View:
        """The last committed state whose words are known, whoever committed it."""
        with self._guard:
            stamp = self._stamped()
            if self._view is None or stamp != self._stamp:
                view = self._readable()
                if view.state.mark <= self.vocabulary.mark:
                    self._view, self._stamp = view, stamp
                elif self._view is None:
                    self._view = self._with_words(view)
            elif not self._writing and self._mapped.is_much():
                self._view = self._given_back(self._view)
            return self._view

    def _readable(self) -> View:
        """The last commit; none where there is no index and none can be made."""
        try:
            return self._read()
        except BaseException as error:
            if not is_write_error(error):
                raise
            self._index = None
            return View(fields.nothing().searcher(), HeadReader(self._heads), Unchanged.of_nothing())

    def _given_back(self, view: View) -> View:
        """The same state in an index that was opened anew, with nothing of it in memory; the words are known still."""
        self._index = None
        again = self._read()
        if again.state == view.state:
            return replace(again, files=view.files, memory=view.memory)
        self._index, self._stamp = None, None  # another process has just committed: the next look takes that in
        return view

    def _with_words(self, view: View) -> View:
        """A state whose words are just being written, or were not before a process died."""
        until = time.monotonic() + PATIENCE
        while view.state.mark > self.vocabulary.mark:
            with self._lock.tried() as mine:
                if mine or time.monotonic() > until:
                    with ignoring_write_errors():  # without room for them, words are found that are known
                        self._learn_words(view.state.mark)
                    break
            time.sleep(0.01)
        return view

    def _learn_words(self, mark: int) -> None:
        """The words of the whole index, where it is not known which are missing."""
        assert self._index is not None
        self.vocabulary.add(words_in(self._index), mark)

    def _stamped(self) -> tuple[int, int] | None:
        try:
            status = os.stat(self._meta)
        except FileNotFoundError:
            self._index = None
            return None
        return status.st_mtime_ns, status.st_ino

    def _read(self) -> View:
        """The last commit. An index that cannot be opened is begun again: what it held is in the catalogue."""
        for again in (self._forget, self._start_again):
            try:
                return self._opened()
            except BaseException as error:
                if not means_damage(error):
                    raise
            again()  # made anew by another process, or damaged
        return self._opened()

    def _forget(self) -> None:
        self._index = None

    def _opened(self) -> View:
        if self._index is None:
            self._path.mkdir(parents=True, exist_ok=True, mode=0o700)
            if (self._path / "meta.json").exists():
                self._index = fields.reopened(str(self._path))
            else:
                with self._making.held():
                    self._index = fields.reopened(str(self._path))
            self._index.config_reader("manual")
            self._mapped.opened()
        self._index.reload()
        searcher = self._index.searcher()
        return View(searcher, HeadReader(self._heads), Unchanged(self._path), _state_of(searcher))

    # writing -------------------------------------------------------------------------------------

    def learn(self, changes: Callable[[int], Iterable[TextChanges]], *, wait: bool = True) -> int | None:
        """Learn everything that `changes(mark)` brings; how many documents that were. None: another one is at it."""
        self._all.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._lock.held() if wait else self._lock.tried() as mine:
            if mine is False:
                return None
            self._path.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._tidy()
            state = self._own().state
            assert self._index is not None
            heads = HeadWriter(self._heads, expected=state.mark > 0)
            self._writing = True  # a writer keeps the index open that it is of
            try:
                with Writing.on(self._index, heads, self._taking_words(), state) as writing:
                    for each in changes(state.mark):
                        writing.put(each)
            finally:
                self._writing = False
            return writing.learned

    def _own(self) -> View:
        """The last committed state, for the process that has the lock: nobody else can be about to write its words."""
        with self._guard:
            self._stamp = self._stamped()
            self._view = self._read()
            if self._view.state.mark > self.vocabulary.mark:
                self._learn_words(self._view.state.mark)
            return self._view

    def _taking_words(self) -> Callable[[int], None]:
        """Takes the words of one commit after the other into the vocabulary."""
        known = part_names(self._path)

        def take(mark: int) -> None:
            nonlocal known
            now = part_names(self._path)
            words = words_in_parts(self._path, known)
            if words is None:
                self._learn_words(mark)
            else:
                self.vocabulary.add(words, mark)
            known = now

        return take

    def _tidy(self) -> None:
        """Remove indexes of another store or format, and what an earlier kind of index left."""
        for path in self._all.iterdir():
            if path.is_dir() and path != self._path:
                shutil.rmtree(path, ignore_errors=True)
        for suffix in ("", "-wal", "-shm"):
            self._all.with_name(f"text.db{suffix}").unlink(missing_ok=True)

    def clear(self) -> None:
        """Forget everything and leave no word of it on disk."""
        self._all.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._lock.held():
            self._own()
            assert self._index is not None
            Writing.wipe(self._index)
            HeadWriter(self._heads).clear()
            self.vocabulary.clear()

    def rebuild(self) -> None:
        """Start from nothing."""
        self._all.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._lock.held(), self._guard:
            self._start_again()

    def _start_again(self) -> None:
        shutil.rmtree(self._path, ignore_errors=True)
        self._index = self._view = self._stamp = None

    def damage(self) -> list[str]:
        heads = damaged_heads(self._heads) if self.vocabulary.exists else []
        return [*damaged_files(self._path), *heads, *self.vocabulary.damage()]

    def close(self) -> None:
        with self._guard:
            self._index = self._view = self._stamp = None


def _state_of(searcher: tantivy.Searcher) -> State:
    found = searcher.search(tantivy.Query.term_query(fields.schema(), "what", "state"), 1, count=False).hits
    if not found:
        return State()
    return State(**json.loads(searcher.doc(found[0][1])["state"][0]))
