"""Where the row of a key lies, kept in memory and followed as rows are added."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["RowKeys"]


class RowKeys:
    """Keys in order with their rows. Rows may be struck out meanwhile: whoever asks looks at the row's key again."""

    def __init__(self, gone: int) -> None:
        self._gone = gone
        self._followed = 0
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._rows: NDArray[np.intp] = np.empty(0, np.intp)

    def follow(self, column: NDArray[np.int64]) -> None:
        """Learn the rows that were added to the column of keys."""
        if self._followed < len(column):
            keys, rows = self._live(column, self._followed)
            joined = np.concatenate([self._keys, keys])
            if (np.diff(joined) > 0).all():  # as a rule: keys are counted up
                self._keys, self._rows = joined, np.concatenate([self._rows, rows])
            else:
                keys, rows = self._live(column, 0)
                order = np.argsort(keys, kind="stable")
                self._keys, self._rows = keys[order], rows[order]
            self._followed = len(column)

    def _live(self, column: NDArray[np.int64], start: int) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        keys = np.array(column[start:])
        live = np.flatnonzero(keys != self._gone)
        return keys[live], live + start

    def rows(self, keys: NDArray[np.int64]) -> NDArray[np.intp]:
        """The row of each key; 0 where there is none."""
        if not len(self._keys):
            return np.zeros(len(keys), np.intp)
        return self._rows[np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)]
