"""Stream large inputs of `rolltop transform run`, with a progress bar and optionally several processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rolltop.cli.transform.job import blamed_on

if TYPE_CHECKING:
    from rolltop.transform import Program
    from rolltop.transform.stream import Plan

__all__ = ["Unfinished", "progress_of", "stream_input"]

LARGE = 4 << 20
"""Inputs of at least this many bytes are streamed if their program allows it."""


class Unfinished(Exception):
    """The input has to be read as a whole; `data` is all of it if it cannot be read again."""

    def __init__(self, data: bytes | None = None) -> None:
        super().__init__()
        self.data = data


def stream_input(
    program: Program,
    path: str,
    write: Callable[[bytes], Any],
    options: Mapping[str, Any],
    *,
    jobs: int,
    wanted: bool | None,
) -> None:
    """Run the program on pieces of the input, or raise `Unfinished` before anything is written."""
    if wanted is False or program.asks_for_places or not _is_large(path, wanted):
        raise Unfinished
    begun = b"" if wanted else _begun(path)
    # Only now: most inputs are small, and a command that is over at once should start at once.
    from rolltop.transform.stream import NotStreamed, plan_of, stream

    plan = plan_of(program.parsed.program)
    obstacle = plan.obstacle
    if plan.first is not None and _size_of(path) is None:
        obstacle = "totals beside records need two readings, so a file"
    if obstacle is not None:
        _complain(obstacle, wanted)
        raise Unfinished(begun + sys.stdin.buffer.read() if begun else None)
    with _opened(path, begun) as source:
        try:
            if jobs < 2 or not _shared(program, plan, path, write, options, jobs=jobs):
                with progress_of(_size_of(path), readings=2 if plan.first else 1) as advance:
                    watched = _Watched(source, advance)
                    stream(program, plan, watched, write, options, again=watched.rewound)
        except NotStreamed as reason:
            if path != "-":
                raise Unfinished from None
            seen = source.seen if reason.seen is None else reason.seen
            if seen is None:
                # Standard input is used up: what went wrong is all that can be said.
                raise (reason.failure or _used_up()) from None
            raise Unfinished(seen + source.read()) from None


def _shared(
    program: Program, plan: Plan, path: str, write: Callable[[bytes], Any], options: Mapping[str, Any], *, jobs: int
) -> bool:
    """Run with several processes; False when they cannot share this input."""
    from rolltop.transform.stream.jobs import can_share, stream_shared

    if not can_share(plan, path):
        return False
    with progress_of(_size_of(path), readings=2 if plan.first else 1) as advance:
        stream_shared(program, plan, path, write, options, jobs=jobs, advance=advance)
    return True


def _begun(path: str) -> bytes:
    """Read the first part of standard input; raise `Unfinished` if that is all of it."""
    if path != "-":
        return b""
    begun = sys.stdin.buffer.read(LARGE)
    if len(begun) < LARGE:
        raise Unfinished(begun)
    return begun


def _is_large(path: str, wanted: bool | None) -> bool:
    size = _size_of(path)
    return bool(wanted) or size is None or size >= LARGE


def _size_of(path: str) -> int | None:
    """The size of a regular file; None for other sources."""
    return os.path.getsize(path) if path != "-" and os.path.isfile(path) else None


def _complain(obstacle: str, wanted: bool | None) -> None:
    if wanted:
        from rolltop.errors import InvalidInput

        raise InvalidInput(
            f"the program cannot run piece by piece: {obstacle}", hint="rolltop transform explain says more."
        )


@contextmanager
def _opened(path: str, begun: bytes) -> Iterator[Any]:
    if path == "-":
        yield _Begun(begun, sys.stdin.buffer)
        return
    with blamed_on(path):
        source = open(path, "rb", buffering=0)  # noqa: SIM115 - closed below
    with source:
        yield source


def _used_up() -> Exception:
    from rolltop.errors import InvalidInput

    return InvalidInput(
        "standard input is not what can be run piece by piece, and cannot be read again",
        hint="Give it as a file, or use --no-stream.",
    )


class _Begun:
    """A source whose first part was read already. It remembers all of a short one, to start again."""

    def __init__(self, begun: bytes, rest: Any) -> None:
        self._begun, self._rest = begun, rest
        self._read: list[bytes] | None = []
        self._size = 0

    @property
    def seen(self) -> bytes | None:
        """All that was read; None if it was too much to remember."""
        return None if self._read is None else b"".join(self._read)

    def read(self, size: int = -1, /) -> bytes:
        block = self._next(size)
        if self._read is not None:
            self._size += len(block)
            if self._size > LARGE:
                self._read = None
            else:
                self._read.append(block)
        return block

    def _next(self, size: int) -> bytes:
        if not self._begun:
            return self._rest.read(size)  # type: ignore[no-any-return]
        if size < 0:
            block, self._begun = self._begun, b""
            return block + bytes(self._rest.read())
        block, self._begun = self._begun[:size], self._begun[size:]
        return block


class _Watched:
    """A source that reports how many bytes were read."""

    def __init__(self, source: Any, advance: Callable[[int], Any]) -> None:
        self._source = source
        self._advance = advance

    def read(self, size: int = -1, /) -> bytes:
        block: bytes = self._source.read(size) or b""
        self._advance(len(block))
        return block

    def fileno(self) -> int:
        return int(self._source.fileno())

    def tell(self) -> int:
        return int(self._source.tell())

    def rewound(self) -> _Watched:
        self._source.seek(0)
        return self


@contextmanager
def progress_of(total: int | None, *, readings: int = 1) -> Iterator[Callable[[int], Any]]:
    """A bar with the rate on a terminal's standard error; nothing elsewhere."""
    if not sys.stderr.isatty() or not _shows_progress():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total and total * readings)
        yield lambda count: bar.advance(task, count)


def _shows_progress() -> bool:
    from rolltop.cli.output import shows_progress  # only a terminal waits for click

    return shows_progress()
