"""Every word that the index on disk has, or has had: on disk too, in a few files that grow geometrically."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterable
from pathlib import Path

from rolltop.base.atomic_files import flush_directory, write_file
from rolltop.base.os_errors import is_transient_error
from rolltop.store.text.words.edit_distance import nearest
from rolltop.store.text.words.word_file import WordFile, write_words

__all__ = ["Vocabulary"]

_LIST = "words.json"
_DAMAGE = (ValueError, TypeError, KeyError, IndexError)
"""How it shows that a file is not what was written."""

_RATIO = 4
"""A file of words is merged with the next one unless it is so many times as large."""


class Vocabulary:
    """Words on disk. One process adds at a time (the caller sees to it); any number look words up."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._named_in = str(directory / _LIST)
        self._lock = threading.Lock()
        self._seen: tuple[int, int] | None = None
        self._files: tuple[WordFile, ...] = ()
        self._mark = 0

    @property
    def mark(self) -> int:
        """Up to which change of the catalogue every word is here."""
        self.files()
        return self._mark

    def files(self) -> tuple[WordFile, ...]:
        """The files as another process may just have written them; none where they are damaged, as if lost."""
        with self._lock:
            for _ in range(100):
                stamp = self._stamp()
                if stamp == self._seen:
                    break
                try:
                    self._files, self._mark = self._opened()
                except FileNotFoundError:
                    continue  # merged between the reading of the list and the opening: the list is newer now
                except _DAMAGE:
                    self._files, self._mark = (), 0
                self._seen = stamp
                break
            return self._files

    def _opened(self) -> tuple[tuple[WordFile, ...], int]:
        listed = json.loads((self._directory / _LIST).read_bytes())
        return tuple(WordFile(self._directory / name) for name in listed["files"]), int(listed["mark"])

    def _stamp(self) -> tuple[int, int] | None:
        try:
            status = os.stat(self._named_in)
        except FileNotFoundError:
            self._files, self._mark = (), 0
            return None
        return status.st_mtime_ns, status.st_ino

    @property
    def exists(self) -> bool:
        return (self._directory / _LIST).exists()

    def __len__(self) -> int:
        return sum(file.count for file in self.files())

    def variants(self, stem: str) -> list[str]:
        return [word for file in self.files() for word in file.variants(stem)]

    def near(self, word: str, similarity: float) -> list[tuple[str, float]]:
        """Every word at least so similar, the most similar first."""
        return nearest(word, [each for file in self.files() for each in file.candidates(word, similarity)], similarity)

    # writing -------------------------------------------------------------------------------------

    def add(self, words: Iterable[str], mark: int = 0) -> None:
        """Learn the words up to a change of the catalogue; they are on disk when this returns."""
        files = list(self.files())
        new = set(words)
        for file in files:
            new -= file.known(new)
        if not new and self.exists and mark <= self._mark:
            return
        self._directory.mkdir(parents=True, exist_ok=True)
        if new or not files:
            while files and files[-1].count < _RATIO * len(new):
                new.update(files.pop().words())
            number = max((int(path.stem) for path in self._directory.glob("*.words")), default=0) + 1
            path = self._directory / f"{number:08d}.words"
            write_words(path, new)
            flush_directory(self._directory)
            files.append(WordFile(path))
        self._list([file.path.name for file in files], max(mark, self._mark))

    def _list(self, names: list[str], mark: int) -> None:
        """Make these the files of the vocabulary, at once and for good."""
        write_file(self._directory / _LIST, json.dumps({"files": names, "mark": mark}).encode())
        for path in self._directory.glob("*.words"):
            if path.name not in names:
                path.unlink(missing_ok=True)

    def clear(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            (self._directory / _LIST).unlink()
        for path in self._directory.glob("*.words"):
            path.unlink(missing_ok=True)

    def damage(self) -> list[str]:
        try:
            files = self._opened()[0] if self.exists else ()
            return [f"the words in {file.path.name} are not what was written" for file in files if file.damaged()]
        except (OSError, *_DAMAGE) as error:
            if is_transient_error(error):
                raise
            return [f"the list of words cannot be read: {error}"]
