"""Rows of cells as records with only the columns read, converted a column at a time."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any

from rolltop.transform.compile.places import Place
from rolltop.transform.compile.runtime import Surprise
from rolltop.transform.compile.tiers import Tier
from rolltop.transform.formats.csv_table import Table

__all__ = ["records_of"]

_KINDS: dict[tuple[str | None, bool], frozenset[type]] = {
    ("num", True): frozenset({int, float}),
    ("num", False): frozenset({int, float, type(None)}),
    ("str", True): frozenset({str}),
    ("str", False): frozenset({str, type(None)}),
}


def records_of(tier: Tier, table: Table) -> list[Any]:
    """The rows as the tier's records; `Surprise` when a column is not what the program needs."""
    element = tier.root.items()
    if tier.record is None or element.form != "record" or table.layout.names is None:
        raise Surprise
    places = {place.attribute: place for place in element.fields.values()}
    index = table.layout.index()
    columns = [_column(places[name], index.get(places[name].key), table) for name in tier.record.__struct_fields__]
    return list(map(tier.record, *columns))


def _column(place: Place, at: int | None, table: Table) -> Iterable[Any]:
    if place.form in ("record", "list") or (at is None and place.required):
        raise Surprise
    if at is None:
        return repeat(None, table.cells.count)
    found = table.layout.columns[at].values(table.cells.column(at), _KINDS.get((place.form, place.required)))
    if found is None:
        raise Surprise
    return found
