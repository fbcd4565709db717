"""What every part of the library stands on: catalogue, blobs, the committer, the reader; and recovery at opening."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from rolltop.base.atomic_files import flush_directory, is_read_only
from rolltop.base.priority import serving_request
from rolltop.errors import Conflict, Damaged, InvalidInput, PermissionDenied
from rolltop.store.blobs.commit import Committer, FileLock
from rolltop.store.blobs.packs import PackDirectory
from rolltop.store.blobs.reader import Reader
from rolltop.store.blobs.recovery import Recovery, refuse_lost_catalogue
from rolltop.store.blobs.writer import Writer
from rolltop.store.catalog import SqliteCatalog
from rolltop.store.seams import BlobStore, Catalog

__all__ = ["Core", "Options"]

T = TypeVar("T")

DAY = 86_400 * 1_000_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of the store; the section `[store]` of the configuration.

    `background`: threads follow what is written (for a process that stays); else it is done when asked for.
    `mending`: for verify and repair: it is opened also where the catalogue does not belong to the packs.
    """

    undo_days: float = 7.0
    read_only: bool = False
    background: bool = False
    mending: bool = False
    model: str = "auto"
    """What search by meaning uses: auto (the best that is installed), wordllama, minilm, none, or a folder's path."""
    lock_seconds: float | None = 30.0
    """How long a writer waits for other processes before it fails; None: as long as it takes."""
    largest: int = 1 << 30
    """Bytes of the largest file that is stored; `largest_mb` in the settings."""

    @classmethod
    def from_section(cls, section: object, *, read_only: bool = False, background: bool = False) -> Options:
        """From `[store]`: `undo_days`, `model`, `lock_seconds`, `largest_mb`."""
        values = dict(section) if isinstance(section, dict) or hasattr(section, "keys") else {}  # type: ignore[call-overload]
        unknown = set(values) - {"undo_days", "model", "lock_seconds", "largest_mb"}
        if unknown:
            raise InvalidInput(f"the section store has unknown keys: {', '.join(sorted(unknown))}")
        model = values.get("model", "auto")
        if not isinstance(model, str) or not model:
            raise InvalidInput("store.model must be auto, the name of a model, none, or the path of a folder")
        try:
            days = float(values.get("undo_days", 7.0))
        except ValueError:
            raise InvalidInput("store.undo_days must be a number of days") from None
        try:
            wait = float(values.get("lock_seconds", 30.0))
            if not 0 <= wait < 1e6:
                raise ValueError
        except (ValueError, TypeError):
            raise InvalidInput("store.lock_seconds must be a number of seconds") from None
        try:
            largest = int(float(values.get("largest_mb", 1024)) * (1 << 20))
            if not 0 < largest < 1 << 50:
                raise ValueError
        except (ValueError, TypeError, OverflowError):
            raise InvalidInput("store.largest_mb must be a number of megabytes above 0") from None
        return cls(
            undo_days=days,
            read_only=read_only,
            background=background,
            model=model,
            lock_seconds=wait,
            largest=largest,
        )


class Core:
    """The opened store. Its parts are in the classes that build on it."""

    def __init__(
        self,
        directory: Path,
        options: Options | None = None,
        *,
        catalog: Catalog | None = None,
        blobs: BlobStore | None = None,
    ) -> None:
        self.directory = directory
        self.options = options or Options()
        self._frozen = is_read_only(directory)
        if self._frozen:
            self.options = replace(self.options, read_only=True)
        fresh = not (directory / "catalog.db").exists()
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.blobs: BlobStore = blobs or PackDirectory(directory / "packs")
        if catalog is None:
            refuse_lost_catalogue(directory / "catalog.db", self.blobs)
        self.catalog: Catalog = catalog or SqliteCatalog(directory / "catalog.db")
        self.lock = FileLock(directory / "writer.lock", self.options.lock_seconds)
        self.reading = FileLock(directory / "reading.lock")
        self.purging = FileLock(directory / "purging.lock")
        if fresh:
            # The new names have to survive a power loss too, not only what is in the files.
            flush_directory(directory)
            flush_directory(directory.parent)
        self._steady = threading.local()
        self.reader = Reader(self.catalog, self.blobs)
        self.committer = Committer(self.catalog, self.blobs, self.lock, self.reader.forget)
        self.recovery = Recovery(self.catalog, self.blobs, self.lock, self.reading)
        if not self.options.read_only:
            self._recover_at_opening()

    def _recover_at_opening(self) -> None:
        try:
            self.recover()
        except Damaged:
            if not self.options.mending:
                Core.close(self)
                raise

    def recover(self, *, decided: bool = False) -> list[str]:
        """Remove what a crash may have left: bytes that were never acknowledged. Says what it did; see `Recovery`."""
        return self.recovery.run(decided=decided)

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Many reads that see one state, however long they take: packs that others collect stay meanwhile."""
        with self.reading.shared(), self.catalog.snapshot():
            before, self._steady.here = self._is_steady, True
            try:
                yield
            finally:
                self._steady.here = before

    @property
    def _is_steady(self) -> bool:
        return getattr(self._steady, "here", False)

    def write(self, work: Callable[[Writer], T]) -> T:
        """Run work in a durable transaction, together with whatever else is waiting."""
        if self._frozen:
            raise PermissionDenied(
                f"{self.directory}: {os.strerror(errno.EROFS)}",
                hint="Copy the workspace to where it can be written, and use the copy with --workspace DIR.",
            )
        if self.options.read_only:
            raise PermissionDenied("the store is open for reading only", hint="Start rolltop without --read-only.")
        if self._is_steady and not self.committer.active:
            raise Conflict(
                "nothing can be written while this thread reads one state", hint="Write when the reading has ended."
            )
        if self.options.mending:
            self.recover()  # refused until it is decided what becomes of the bytes that nobody knows
        inside = self.committer.active
        with serving_request():  # else every statement waits for the interpreter while indexes follow
            result = self.committer.run(work)
        if self.options.background and not inside:
            self.written()
        return result

    def written(self) -> None:
        """Something was committed: for the parts that follow the catalogue in the background."""

    def close(self) -> None:
        self.blobs.close()
        self.catalog.close()
