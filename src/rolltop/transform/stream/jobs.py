"""One large input shared among processes: ranges go out, parts of the result come back in order."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

from rolltop.confine.kernel.process import die_with_parent
from rolltop.errors import ForeignFailure
from rolltop.transform.errors import EvaluationFailure
from rolltop.transform.program import Program
from rolltop.transform.stream.code import PieceCode
from rolltop.transform.stream.engine import sink_of, stream, without_collector
from rolltop.transform.stream.failures import Postponed
from rolltop.transform.stream.plan import Plan
from rolltop.transform.stream.shares import FAILURES, Range, Share, share_of
from rolltop.transform.stream.sinks import Sink
from rolltop.transform.stream.totals import Totals, Unfoldable

__all__ = ["can_share", "in_order", "stream_shared"]

_LOAD = 2
"""Items that a process has: one in work, and one so that it need not wait."""
_AHEAD = 3
"""Items for each process that are out, or done and waiting for one before them."""
Item = TypeVar("Item")


def in_order(work: Callable[[Item], Any], items: Iterator[Item], jobs: int) -> Generator[tuple[Item, Any], None, None]:
    """Every item and what the work makes of it; close the generator to end the processes early."""
    members = [_Member[Item](work) for _ in range(jobs)]
    try:
        yield from _results(members, items)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise ForeignFailure(
            "a process that worked on the input was ended from outside",
            hint="It may have had too little memory: try fewer with --jobs.",
        ) from None
    finally:
        for member in members:
            member.end()


def _results(members: list[_Member[Item]], items: Iterator[Item]) -> Iterator[tuple[Item, Any]]:
    out: deque[Item] = deque()
    done: dict[int, Any] = {}
    given = taken = 0
    while True:
        for member in members:
            while len(member.load) < _LOAD and len(out) < len(members) * _AHEAD:
                item = next(items, None)
                if item is None:
                    break
                member.give(given, item)
                out.append(item)
                given += 1
        if not out:
            return
        while taken not in done:
            done.update(member.result() for member in _ready(members))
        yield out.popleft(), done.pop(taken)
        taken += 1


def _ready(members: list[_Member[Item]]) -> list[_Member[Item]]:
    """Those of the busy ones that have a result, or have ended."""
    busy = {member.channel: member for member in members if member.load}
    return [busy[channel] for channel in wait(list(busy)) if isinstance(channel, Connection)]


class _Member(Generic[Item]):
    """One process."""

    def __init__(self, work: Callable[[Item], Any]) -> None:
        context = multiprocessing.get_context("fork")
        self.channel, theirs = context.Pipe()
        self.load: deque[int] = deque()
        """The numbers of the items that it has."""
        self._process = context.Process(target=_serve, args=(theirs, work, os.getpid()), daemon=True)
        with _uninterrupted():
            self._process.start()
        theirs.close()  # the end of the process is then the end of the channel

    def give(self, number: int, item: Item) -> None:
        self.channel.send(item)
        self.load.append(number)

    def result(self) -> tuple[int, Any]:
        found = self.channel.recv()
        return self.load.popleft(), found

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.channel.close()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """An interrupt comes later: a process is born without having heard of it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(channel: Connection, work: Callable[[Any], Any], parent: int) -> None:
    """The life of a process. An interrupt is for the parent, which ends us; we end with it in any case."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    die_with_parent(parent)
    try:
        while True:
            channel.send(work(channel.recv()))
    finally:
        os._exit(1)


_RANGE = 4 << 20
Parts = list[Any]
Advance = Callable[[int], Any]


def can_share(plan: Plan, path: str) -> bool:
    """Whether processes can work on ranges of this input at the same time."""
    recoded = plan.program.header.inputs[0].options.get("encoding") is not None
    return plan.possible and not recoded and path != "-" and Path(path).is_file()


def stream_shared(
    program: Program,
    plan: Plan,
    path: str,
    write: Callable[[bytes], Any],
    options: Mapping[str, Any],
    *,
    jobs: int,
    advance: Advance,
    size: int = _RANGE,
) -> None:
    """As `stream`, with so many processes (one is this one). Parts are written in the order of the input."""
    with open(path, "rb") as source:
        first = plan if plan.fold is not None else plan.first
        totals = None
        if first is not None:
            totals = _totals(program, share_of(first, source), source, jobs=jobs, advance=advance, size=size)
            source.seek(0)
        if first is not None and totals is None:
            stream(program, plan, source, write, options, again=lambda: _rewound(source))
        elif plan.fold is not None and totals is not None:
            totals.write(program, write, options)
        else:
            sink = sink_of(program, plan, write, options, totals)
            _records(program, share_of(plan, source), source, sink, jobs=jobs, advance=advance, size=size)


def _rewound(source: BinaryIO) -> BinaryIO:
    source.seek(0)
    return source


def _records(
    program: Program, share: Share, source: BinaryIO, sink: Sink, *, jobs: int, advance: Advance, size: int
) -> None:
    worker = _Worker(share, source.name, PieceCode(share.plan.program, program.source, sink))
    ranges = share.ranges(source, size)
    stopped = None
    while stopped is None and not sink.decided:
        # The first record decides how all others are written: so far this process works alone.
        piece = next(ranges, None)
        if piece is None:
            break
        stopped = _add(sink, piece, worker.parts(piece), advance)
    if stopped is None:
        with closing(worker.in_order(ranges, jobs)) as results:
            for piece, parts in results:
                stopped = _add(sink, piece, parts, advance)
                if stopped is not None:
                    break
    if stopped is not None:
        runner = Postponed(share.plan, program.source, sink)
        with without_collector(), program.writing():
            for part in share.rest(source, stopped.start, runner):
                sink.add(part)
            runner.finish()
    with program.writing():
        sink.close()


def _add(sink: Sink, piece: Range, parts: Parts | None, advance: Advance) -> Range | None:
    """Write the parts of a range; the range itself when it has none, because it did not work."""
    if parts is None:
        return piece
    for part in parts:
        sink.add(part)
    advance(piece.end - piece.start)
    return None


def _totals(
    program: Program, share: Share, source: BinaryIO, *, jobs: int, advance: Advance, size: int
) -> Totals | None:
    """The totals of a fold; None when not all ranges worked."""
    fold = share.plan.fold
    assert fold is not None
    totals = Totals(fold)
    worker = _Worker(share, source.name, PieceCode(fold.pieces, program.source))
    with closing(worker.in_order(share.ranges(source, size), jobs)) as results:
        for piece, parts in results:
            try:
                if parts is None:
                    return None
                totals.add(parts)
            except (EvaluationFailure, Unfoldable):
                return None
            advance(piece.end - piece.start)
    return totals


class _Worker:
    """What a worker process has: the input, and the code, which encodes what is written."""

    def __init__(self, share: Share, path: str, code: PieceCode) -> None:
        self._share = share
        self._path = path
        self._code = code

    def parts(self, piece: Range) -> Parts | None:
        """The parts of a range; None when anything is wrong with it."""
        try:
            with open(self._path, "rb", buffering=0) as source, without_collector():
                return list(self._share.work(source, piece, self._code))
        except FAILURES:
            return None

    def in_order(self, ranges: Iterator[Range], jobs: int) -> Generator[tuple[Range, Parts | None], None, None]:
        """What comes of every range."""
        if jobs > 1:
            return in_order(self.parts, ranges, jobs)
        return ((piece, self.parts(piece)) for piece in ranges)
