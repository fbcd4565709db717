"""A program's typed code over columns, from the cells of a table to the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import compress, repeat
from typing import Any

from rolltop.errors import LimitExceeded
from rolltop.transform.columns.records import column_of, fields_of
from rolltop.transform.compile.compiler import function_of
from rolltop.transform.compile.runtime import Surprise
from rolltop.transform.compile.scopes import CannotCompile
from rolltop.transform.compile.tiers import Tier, Tiers
from rolltop.transform.compile.ways import Judged
from rolltop.transform.formats.csv_table import Layout, Table

__all__ = ["ColumnCode", "Columns"]

WARM = 8
"""So many parts of a table come before the code is taken apart: of a small table that would cost more than it saves."""


class Columns:
    """The way by columns of a program over tables, once it pays."""

    obstacle: str | None = None
    """Why there is no such way, once it was tried to make one."""

    def __init__(self, tiers: Tiers, *, written: bool) -> None:
        """`written`: with the code whose result may be written as it is."""
        self._tiers = tiers
        self._written = written
        self._seen = 0

    @cached_property
    def code(self) -> ColumnCode | None:
        tier = self._tiers.typed
        try:
            if tier is not None:
                return ColumnCode(tier, written=self._written)
            self.obstacle = self._tiers.obstacle
        except CannotCompile as reason:
            self.obstacle = str(reason)
        except (SyntaxError, RecursionError, MemoryError) as reason:
            self.obstacle = f"the code is beyond Python ({type(reason).__name__})"
        return None

    def value(self, table: Table) -> tuple[bool, Any]:
        """Whether the rows could be taken, and the program's value if so."""
        self._seen += 1
        if self._seen <= WARM or self.code is None or self.code.hopeless:
            return False, None
        self.code.runs += 1
        try:
            return True, self.code.value(table)
        except (LimitExceeded, MemoryError):
            raise
        except Exception:  # whatever it is, the other ways find it out
            self.code.failed(table)
            return False, None


class ColumnCode(Judged):
    """The code of a tier, taken apart; `CannotCompile` when it cannot be."""

    def __init__(self, tier: Tier, *, written: bool) -> None:
        from rolltop.transform.columns.unpacking import unpack  # noqa: PLC0415 - small tables do without

        self._fields = fields_of(tier)
        if not self._fields:
            raise CannotCompile("the records are used as a whole")
        source, constants = tier.code_of(written=written)
        unpacked = unpack(source)
        self._tested, self._read = unpacked.tested, unpacked.fields
        self._test = None if unpacked.test is None else function_of(unpacked.test, constants)
        self._run: Callable[[Iterable[tuple[Any, ...]]], Any] = function_of(unpacked.run, constants)
        self._layout: Layout | None = None
        self._index: dict[str, int] = {}

    def value(self, table: Table) -> Any:
        """What the program makes of the rows; `Surprise`, or any other exception, when this is no way to know."""
        self._bind(table.layout)
        count = table.cells.count
        if self._test is None:
            return self._run(_rows([self._column(name, table) for name in self._read], count))
        tested = {name: self._column(name, table) for name in self._tested}
        chosen = self._test(_rows(list(tested.values()), count))
        columns = [
            list(compress(tested[name], chosen)) if name in tested else self._column(name, table, chosen)
            for name in self._read
        ]
        return self._run(_rows(columns, sum(map(bool, chosen))))

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
        layout.scanner.want([self._index[place.key] for place in self._fields.values() if place.key in self._index])

    def _column(self, name: str, table: Table, chosen: list[Any] | None = None) -> Sequence[Any]:
        place = self._fields[name]
        return column_of(place, self._index.get(place.key), table, chosen)


def _rows(columns: list[Sequence[Any]], count: int) -> Iterable[tuple[Any, ...]]:
    """Tuples of what the columns hold; so many empty ones, when no column is read."""
    return zip(*columns, strict=True) if columns else repeat((), count)
