"""Where a result goes: standard output, or a file that appears under its name only when it is complete."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any, BinaryIO

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
    folder, name = os.path.split(path)
    part = path if direct else os.path.join(folder, f".{name}.{os.getpid()}.part")
    try:
        with _told(path):
            out = open(part, "wb", _BUFFER)  # noqa: SIM115 - closed below
        with closing(_Output(path, out)) as output:
            yield output.write
        if not direct:
            with _told(path):
                os.replace(part, path)
    finally:
        if not direct:
            with suppress(OSError):
                os.unlink(part)


class _Output:
    """An opened file whose troubles name the result; what else fails meanwhile has other reasons."""

    def __init__(self, path: str, out: BinaryIO) -> None:
        self._path, self._out = path, out

    def write(self, data: bytes) -> None:
        with _told(self._path):
            self._out.write(data)

    def close(self) -> None:
        with _told(self._path):
            self._out.close()


@contextmanager
def _told(path: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # whoever read it has gone
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}") from None
