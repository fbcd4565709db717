"""Standard input and output belong to the protocol: taken before anything else can write to them.

After `claim_stdio`, file descriptor 1 is standard error and 0 is empty, for this process and every child:
a stray `print` in a tool or a library never reaches the wire. Imports nothing, so it can run first.
"""

from __future__ import annotations

import os
from typing import NamedTuple

__all__ = ["Wire", "claim_stdio"]


class Wire(NamedTuple):
    """Private descriptors of the two ends; not inherited by children."""

    reader: int
    writer: int
    parent: int
    """Who started us, as it was before anything was loaded: it may be gone by the time that we look again."""


def claim_stdio() -> Wire:
    """Move the wire to private descriptors and put harmless ones in its place."""
    _refuse_closed()
    wire = Wire(os.dup(0), os.dup(1), os.getppid())  # os.dup makes descriptors that children do not inherit
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return wire


def _refuse_closed() -> None:
    """A closed end is told before anything is opened: the next descriptor made would take its number."""
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
