"""The part of the keyword index that lies on disk, and its replacement when it is damaged.

What has been learned and how far that goes are one commit, so a crash leaves an earlier state and nothing half. One
process writes at a time (`lock`); readers take no lock and see the last commit.

An index lies in `<store>-<format>.<n>`, the highest `n` counts. Nothing is deleted on suspicion: an index that could
not be read is checked file by file. Only if that finds damage is a new one built beside it, and only when the new one
is there, under the next number, is the old one removed. Meanwhile answers come from what is not on disk and say what
is missing.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rolltop.base.atomic_files import flush_directory
from rolltop.store.blobs.commit import FileLock
from rolltop.store.seams import TextChanges
from rolltop.store.text import fields
from rolltop.store.text.disk_index.generation import Generation, View, means_damage

__all__ = ["DiskIndex", "View", "means_damage"]

UNUSED = 30 * 86_400
"""Seconds after which the index of another format, which another release of rolltop may be using, is removed."""

Changes = Callable[[int], Iterable[TextChanges]]


class DiskIndex:
    """The index of one store in one format, in `directory`."""

    def __init__(self, directory: Path, store: str) -> None:
        self._all = directory
        self._name = f"{store[:16]}-{fields.FORMAT}"
        self._lock = FileLock(directory / "lock")
        self._making = FileLock(directory / "making.lock")
        self._guard = threading.Lock()
        self._current: Generation | None = None
        self._damaged: Path | None = None
        """The generation that was found to be damaged; what it holds is not asked any more."""

    # which one counts ----------------------------------------------------------------------------

    def _number(self, path: Path) -> int | None:
        """The number of a generation; None for another path."""
        name, dot, number = path.name.partition(".")
        if name != self._name or not path.is_dir():
            return None
        return 0 if not dot else int(number) if number.isdigit() else None

    def _latest(self) -> int:
        try:
            return max(
                (number for path in self._all.iterdir() if (number := self._number(path)) is not None), default=0
            )
        except FileNotFoundError:
            return 0

    def _path(self, number: int) -> Path:
        return self._all / (f"{self._name}.{number}" if number else self._name)

    def _generation(self) -> Generation:
        """The one that counts. Who replaces it removes it, so a look at its own files tells when it is another."""
        with self._guard:
            if self._current is None or not self._current.exists:
                path = self._path(self._latest())
                if self._current is None or self._current.path != path:
                    self._current = Generation(path, self._lock, self._making)
            return self._current

    # reading -------------------------------------------------------------------------------------

    def view(self) -> View:
        """The last committed state whose words are known; the empty one while a damaged index is replaced."""
        current = self._generation()
        if current.path == self._damaged:
            return current.empty_view
        try:
            return current.view()
        except BaseException as error:
            if not means_damage(error):
                raise
        if not self.doubt():
            return current.view()
        return current.empty_view

    def doubt(self) -> bool:
        """Check an index that could not be read; True if it is damaged and will be replaced."""
        current = self._generation()
        if current.path == self._damaged:
            return True
        if current.damage():
            self._damaged = current.path
            current.close()
            return True
        current.reopen()
        return False

    # shared with other servers -------------------------------------------------------------------

    @property
    def name(self) -> str:
        return f"words-{fields.FORMAT}"

    def mark(self) -> int:
        return self.view().state.mark

    def near(self) -> Path:
        return self._generation().path

    def snapshot(self, target: Path) -> int | None:
        """Put the last commit into a directory; see `rolltop.store.replication.Part`."""
        with self._writing(wait=False) as mine:
            current = self._generation()
            return current.copy_to(target) if mine and current.path != self._damaged else None

    def adopt(self, source: Path) -> bool:
        """Make the files of a directory the next generation."""
        with self._writing(wait=False) as mine:
            if mine:
                self._install(source, self._generation())
            return mine

    # writing -------------------------------------------------------------------------------------

    def learn(self, changes: Changes, *, wait: bool = True) -> int | None:
        """Learn everything that `changes(mark)` brings; how many documents that were. None: another one is at it."""
        with self._writing(wait=wait) as mine:
            if not mine:
                return None
            current = self._generation()
            if current.path != self._damaged:
                try:
                    return current.learn(changes)
                except BaseException as error:
                    if not means_damage(error) or not self.doubt():
                        raise
            return self._replace(current, changes)

    def rebuild(self, changes: Changes) -> int:
        """Build the index again from all changes; the old one answers until the new one is there."""
        with self._writing():
            return self._replace(self._generation(), changes)

    def _replace(self, old: Generation, changes: Changes) -> int:
        self._remove_drafts()
        draft = Generation(self._all / f"{self._name}.draft", self._lock, self._making)
        learned = draft.learn(changes)
        draft.close()
        self._install(draft.path, old)
        return learned

    def _install(self, place: Path, old: Generation) -> None:
        """Let the index in a directory take the place of the present one."""
        place.rename(self._path(self._latest() + 1))
        flush_directory(self._all)
        with self._guard:
            self._current, self._damaged = None, None
        old.remove()

    @contextmanager
    def _writing(self, *, wait: bool = True) -> Iterator[bool]:
        self._all.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._lock.held() if wait else self._lock.tried() as mine:
            if mine is not False:
                self._tidy()
            yield mine is not False

    def _remove_drafts(self) -> None:
        shutil.rmtree(self._all / f"{self._name}.draft", ignore_errors=True)

    def _tidy(self) -> None:
        """Remove generations that were replaced, drafts of a process that died, and indexes that nobody uses."""
        latest = self._path(self._latest())
        for path in self._all.iterdir():
            if path.is_dir() and path != latest and (path.name.startswith(self._name) or _is_unused(path)):
                shutil.rmtree(path, ignore_errors=True)
        for suffix in ("", "-wal", "-shm"):  # an earlier kind of index
            self._all.with_name(f"text.db{suffix}").unlink(missing_ok=True)

    def clear(self) -> None:
        """Forget everything and leave no word of it on disk, in an index of another format neither."""
        with self._writing():
            current = self._generation()
            for path in self._all.iterdir():
                if path.is_dir() and path != current.path:
                    shutil.rmtree(path, ignore_errors=True)
            if current.path != self._damaged:
                try:
                    current.clear()
                except BaseException as error:
                    if not means_damage(error) or not self.doubt():
                        raise
            if current.path == self._damaged:
                self._replace(current, lambda _: ())

    def damage(self) -> list[str]:
        return self._generation().damage()

    def close(self) -> None:
        with self._guard:
            if self._current is not None:
                self._current.close()


def _is_unused(path: Path) -> bool:
    """True if nobody has written to the index in `path` for long."""
    with suppress(FileNotFoundError):
        newest = max(each.stat().st_mtime for each in (path, path / "meta.json") if each.exists())
        return time.time() - newest > UNUSED
    return False
