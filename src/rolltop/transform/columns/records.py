"""Rows of cells as records with only the columns read, and the rows that a program goes on with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, repeat
from typing import Any

from rolltop.transform.compile.places import Place
from rolltop.transform.compile.runtime import Surprise
from rolltop.transform.compile.tiers import Tier
from rolltop.transform.formats.csv_cells import TEXT
from rolltop.transform.formats.csv_table import Table

__all__ = ["Selection", "column_of", "fields_of", "records_of"]


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


_KINDS: dict[tuple[str | None, bool], frozenset[type]] = {
    ("num", True): frozenset({int, float}),
    ("num", False): frozenset({int, float, type(None)}),
    ("str", True): frozenset({str}),
    ("str", False): frozenset({str, type(None)}),
}


def records_of(tier: Tier, table: Table) -> list[Any]:
    """The rows as the tier's records; `Surprise` when a column is not what the program needs."""
    fields = fields_of(tier)
    if not fields or table.layout.names is None:
        raise Surprise
    index = table.layout.index()
    columns = [column_of(fields[name], index.get(fields[name].key), table) for name in tier.record.__struct_fields__]
    return list(map(tier.record, *columns))


def fields_of(tier: Tier) -> dict[str, Place]:
    """The fields of a record by their names in the code; none when the input is no array of records."""
    element = tier.root.items()
    if tier.record is None or element.form != "record":
        return {}
    return {place.attribute: place for place in element.fields.values()}


def column_of(place: Place, at: int | None, table: Table, chosen: list[Any] | None = None) -> Sequence[Any]:
    """What a column holds, in all rows or those chosen; `Surprise` when it is not what the program needs."""
    if place.form in ("record", "list") or (at is None and place.required):
        raise Surprise
    if at is None:
        return [None] * (table.cells.count if chosen is None else sum(map(bool, chosen)))
    found = table.values(at, _KINDS.get((place.form, place.required)), chosen)
    if found is None:
        raise Surprise
    return found
