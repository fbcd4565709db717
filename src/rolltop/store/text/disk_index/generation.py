"""One directory with a keyword index: a tantivy index, its vocabulary and the previews of its documents."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy

from rolltop.base.os_errors import ignoring_write_errors, is_transient_error, is_write_error
from rolltop.store.blobs.commit import FileLock
from rolltop.store.seams import TextChanges
from rolltop.store.text import fields
from rolltop.store.text.disk_index.checksums import damaged_files
from rolltop.store.text.disk_index.index_writer import State, Writing
from rolltop.store.text.disk_index.mapped_memory import Mapped
from rolltop.store.text.disk_index.overwrite_check import OverwriteCheck
from rolltop.store.text.disk_index.preview_file import HeadReader, damaged_heads
from rolltop.store.text.disk_index.preview_writer import HeadWriter
from rolltop.store.text.disk_index.segments import part_names, words_in, words_in_parts
from rolltop.store.text.disk_index.view_cache import Memory
from rolltop.store.text.words.vocabulary import Vocabulary

__all__ = ["Generation", "View", "means_damage"]

PATIENCE = 5.0
"""Seconds to wait for words that another process is about to write; it needs a tenth of a second."""

_TRIES = 5


def means_damage(error: BaseException) -> bool:
    """True if the error may come from an index that is not what was written.

    That is a suspicion, not a finding: `Generation.damage` decides. Where tantivy panics, it raises a BaseException.
    """
    if is_write_error(error) or is_transient_error(error):
        return False  # neither a full disk nor too many open files harm what is there
    return isinstance(error, (ValueError, OSError)) or type(error).__name__ == "PanicException"


@dataclass(frozen=True, slots=True)
class View:
    """One committed state of the index."""

    searcher: tantivy.Searcher
    heads: HeadReader
    files: OverwriteCheck
    vocabulary: Vocabulary
    state: State = field(default_factory=State)
    memory: Memory = field(default_factory=Memory)

    def frequency(self, field: str, word: str) -> int:
        """How many documents have the word in the field; asked again and again while a query is planned."""
        found = self.memory.frequencies.known((field, word))
        if found is None:
            found = self.memory.frequencies.keep((field, word), self.searcher.doc_freq(field, word))
        return found


class Generation:
    """The index in one directory. One process writes at a time: the caller holds `lock`. Readers take no lock."""

    def __init__(self, path: Path, lock: FileLock, making: FileLock) -> None:
        self.path = path
        self._meta = str(path / "meta.json")
        self._lock = lock
        self._making = making
        self._guard = threading.Lock()
        self._index: tantivy.Index | None = None
        self._stamp: tuple[int, int] | None = None
        self._view: View | None = None
        self._heads = path / "heads"
        self._mapped = Mapped()
        self._writing = False
        self._vocabulary = Vocabulary(path / "words")
        self._borrowed: TemporaryDirectory[str] | None = None

    @property
    def exists(self) -> bool:
        return os.path.exists(self._meta)

    # reading -------------------------------------------------------------------------------------

    def view(self) -> View:
        """The last committed state whose words are known, whoever committed it."""
        with self._guard:
            stamp = self._stamped()
            if self._view is None or stamp != self._stamp:
                view = self._readable()
                if view.state.mark <= self._vocabulary.mark:
                    self._view, self._stamp = view, stamp
                elif self._view is None:
                    self._view = self._with_words(view)
            elif not self._writing and self._mapped.is_much():
                self._view = self._given_back(self._view)
            return self._view

    @cached_property
    def empty_view(self) -> View:
        """The state of an index that holds nothing."""
        nowhere = self.path / "nowhere"
        return View(fields.nothing().searcher(), HeadReader(nowhere), OverwriteCheck(nowhere), Vocabulary(nowhere))

    def _readable(self) -> View:
        """The last commit; the empty state where there is no index and none can be made."""
        try:
            return self._opened()
        except BaseException as error:
            self._index = None
            if not is_write_error(error):
                raise
            return self.empty_view

    def _given_back(self, view: View) -> View:
        """The same state in an index that was opened anew, with nothing of it in memory; the words are known still."""
        self._index = None
        again = self._opened()
        if again.state == view.state:
            return replace(again, files=view.files, memory=view.memory, vocabulary=view.vocabulary)
        self._index, self._stamp = None, None  # another process has just committed: the next look takes that in
        return view

    def _with_words(self, view: View) -> View:
        """A state whose words another process is about to write, or did not before it died.

        Only who holds the lock writes them. Where that takes too long, this process makes a list of its own.
        """
        until = time.monotonic() + PATIENCE
        while view.state.mark > self._vocabulary.mark:
            with self._lock.tried() as mine, ignoring_write_errors() as refused:
                if mine:
                    self._learn_words(view.state.mark)
                    return view
            if refused or time.monotonic() > until:
                return replace(view, vocabulary=self._own_words(view.state.mark))
            time.sleep(0.01)
        return view

    def _own_words(self, mark: int) -> Vocabulary:
        assert self._index is not None
        self._borrowed = self._borrowed or TemporaryDirectory(prefix="rolltop-words-")
        words = Vocabulary(Path(self._borrowed.name))
        with ignoring_write_errors() as refused:
            words.add(words_in(self._index), mark)
        return self._vocabulary if refused else words  # without room for them, words are found that are known

    def _learn_words(self, mark: int) -> None:
        """The words of the whole index, where it is not known which are missing."""
        assert self._index is not None
        self._vocabulary.add(words_in(self._index), mark)

    def _stamped(self) -> tuple[int, int] | None:
        try:
            status = os.stat(self._meta)
        except FileNotFoundError:
            self._index = None
            return None
        return status.st_mtime_ns, status.st_ino

    def _opened(self) -> View:
        for _ in range(_TRIES):
            index = self._index or self._open()
            before = self._segments()
            try:
                index.reload()
                searcher = index.searcher()
            except BaseException as error:
                # Merged by another process between reading the list of segments and opening them, or damaged.
                if not means_damage(error) or self._segments() == before:
                    raise
                self._index = None
                continue
            # A segment that is there before and after is in what was opened: a name never comes back.
            named = before & self._segments()
            files = OverwriteCheck(self.path, [name.replace("-", "") for name in named])
            self._index = index
            return View(searcher, HeadReader(self._heads), files, self._vocabulary, _state_of(searcher))
        raise ValueError("the index changes faster than it can be opened")

    def _segments(self) -> set[str]:
        try:
            return part_names(self.path)
        except FileNotFoundError:
            return set()  # an index in a place that cannot be written was made elsewhere

    def _open(self) -> tantivy.Index:
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self.exists:
            index = fields.reopened(str(self.path))
        else:
            with self._making.held():
                index = fields.reopened(str(self.path))
        index.config_reader("manual")
        self._mapped.opened()
        return index

    # writing -------------------------------------------------------------------------------------

    def learn(self, changes: Callable[[int], Iterable[TextChanges]]) -> int:
        """Learn everything that `changes(mark)` brings; how many documents that were. The caller holds the lock."""
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        state = self._last_state()
        assert self._index is not None
        heads = HeadWriter(self._heads, expected=state.mark > 0)
        self._writing = True  # a writer keeps its index open
        try:
            with Writing.on(self._index, heads, self._taking_words(), state) as writing:
                for each in changes(state.mark):
                    writing.put(each)
        finally:
            self._writing = False
        return writing.learned

    def _last_state(self) -> State:
        """The last commit, for the process that has the lock: nobody else can be about to write its words."""
        with self._guard:
            self._stamp = self._stamped()
            self._view = self._opened()
            if self._view.state.mark > self._vocabulary.mark:
                self._learn_words(self._view.state.mark)
            return self._view.state

    def _taking_words(self) -> Callable[[int], None]:
        """Adds the words of one commit after the other to the vocabulary."""
        known = part_names(self.path)

        def take(mark: int) -> None:
            nonlocal known
            now = part_names(self.path)
            words = words_in_parts(self.path, known)
            if words is None:
                self._learn_words(mark)
            else:
                self._vocabulary.add(words, mark)
            known = now

        return take

    def clear(self) -> None:
        """Forget everything and leave no word of it on disk. The caller holds the lock."""
        self._last_state()
        assert self._index is not None
        Writing.wipe(self._index)
        HeadWriter(self._heads).clear()
        self._vocabulary.clear()

    # copies --------------------------------------------------------------------------------------

    def copy_to(self, target: Path) -> int:
        """Put the files of the last commit into a directory: the mark they go up to. The caller holds the lock."""
        state = self._last_state()
        parts = {name.replace("-", "") for name in part_names(self.path)}
        for path in sorted(self.path.iterdir()):
            if path.is_file() and path.name.partition(".")[0] in parts:
                os.link(path, target / path.name)
        for name in ("meta.json", ".managed.json"):
            shutil.copyfile(self.path / name, target / name)
        for path in (*self.path.glob("words/*"), *self.path.glob("heads/*")):
            copied = target / path.relative_to(self.path)
            copied.parent.mkdir(exist_ok=True)
            copy = os.link if path.suffix in (".words", ".heads") else shutil.copyfile
            copy(path, copied)
        return state.mark

    # care ----------------------------------------------------------------------------------------

    def damage(self) -> list[str]:
        """What differs from what was written: every file of the last commit is read and its checksum compared."""
        heads = damaged_heads(self._heads) if self._vocabulary.exists else []
        return [*damaged_files(self.path), *heads, *self._vocabulary.damage()]

    def remove(self) -> None:
        self.close()
        shutil.rmtree(self.path, ignore_errors=True)

    def reopen(self) -> None:
        """Drop what is open; the next look opens the last commit."""
        with self._guard:
            self._index = self._view = self._stamp = None
            if self._borrowed is not None:
                self._borrowed.cleanup()
                self._borrowed = None

    close = reopen


def _state_of(searcher: tantivy.Searcher) -> State:
    found = searcher.search(tantivy.Query.term_query(fields.schema(), "what", "state"), 1, count=False).hits
    if not found:
        return State()
    return State(**json.loads(searcher.doc(found[0][1])["state"][0]))
