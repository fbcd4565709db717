"""An index in one SQLite file, shared between servers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rolltop.store.sqlite.sidecar import Sidecar, alone

__all__ = ["SqlitePart"]


class SqlitePart:
    """A `Part`. Whoever follows the catalogue holds `lock`."""

    def __init__(self, name: str, path: Path, lock: Path, file: Callable[[], Sidecar]) -> None:
        self.name = name
        self._path = path
        self._lock = lock
        self._file = file

    def mark(self) -> int:
        return self._file().mark

    def near(self) -> Path:
        return self._path.parent

    def snapshot(self, target: Path) -> int | None:
        with alone(self._lock) as only:
            if not only:
                return None
            self._file().copy_to(target / self._path.name)
            return self._file().mark

    def adopt(self, source: Path) -> bool:
        with alone(self._lock) as only:
            if only:
                self._file().copy_from(source / self._path.name)
            return only

    def clear(self) -> None:
        self._file().start_again()
