"""Replace standard streams that the parent process closed, as some supervisors do.

A command that does not use the stream works; one that does gets a one-line error. The descriptor numbers 0 to 2 are
occupied too: otherwise the next file to be opened would get one, and a child process would read or write it.
"""

from __future__ import annotations

import os
import sys
from typing import Any

__all__ = ["ClosedStream", "mind_closed_streams"]

_NAMES = ("stdin", "stdout", "stderr")


class ClosedStream:
    """Takes the place of a closed stream, for which Python has None; any use raises `InvalidInput`."""

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
    """Replace each standard stream that is closed."""
    for name in _NAMES:
        if getattr(sys, name) is not None:
            continue
        os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # takes the lowest free number: the one of the stream
        if name == "stderr":
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as we run
        else:
            setattr(sys, name, ClosedStream(name.removeprefix("std") + "put"))
