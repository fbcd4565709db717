"""A program's code for pieces: typed when it can be, with everything else behind it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import orjson

from rolltop.transform.compile import compile_tree
from rolltop.transform.compile.tiers import Tiers, is_text
from rolltop.transform.run.evaluator import Evaluator
from rolltop.transform.stream.blocks import Lines
from rolltop.transform.stream.sinks import Sink
from rolltop.transform.syntax import tree
from rolltop.transform.syntax.source import Source

if TYPE_CHECKING:
    from rolltop.transform.columns import Columns
    from rolltop.transform.formats.csv_table import Table
    from rolltop.transform.stream.patterns import MarkedPiece

__all__ = ["NotJson", "PieceCode"]


class NotJson(ValueError):
    """The text of a piece is no JSON: cut at the wrong place, or broken."""


class PieceCode:
    """Runs one program on one piece after the other; gives values, or their bytes when it has a sink."""

    def __init__(self, program: tree.Program, source: Source, sink: Sink | None = None) -> None:
        self.program = program
        self._sink = sink
        self._ready = sink is not None and sink.takes_ready
        self.evaluator = Evaluator(program, source)
        self.tiers = Tiers(program)
        self._name = program.header.inputs[0].name

    @cached_property
    def general(self) -> Any:
        return compile_tree(self.program, self.evaluator) or self.evaluator

    @cached_property
    def columns(self) -> Columns:
        from rolltop.transform.columns import Columns  # noqa: PLC0415 - JSON is not to wait for tables

        return Columns(self.tiers, self._sink.encode_ready if self._sink is not None and self._ready else None)

    def of_json(self, text: bytes) -> Any:
        """What the program makes of a JSON text that is its whole input."""
        if self._ready:
            taken, value = self.tiers.ready(text)
            if taken:
                return self._encoded(value)
        taken, value = self.tiers.value(text)
        if taken:
            return self._finished(value)
        try:
            whole = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise NotJson from error
        return self.of_value(whole)

    def of_lines(self, lines: Lines) -> Any:
        """The same for whole JSON lines."""
        if is_text(lines.block):
            if self._ready:
                taken, value = self.tiers.ready_of(lambda tier: tier.ready_reader.decode_lines(lines.lines))
                if taken:
                    return self._encoded(value)
            taken, value = self.tiers.value_of(lambda tier: tier.reader.decode_lines(lines.lines))
            if taken:
                return self._finished(value)
        from rolltop.transform.formats.jsonl import read_lines  # noqa: PLC0415 - most blocks do without

        return self.of_value(read_lines(lines.lines, lines.first))

    def of_table(self, table: Table) -> Any:
        """The same for rows of a table."""
        from rolltop.transform.columns import records_of  # noqa: PLC0415 - JSON is not to wait for tables

        taken, value = self.columns.result(table)
        if taken:
            return value if self._ready else self._finished(value)
        if self._ready:
            taken, value = self.tiers.ready_of(lambda tier: records_of(tier, table))
            if taken:
                return self._encoded(value)
        taken, value = self.tiers.value_of(lambda tier: records_of(tier, table))
        return self._finished(value) if taken else self.of_value(table.records())

    def of_markup(self, piece: MarkedPiece) -> Any:
        """The same for XML records; their pattern serves the program that it was made for."""
        taken, value = piece.value() if piece.program is self.program else (False, None)
        return self._finished(value) if taken else self.of_value(piece.document)

    def of_value(self, value: Any) -> Any:
        return self._finished(self.general.run({self._name: value, "input": value}))

    def _finished(self, value: Any) -> Any:
        return value if self._sink is None else self._sink.encode(value)

    def _encoded(self, value: Any) -> bytes:
        assert self._sink is not None
        return self._sink.encode_ready(value)
