"""Standard streams that whoever started us has closed, as some supervisors do.

A command that does not need one does not notice. One that does says so in a line. Their numbers are taken, too: the
next file that is opened would get one, and a child would read from it or write to it.
"""

from __future__ import annotations

import os
import sys
from typing import Any

__all__ = ["ClosedStream", "mind_closed_streams"]

_NAMES = ("stdin", "stdout", "stderr")


class ClosedStream:
    """Stands where Python has None."""

    closed = True

    def __init__(self, what: str) -> None:
        self._what = what

    def isatty(self) -> bool:
        return False

    def flush(self) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        from rolltop.errors import InvalidInput  # noqa: PLC0415 - seldom needed

        raise InvalidInput(
            f"standard {self._what} is closed, and this command needs it",
            hint="Connect it to a file, a pipe or /dev/null.",
        )


def mind_closed_streams() -> None:
    """Put something in the place of each standard stream that is closed."""
    for name in _NAMES:
        if getattr(sys, name) is not None:
            continue
        os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # takes the lowest free number: the one of the stream
        if name == "stderr":
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as we run
        else:
            setattr(sys, name, ClosedStream(name.removeprefix("std") + "put"))
