"""Who descends from a process."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

__all__ = ["descendants"]


def descendants(pid: int) -> Iterator[int]:
    """Everything that the process started, and what that started, in all process namespaces below ours."""
    waiting = [pid]
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children") as children:
                    found = [int(number) for number in children.read().split()]
                waiting += found
                yield from found
