"""Room for recursion over deep programs and data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["DEPTH", "deep_stack"]

DEPTH = 7000
"""Frames. Calls between Python functions take no C stack, so this is far from the end of an 8 MB one."""


@contextmanager
def deep_stack() -> Iterator[None]:
    """Let the block recurse up to `DEPTH` frames; the limit is raised once and stays."""
    if sys.getrecursionlimit() < DEPTH:
        sys.setrecursionlimit(DEPTH)
    yield
