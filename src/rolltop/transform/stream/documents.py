"""XML documents that are in memory: their records by pattern too, when the program goes over one array of them."""

from __future__ import annotations

import copy
import io
from typing import Any

from rolltop.errors import RolltopError
from rolltop.transform.collector import without_collector
from rolltop.transform.stream.code import PieceCode
from rolltop.transform.stream.elements import NoRecords, element_pieces
from rolltop.transform.stream.engine import PIECE
from rolltop.transform.stream.failures import Postponed
from rolltop.transform.stream.patterns import Scanner
from rolltop.transform.stream.plan import RECORDS, plan_of
from rolltop.transform.syntax import tree
from rolltop.transform.syntax.source import Source

__all__ = ["RecordProgram"]

_PATIENCE = 5


class RecordProgram:
    """A program over the records of XML documents."""

    def __init__(self, program: tree.Program, source: Source) -> None:
        header = copy.copy(program.header)
        # How the result is written does not matter here: it is a value.
        header.outputs = [tree.Port(header.outputs[0].name, "json")]
        self._source = source
        self._plan = plan_of(tree.Program(header, program.body))
        self._code = PieceCode(self._plan.program, source)
        self._around = PieceCode(self._plan.envelope.rest, source) if self._plan.envelope else None
        self._scanner: Scanner | None = None
        self._without = 0
        """Documents that had no array of records."""
        self.possible = self._plan.possible and self._plan.fold is None and self._plan.first is None
        """Whether it is such a program, and documents are such that it pays."""
        if self.possible:
            self._keep(self._new_scanner())

    def _keep(self, scanner: Scanner) -> None:
        """What was learnt of one document serves the next one."""
        self._scanner = scanner
        self.possible = not scanner.hopeless and self._without < _PATIENCE

    def _new_scanner(self) -> Scanner:
        return Scanner(self._plan.program, self._plan.path)

    def value(self, data: str | bytes) -> tuple[bool, Any]:
        """Whether the document has such records, and the program's value if so."""
        block = _encoded(data)
        if block is None or not self.possible:
            return False, None
        try:
            made, value = self._enclosed()
        except RolltopError:
            return False, None
        read, codec = io.BytesIO(block).read, "utf-8" if isinstance(data, str) else None
        runner = Postponed(self._plan, self._source, code=self._code)
        # Of two documents at the same time, one begins anew.
        scanner, self._scanner = self._scanner or self._new_scanner(), None
        pieces = element_pieces(read, self._plan.path, runner, scanner, size=PIECE, codec=codec)
        try:
            with without_collector():
                made.extend(record for piece in pieces for record in piece)
        except NoRecords:
            self._without += 1
            return False, None
        finally:
            self._keep(scanner)
        runner.finish()
        return True, value

    def _enclosed(self) -> tuple[list[Any], Any]:
        """An empty array for the records, and the result that it is part of."""
        made: list[Any] = []
        if self._around is None:
            return made, made
        assert self._plan.envelope is not None
        value = holder = self._around.general.run({RECORDS: made})
        *outer, last = self._plan.envelope.path
        for key in outer:
            holder = holder[key]
        holder[last] = made
        return made, value


def _encoded(data: str | bytes) -> bytes | None:
    """The bytes for the parser, which reads a text as UTF-8 whatever it declares; None when it has half a character."""
    if isinstance(data, bytes):
        return data
    try:
        return data.removeprefix("\ufeff").encode()
    except UnicodeEncodeError:
        return None
