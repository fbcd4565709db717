"""Files that the steps of a batch write: kept with the batch, or undone with it."""

from __future__ import annotations

import contextlib
from pathlib import Path

from rolltop.errors import Conflict, RolltopError
from rolltop.files import Files, WritePlan, Written

__all__ = ["Outputs"]


class Outputs:
    """What was written so far, in order."""

    def __init__(self, files: Files, confirm: str) -> None:
        self._files = files
        self._confirm = confirm
        self._written: list[Written] = []

    def plan(self, path: str) -> WritePlan | None:
        """What writing would do, if the user has to agree to it."""
        try:
            plan = self._files.plan_write(path)
        except RolltopError:
            return None  # the step says what is wrong
        return plan if plan.effect is not None else None

    def write(self, path: str, data: bytes, *, overwrite: bool, plan: WritePlan | None = None) -> Path:
        """Write a file of a step."""
        try:
            written = self._files.write_for_now(path, data, overwrite=overwrite, plan=plan)
        except Conflict as error:
            hint = f'Choose another name, or if the user agrees, call again with confirm set to "{self._confirm}".'
            raise Conflict(error.message, hint=hint) from None
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
