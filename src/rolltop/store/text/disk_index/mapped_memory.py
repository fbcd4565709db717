"""How much of the mapped files of an index has come into memory.

Searches look at places all over files that may be far larger than what a process should hold. Those pages are only
borrowed, and the kernel takes them back when it needs them, but until then they count as this process's memory. Opening
the index anew gives them back: what is looked at again comes from the kernel's own cache, not from disk.
"""

from __future__ import annotations

import os
import time
import weakref

__all__ = ["Mapped"]

MOST = 64 << 20
"""Bytes that may come into memory before they are given back."""

_AT_LEAST = 0.25
"""Seconds between two times: opening takes some milliseconds."""

_STATM = "/proc/self/statm"
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Mapped:
    """Watches the mapped memory of this process since an index was opened. Where that cannot be known, it is none."""

    def __init__(self) -> None:
        self._first: int | None = None
        self._next = 0.0
        try:
            self._file: int | None = os.open(_STATM, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._file = None
        else:
            weakref.finalize(self, os.close, self._file)

    def opened(self) -> None:
        """An index was opened just now; the one before it, if any, is about to be let go of."""
        self._first = None
        self._next = time.monotonic() + _AT_LEAST

    def is_much(self) -> bool:
        """Whether so much has come into memory since then that it should be given back."""
        if self._first is None:
            self._first = self._now()
        return time.monotonic() >= self._next and self._now() - self._first > MOST

    def _now(self) -> int:
        return 0 if self._file is None else int(os.pread(self._file, 256, 0).split()[2]) * _PAGE
