"""Files that the steps of a batch write: kept with the batch, or undone with it."""

from __future__ import annotations

import contextlib
from pathlib import Path

from rolltop.errors import RolltopError
from rolltop.files import Files, Target, Written

__all__ = ["Outputs"]


class Outputs:
    """What was written so far, in order."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._written: list[Written] = []

    def write(self, target: Target, data: bytes) -> Path:
        """Write a file of a step; `Conflict` when the target is not what it was."""
        written = self._files.write_for_now(target.place, data, expected=target)
        self._written.append(written)
        return written.place

    def mark(self) -> int:
        return len(self._written)

    def undo(self, mark: int = 0) -> None:
        """Undo what was written after a mark, the last first."""
        problems: list[RolltopError] = []
        while len(self._written) > mark:
            try:
                self._files.settle(self._written.pop(), keep=False)
            except RolltopError as error:
                problems.append(error)
        if problems:
            raise problems[0]

    def keep(self) -> None:
        """From now on nothing is undone."""
        while self._written:
            with contextlib.suppress(RolltopError):  # what was replaced is a hidden file then, and nothing is lost
                self._files.settle(self._written.pop(), keep=True)
