"""One large input shared among processes: ranges of it go out, encoded parts come back in order.

Ranges of JSON lines end at line breaks. Ranges of a JSON array end at guesses (`cutting` tells why they can be
proved): a range that does not parse was cut wrongly, or is broken, and from its start on this process goes on alone.
"""

from __future__ import annotations

import io
import multiprocessing
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from rolltop.errors import RolltopError
from rolltop.transform.program import Program
from rolltop.transform.stream.code import NotJson, PieceCode
from rolltop.transform.stream.cutting import ArrayPieces, cut_pattern
from rolltop.transform.stream.engine import PIECE, NotStreamed, without_collector
from rolltop.transform.stream.lines import Lines, line_pieces
from rolltop.transform.stream.plan import Plan
from rolltop.transform.stream.postponed import Postponed
from rolltop.transform.stream.sinks import Sink, sink_for

__all__ = ["can_share", "stream_shared"]

_RANGE = 4 << 20
_AHEAD = 3
"""Ranges in work for each process."""
_OPENING = re.compile(rb"[ \t\r\n]*\[")


@dataclass(frozen=True, slots=True)
class Range:
    """Bytes of the file that hold whole records."""

    start: int
    end: int
    number: int
    """1 for the first of the file, where a byte order mark may be."""


def can_share(plan: Plan, path: str) -> bool:
    """Whether processes can work on ranges of this input at the same time."""
    port = plan.program.header.inputs[0]
    target = plan.program.header.outputs[0].format
    records = plan.fold is None and not plan.path and port.format in ("json", "jsonl") and target in ("json", "jsonl")
    return records and path != "-" and Path(path).is_file()


def stream_shared(
    program: Program,
    plan: Plan,
    path: str,
    write: Callable[[bytes], Any],
    options: Mapping[str, Any],
    *,
    jobs: int,
    advance: Callable[[int], Any],
    size: int = _RANGE,
) -> None:
    """As `stream`, with so many processes. The parts are written in the order of the input."""
    sink = sink_for(program.header.outputs[0].format, write, options)
    with open(path, "rb") as source:
        ranges = _ranges(source, program.header.inputs[0].format, size)
        context = multiprocessing.get_context("fork")  # the compiled program goes along
        _Worker.current = _Worker(program, path, sink)
        with ProcessPoolExecutor(jobs, mp_context=context) as pool:
            try:
                stopped = _collect(pool, ranges, sink, jobs, advance)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
        if stopped is None:
            sink.close()
        else:
            source.seek(0)
            _go_on(program, plan, source, stopped.start, sink)


def _collect(
    pool: ProcessPoolExecutor, ranges: Iterator[Range], sink: Sink, jobs: int, advance: Callable[[int], Any]
) -> Range | None:
    """Write the parts in order; the first range that did not work, or None."""
    waiting: deque[tuple[Range, Future[bytes | None]]] = deque()
    more = True
    while more or waiting:
        piece = next(ranges, None)
        more = piece is not None
        if piece is not None:
            waiting.append((piece, pool.submit(_work, piece)))
        if waiting and (not more or len(waiting) > jobs * _AHEAD):
            first, future = waiting.popleft()
            part = future.result()
            if part is None:
                return first
            sink.add(part)
            advance(first.end - first.start)
    return None


def _go_on(program: Program, plan: Plan, source: BinaryIO, start: int, sink: Sink) -> None:
    """The rest in this process, which finds out what is wrong and where; all before it is proved and written."""
    runner = Postponed(plan, program.source, sink)
    if program.header.inputs[0].format == "jsonl":
        first = 1 + sum(source.read(size).count(b"\n") for size in _blocks(start))
        pieces = line_pieces(source.read, runner.of_lines, PIECE, first=first)
    else:
        pieces = ArrayPieces(source.read, skip=start).run(runner.of_json)
    for part in pieces:
        sink.add(part)
    runner.finish()
    sink.close()


def _blocks(total: int) -> Iterator[int]:
    for at in range(0, total, PIECE):
        yield min(PIECE, total - at)


class _Worker:
    """What a worker process has: the code, and the sink that encodes."""

    current: _Worker

    def __init__(self, program: Program, path: str, sink: Sink) -> None:
        self.code = PieceCode(program.parsed.program, program.source, sink)
        self.lines = program.header.inputs[0].format == "jsonl"
        self.path = path


def _work(piece: Range) -> bytes | None:
    """The encoded records of a range; None when anything is wrong with it."""
    worker = _Worker.current
    with open(worker.path, "rb") as source:
        source.seek(piece.start)
        block = source.read(piece.end - piece.start)
    try:
        with without_collector():
            if worker.lines:
                return worker.code.of_lines(Lines(block, piece.number))  # type: ignore[no-any-return]
            if not block.strip():
                return None  # between two commas this would pass for an empty array
            return worker.code.of_json(b"[%b]" % block)  # type: ignore[no-any-return]
    except (RolltopError, NotJson):
        return None


# ---- where the ranges are -------------------------------------------------------------------


def _ranges(source: BinaryIO, format_: str, size: int) -> Iterator[Range]:
    total = source.seek(0, io.SEEK_END)
    source.seek(0)
    if format_ == "jsonl":
        return _ranges_at(source, 0, total, size, re.compile(rb"(\n)"))
    block = source.read(PIECE)
    opening = _OPENING.match(block)
    if opening is None:
        raise NotStreamed
    end = _closing(source, total)
    return _ranges_at(source, opening.end(), end, size, cut_pattern(block[opening.end() :]))


def _closing(source: BinaryIO, total: int) -> int:
    """Where the bracket that closes the array should be."""
    back = min(total, 1 << 16)
    source.seek(total - back)
    tail = source.read(back)
    at = tail.rfind(b"]")
    # Without one, or with something after it, the last range does not parse, and is then told of.
    return total - back + at if at >= 0 and not tail[at + 1 :].strip() else total


def _ranges_at(source: BinaryIO, start: int, end: int, size: int, pattern: re.Pattern[bytes]) -> Iterator[Range]:
    """Ranges of about one size, each ending where the pattern is next found; that character belongs to none."""
    at = start
    while True:
        cut = _next_cut(source, at + size, end, pattern)
        yield Range(at, cut, 1 if at == 0 else 2)
        if cut == end:
            return
        at = cut + 1


def _next_cut(source: BinaryIO, at: int, end: int, pattern: re.Pattern[bytes]) -> int:
    held = b""
    source.seek(at)
    while at < end:
        block = source.read(min(PIECE, end - at))
        found = pattern.search(held + block)
        if found is not None:
            return at - len(held) + found.start(1)
        at += len(block)
        held = (held + block)[-256:]
    return end
