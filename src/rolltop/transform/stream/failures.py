"""Report failures in the order of the input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rolltop.transform.errors import EvaluationFailure, WriteFailure
from rolltop.transform.stream.blocks import Lines
from rolltop.transform.stream.code import PieceCode
from rolltop.transform.stream.plan import Plan
from rolltop.transform.stream.sinks import Sink
from rolltop.transform.syntax import tree
from rolltop.transform.syntax.source import Source

if TYPE_CHECKING:
    from rolltop.transform.formats.csv_table import Table
    from rolltop.transform.stream.patterns import MarkedPiece

__all__ = ["Postponed"]


class Postponed:
    """Runs the program on pieces and encodes what comes out; the first failure is kept for `finish`."""

    def __init__(self, plan: Plan, source: Source, sink: Sink | None = None, code: PieceCode | None = None) -> None:
        self._plan = plan
        self._source = source
        self._code = code or PieceCode(plan.program, source, sink)
        self._left = len(plan.stages)
        """How many stages still have to run on the records."""
        self.failure: EvaluationFailure | None = None
        self._unwritten: WriteFailure | None = None
        """Why a record cannot be written; that comes after all that the program may run into."""

    def of_json(self, text: bytes) -> bytes:
        return self._guarded(lambda code: code.of_json(text))

    def of_lines(self, lines: Lines) -> bytes:
        return self._guarded(lambda code: code.of_lines(lines))

    def of_table(self, table: Table) -> bytes:
        return self._guarded(lambda code: code.of_table(table))

    def of_markup(self, piece: MarkedPiece) -> bytes:
        return self._guarded(lambda code: code.of_markup(piece))

    def of_value(self, value: Any) -> bytes:
        return self._guarded(lambda code: code.of_value(value))

    def finish(self) -> None:
        failure = self.failure or self._unwritten
        if failure is not None:
            raise failure

    def _guarded(self, work: Any) -> bytes:
        try:
            made: bytes = work(self._code)
        except EvaluationFailure as failure:
            self.failure = failure
            self._withdraw(work)
            return b""
        except WriteFailure as failure:
            self._unwritten = self._unwritten or failure
            return b""
        return made if self.failure is None else b""

    def _withdraw(self, work: Any) -> None:
        """Find the stage that failed, and go on with those before it."""
        for count in range(self._left):
            try:
                work(self._prefix(count))
            except EvaluationFailure as failure:
                self.failure = failure
                self._left = count - 1
                break
        else:
            self._left -= 1
        self._code = self._prefix(self._left)

    def _prefix(self, count: int) -> PieceCode:
        """The program with only so many stages; with none it has its bindings, with less it only reads."""
        body = self._plan.program.body
        result: tree.Expr = self._plan.stages[count - 1] if count > 0 else tree.Literal(body.at, None)
        kept = [
            item
            for item in body.bindings
            if count >= 0 and (isinstance(item, tree.FunctionDef) or self._runs(item, count))
        ]
        program = tree.Program(self._plan.program.header, tree.Sequence(body.at, kept, [result]))
        return PieceCode(program, self._source)

    def _runs(self, binding: tree.Let, count: int) -> bool:
        """Whether a binding is evaluated before the stage after so many."""
        later = {id(stage) for stage in self._plan.stages[count:]}
        return not any(id(node) in later for node in tree.walk(binding.value))
