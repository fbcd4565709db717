"""A program's typed code over columns, from the cells of a table to the result."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from rolltop.errors import LimitExceeded
from rolltop.transform.columns.records import Selection, fields_of
from rolltop.transform.compile.runtime import Surprise
from rolltop.transform.compile.scopes import CannotCompile
from rolltop.transform.compile.tiers import Tier, Tiers
from rolltop.transform.compile.ways import Judged
from rolltop.transform.formats.csv_table import Layout, Table

__all__ = ["Columns"]

WARM = 8
"""So many parts of a table come before the code is taken apart: of a small table that would cost more than it saves."""
Encode = Callable[[list[Any]], bytes]


class Columns:
    """The way by columns of a program over tables, once it pays."""

    obstacle: str | None = None
    """Why there is no such way, once it was tried to make one."""

    def __init__(self, tiers: Tiers, encode: Encode | None = None) -> None:
        """`encode` writes records that have numbers as JSON shows them; without it there are values."""
        self._tiers = tiers
        self._encode = encode
        self._seen = 0

    @cached_property
    def code(self) -> ColumnCode | None:
        tier = self._tiers.typed
        try:
            if tier is not None:
                return ColumnCode(tier, self._encode)
            self.obstacle = self._tiers.obstacle
        except CannotCompile as reason:
            self.obstacle = str(reason)
        except (SyntaxError, RecursionError, MemoryError) as reason:
            self.obstacle = f"the code is beyond Python ({type(reason).__name__})"
        return None

    def result(self, table: Table) -> tuple[bool, Any]:
        """Whether the rows could be taken, and the program's value if so, encoded if it is to be."""
        self._seen += 1
        if self._seen <= WARM or self.code is None or self.code.hopeless:
            return False, None
        self.code.runs += 1
        try:
            return True, self.code.result(table)
        except (LimitExceeded, MemoryError):
            raise
        except Exception:  # whatever it is, the other ways find it out
            self.code.failed(table)
            return False, None


class ColumnCode(Judged):
    """The code of a tier, taken apart; `CannotCompile` when it cannot be."""

    def __init__(self, tier: Tier, encode: Encode | None) -> None:
        from rolltop.transform.columns.row_code import Each, unpack  # noqa: PLC0415
        from rolltop.transform.columns.writer import writing_of  # noqa: PLC0415

        self._fields = fields_of(tier)
        if not self._fields:
            raise CannotCompile("the records are used as a whole")
        routine, constants = tier.routine_of(written=encode is not None)
        unpacked = unpack(routine)
        self._test = None if unpacked.test is None else Each(unpacked.test, constants)
        self._sought = unpacked.sought
        rest = unpacked.sought.rest if unpacked.sought is not None else None
        self._rest = None if rest is None else Each(rest, constants)
        self._run = Each(unpacked.run, constants)
        self._encode = encode
        self._writing = None if encode is None else writing_of(unpacked, constants, encode)
        self._layout: Layout | None = None
        self._index: dict[str, int] = {}
        self._place: tuple[int, str] | None = None

    def result(self, table: Table) -> Any:
        """What the program makes of the rows; `Surprise`, or any other exception, when this is no way to know."""
        self._bind(table.layout)
        found = table.holding(self._place)
        test = self._test if found is None else self._rest
        rows = Selection(found or table, self._fields, self._index, table.cells.count)
        if test is not None:
            rows.choose(test.of(rows))
        if self._writing is not None and not self._writing.hopeless:
            written = self._writing.written(rows)
            if written is not None:
                return written
        made = self._run.of(rows)
        return made if self._encode is None else self._encode(made)

    def failed(self, table: Table) -> None:
        """It was not for these rows; when that is so of most, the cells are better cut in another way."""
        self.failures += 1
        if self.hopeless:
            table.layout.scanner.want(())

    def _bind(self, layout: Layout) -> None:
        """Find the columns of the fields, and say that they are read."""
        if layout is self._layout:
            return
        if layout.names is None:
            raise Surprise
        self._layout, self._index = layout, layout.index()
        self._place = self._sought_in(self._index)
        read = [self._index[place.key] for place in self._fields.values() if place.key in self._index]
        layout.scanner.want(read, self._place)

    def _sought_in(self, index: dict[str, int]) -> tuple[int, str] | None:
        """The column that has to hold a certain text, and that."""
        if self._sought is None:
            return None
        at = index.get(self._fields[self._sought.field].key)
        return None if at is None else (at, self._sought.text)
