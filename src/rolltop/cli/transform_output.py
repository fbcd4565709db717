"""Where a result goes: standard output, or a file that appears under its name only when it is complete."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, BinaryIO

from rolltop.base.atomic_files import atomic_file
from rolltop.errors import InvalidInput

__all__ = ["written_to"]

_BUFFER = 1 << 18
"""Bytes that are written at a time: results come in pieces of some ten thousand."""


@contextmanager
def written_to(path: str | None) -> Iterator[Callable[[bytes], Any]]:
    """A function that writes; on a failure an earlier file of that name stays as it was."""
    if not path or path == "-":
        yield sys.stdout.buffer.write
        sys.stdout.buffer.flush()
        return
    # A device or a pipe is written as it comes.
    direct = os.path.exists(path) and not os.path.isfile(path)
    with ExitStack() as stack:
        with _told(path):
            if direct:
                out = stack.enter_context(open(path, "wb", _BUFFER))
            else:
                out = stack.enter_context(atomic_file(path, mode=0o666, durable=False, buffering=_BUFFER))
        yield _Output(path, out).write
        with _told(path):
            stack.pop_all().close()


class _Output:
    """An opened file whose troubles name the result; what else fails meanwhile has other reasons."""

    def __init__(self, path: str, out: BinaryIO) -> None:
        self._path, self._out = path, out

    def write(self, data: bytes) -> None:
        with _told(self._path):
            self._out.write(data)


@contextmanager
def _told(path: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # whoever read it has gone
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}") from None
