"""Run a plan: read a piece, run, write, until the input ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from rolltop.errors import RolltopError
from rolltop.transform.collector import without_collector
from rolltop.transform.errors import EvaluationFailure
from rolltop.transform.program import Program
from rolltop.transform.stdlib.host import of_one_run
from rolltop.transform.stream.blocks import BrokenTable, as_utf8, line_pieces, table_pieces
from rolltop.transform.stream.code import PieceCode
from rolltop.transform.stream.failures import Postponed
from rolltop.transform.stream.json_arrays import ArrayPieces, NoArray
from rolltop.transform.stream.plan import RECORDS, Plan
from rolltop.transform.stream.positions import second_look
from rolltop.transform.stream.sinks import EnclosedJson, EnclosedXml, Sink, sink_for
from rolltop.transform.stream.totals import Totals, Unfoldable

if TYPE_CHECKING:
    from rolltop.transform.syntax import tree

__all__ = ["NotStreamed", "pieces_of", "sink_of", "stream", "without_collector"]


class NotStreamed(Exception):
    """This input has to be read as a whole; nothing was written.

    `seen` is what was taken from the source, when that is all that is missing from it; `failure` is why it did not
    work when the source may be used up.
    """

    def __init__(self, seen: bytes | None = None, failure: EvaluationFailure | None = None) -> None:
        super().__init__()
        self.seen = seen
        self.failure = failure


Write = Callable[[bytes], Any]


class Readable(Protocol):
    """A source of bytes, such as a binary file."""

    def read(self, size: int = -1, /) -> bytes: ...


PIECE = 1 << 20
"""Bytes of input that are read at a time."""
SMALL_PIECE = 1 << 16
"""The same for JSON, whose records come and go faster when all of a piece fits into the processor's cache."""


def stream(
    program: Program,
    plan: Plan,
    source: Readable,
    write: Write,
    options: Mapping[str, Any],
    *,
    again: Callable[[], Readable] | None = None,
    size: int | None = None,
) -> None:
    """Run a program on pieces of an input and write the result.

    `again` gives the source once more from its beginning, where it can be read twice; some programs need that.
    `options` are those of the output. Failures of the program are raised after the rest of the input was seen to be
    readable, as they would be if it had been read first; what was written until then is for the caller to drop.
    """
    if size is None:
        size = SMALL_PIECE if program.header.inputs[0].format in ("json", "jsonl") else PIECE
    with without_collector(), of_one_run():
        if plan.fold is not None:
            totals_of(program, plan, source, size).write(program, write, options)
            return
        totals = None
        if plan.first is not None:
            if again is None:
                raise NotStreamed(b"")
            totals = totals_of(program, plan.first, source, size)
            source = again()
        sink = sink_of(program, plan, write, options, totals)
        runner = Postponed(plan, program.source, sink)
        with program.writing():
            for part in pieces_of(plan, source, runner, size):
                sink.add(part)
            runner.finish()
            sink.close()


def sink_of(
    program: Program, plan: Plan, write: Write, options: Mapping[str, Any], totals: Totals | None = None
) -> Sink:
    """What the records go to. Where what is around them cannot be made, reading everything at once says why."""
    format_ = program.header.outputs[0].format
    if plan.envelope is None:
        return sink_for(format_, write, options)
    try:
        inputs = {RECORDS: [], **(totals.results() if totals else {})}
        value = PieceCode(plan.envelope.rest, program.source).evaluator.run(inputs)
        return (EnclosedXml if format_ == "xml" else EnclosedJson)(write, options, value, plan.envelope.path)
    except RolltopError:
        raise NotStreamed(b"") from None


def pieces_of(plan: Plan, source: Readable, runner: Postponed | PieceCode, size: int) -> Iterator[Any]:
    """What the program makes of each piece of the input."""
    port = plan.program.header.inputs[0]
    if port.format == "jsonl":
        return line_pieces(source.read, runner.of_lines, size)
    if port.format == "json":
        try:
            pieces = ArrayPieces(source.read, plan.path, size, again=second_look(source))
        except NoArray as none:
            raise NotStreamed(none.seen) from None
        return pieces.run(runner.of_json)
    return _of_table(source, port, runner, size) if port.format == "csv" else _of_xml(plan, source, runner, size)


def _of_table(source: Readable, port: tree.Port, runner: Postponed | PieceCode, size: int) -> Iterator[Any]:
    try:
        read = as_utf8(source.read, port.options.get("encoding"))
    except UnicodeError:
        raise NotStreamed from None
    return _or_whole(table_pieces(read, port.options, runner.of_table, size), BrokenTable)


def _of_xml(plan: Plan, source: Readable, runner: Postponed | PieceCode, size: int) -> Iterator[Any]:
    # Imported here: JSON does not wait for other formats at the start.
    from rolltop.transform.stream.elements import NoRecords, element_pieces  # noqa: PLC0415
    from rolltop.transform.stream.patterns import Scanner  # noqa: PLC0415

    pieced = plan.program if plan.fold is None else plan.fold.pieces
    scanner = Scanner(pieced, plan.path, sample=max(1, min(16, size // 256)))
    return _or_whole(element_pieces(source.read, plan.path, runner, scanner, size=size), NoRecords)


def _or_whole(pieces: Iterator[Any], broken: type[Exception]) -> Iterator[Any]:
    """Input that is broken, or has no array where one is needed: reading it as a whole says what is wrong."""
    try:
        yield from pieces
    except broken:
        raise NotStreamed from None


def totals_of(program: Program, plan: Plan, source: Readable, size: int) -> Totals:
    """The totals of a fold over all of an input."""
    assert plan.fold is not None
    totals = Totals(plan.fold)
    try:
        totals.add(pieces_of(plan, source, PieceCode(plan.fold.pieces, program.source), size))
    except (EvaluationFailure, Unfoldable) as failure:
        # What is wrong, and with which of all records, the library says best with all of them at hand.
        raise NotStreamed(failure=failure if isinstance(failure, EvaluationFailure) else None) from None
    return totals
