"""A program's code for pieces: typed when it can be, with everything else behind it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import orjson

from rolltop.transform.compile import compile_tree
from rolltop.transform.compile.tiers import Tiers
from rolltop.transform.formats.csv_table import Table
from rolltop.transform.formats.jsonl import read_lines
from rolltop.transform.run.evaluator import Evaluator
from rolltop.transform.stream.columns import records_of
from rolltop.transform.syntax import tree
from rolltop.transform.syntax.source import Source

if TYPE_CHECKING:
    from rolltop.transform.stream.marked import MarkedPiece

__all__ = ["NotJson", "PieceCode"]


class NotJson(ValueError):
    """The text of a piece is no JSON: cut at the wrong place, or broken."""


class PieceCode:
    """Runs one program on one piece after the other."""

    def __init__(self, program: tree.Program, source: Source) -> None:
        self.program = program
        self.evaluator = Evaluator(program, source)
        self.tiers = Tiers(program)
        self._name = program.header.inputs[0].name

    @cached_property
    def general(self) -> Any:
        return compile_tree(self.program, self.evaluator) or self.evaluator

    def of_json(self, text: bytes) -> Any:
        """The program's value for a JSON text that is its whole input."""
        taken, value = self.tiers.value(text)
        if taken:
            return value
        try:
            whole = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise NotJson from error
        return self.of_value(whole)

    def of_lines(self, block: bytes, first: int) -> Any:
        """The same for whole JSON lines, the first of which has this number in its file."""
        taken, value = self.tiers.value_of_lines(block)
        return value if taken else self.of_value(read_lines(block, first))

    def of_table(self, table: Table) -> Any:
        """The same for rows of a table."""
        taken, value = self.tiers.value_of(lambda tier: records_of(tier, table))
        return value if taken else self.of_value(table.records())

    def of_markup(self, piece: MarkedPiece) -> Any:
        """The same for XML records; their pattern serves the program that it was made for."""
        taken, value = piece.value() if piece.program is self.program else (False, None)
        return value if taken else self.of_value(piece.document)

    def of_value(self, value: Any) -> Any:
        return self.general.run({self._name: value, "input": value})
