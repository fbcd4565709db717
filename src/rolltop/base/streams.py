"""Standard streams: replace those that the parent closed, and reserve stdin and stdout for the protocol.

`replace_closed_streams`: some supervisors close streams. A command that does not use the stream works; one that does
fails with a one-line error. The descriptors 0 to 2 are occupied too: otherwise the next opened file would get one of
these numbers, and child processes would use it.

`claim_stdio`: a stdio server takes the wire before anything else can write to it. Afterwards descriptor 1 is standard
error and 0 is empty, for this process and every child, so that a stray `print` never reaches the client.

Imports nothing heavy, because both run first.
"""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

__all__ = ["ClosedStream", "Wire", "claim_stdio", "replace_closed_streams"]


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


def replace_closed_streams() -> None:
    """Replace each standard stream that is closed."""
    for name in _NAMES:
        if getattr(sys, name) is not None:
            continue
        os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # takes the lowest free number: the one of the stream
        if name == "stderr":
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as we run
        else:
            setattr(sys, name, ClosedStream(name.removeprefix("std") + "put"))


class Wire(NamedTuple):
    """Private descriptors of stdin and stdout, not inherited by children."""

    reader: int
    writer: int
    parent: int
    """The parent process, read before anything is loaded: it may end soon after."""


def claim_stdio() -> Wire:
    """Move stdin and stdout to private descriptors and replace them."""
    _refuse_closed()
    wire = Wire(os.dup(0), os.dup(1), os.getppid())  # os.dup makes descriptors that children do not inherit
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return wire


def _refuse_closed() -> None:
    """Refuse closed streams before anything is opened, because the next descriptor would take their number."""
    for number, end in enumerate(("input", "output")):
        if not _is_open(number):
            from rolltop.errors import InvalidInput  # noqa: PLC0415 - seldom needed

            raise InvalidInput(
                f"standard {end} is closed, and the server speaks with its client over it",
                hint="Let a client start it (rolltop connect), or listen with rolltop serve --http.",
            )
    if not _is_open(2):
        os.open(os.devnull, os.O_WRONLY)  # takes the lowest free number: this one


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
