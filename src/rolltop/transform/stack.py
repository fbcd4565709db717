"""Room for recursion over deep programs and data."""

from __future__ import annotations

import sys

__all__ = ["DEPTH", "deep_stack"]

DEPTH = 7000
"""Frames. Calls between Python functions take no C stack, so this is far from the end of an 8 MB one."""


class _DeepStack:
    """Raises the limit once; it stays, because lowering it again could hit a thread that is deep."""

    __slots__ = ()

    def __enter__(self) -> None:
        if sys.getrecursionlimit() < DEPTH:
            sys.setrecursionlimit(DEPTH)

    def __exit__(self, *failure: object) -> None:
        return None


_DEEP_STACK = _DeepStack()


def deep_stack() -> _DeepStack:
    """Let a block recurse up to `DEPTH` frames: `with deep_stack(): …`."""
    return _DEEP_STACK
