"""Where a result goes: standard output, or a file that appears under its name only when it is complete."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rolltop.errors import InvalidInput

__all__ = ["written_to"]


@contextmanager
def written_to(path: str | None) -> Iterator[Callable[[bytes], Any]]:
    """A function that writes; on a failure an earlier file of that name stays as it was."""
    if not path or path == "-":
        yield sys.stdout.buffer.write
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    if target.exists() and not target.is_file():
        # A device or a pipe is written as it comes.
        with target.open("wb") as out:
            yield out.write
        return
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as out:
            yield out.write
        part.replace(target)
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            part.unlink()
