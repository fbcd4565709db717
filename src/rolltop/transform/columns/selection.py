"""The rows of a table that a program goes on with, by field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, repeat
from typing import Any

from rolltop.transform.columns.records import column_of
from rolltop.transform.compile.places import Place
from rolltop.transform.formats.csv_cells import TEXT
from rolltop.transform.formats.csv_table import Table

__all__ = ["Selection"]


class Selection:
    """All rows, until some are chosen. Cells are read when their column is asked for."""

    def __init__(self, table: Table, fields: Mapping[str, Place], index: Mapping[str, int], total: int) -> None:
        """`total`: of a table from which rows may have been left out before."""
        self.total = total
        self._table, self._fields, self._index = table, fields, index
        self._known: dict[str, Sequence[Any]] = {}
        self._chosen: list[Any] | None = None
        self.clean = table.cells.clean
        """Whether no text in the table has anything in it that is escaped in JSON."""

    def choose(self, chosen: list[Any]) -> None:
        """Go on with the rows of which this is true."""
        self._known = {name: list(compress(values, chosen)) for name, values in self._known.items()}
        self._chosen = chosen

    def column(self, name: str) -> Sequence[Any]:
        """What a field holds; `Surprise` when that is not what the program needs."""
        found = self._known.get(name)
        if found is None:
            place = self._fields[name]
            found = column_of(place, self._index.get(place.key), self._table, self._chosen)
            self._known[name] = found
        return found

    def is_text(self, name: str) -> bool:
        """Whether a field is known to hold nothing but texts."""
        at = self._index.get(self._fields[name].key)
        return at is not None and self._table.cells.proved(at) == TEXT

    def rows(self, fields: Sequence[str]) -> Iterable[Any]:
        """Tuples of these fields; what it holds, if it is one."""
        columns = [self.column(name) for name in fields]
        if len(columns) == 1:
            return columns[0]
        return zip(*columns, strict=True) if columns else repeat((), self._count)

    @property
    def _count(self) -> int:
        return self._table.cells.count if self._chosen is None else sum(map(bool, self._chosen))
