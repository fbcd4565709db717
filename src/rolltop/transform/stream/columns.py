"""Rows of cells as records with only the columns read, converted a column at a time."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any

from rolltop.transform.compile.places import Place
from rolltop.transform.compile.runtime import Surprise
from rolltop.transform.compile.tiers import Tier
from rolltop.transform.formats.csv_cells import literals, values
from rolltop.transform.formats.csv_table import Table
from rolltop.transform.formats.text import typed

__all__ = ["records_of"]

_NUMBERS = frozenset({int, float})
_TYPES = {"num": _NUMBERS, "str": frozenset({str})}
_NULL = frozenset({type(None)})


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
    cells, number = table.cells.column(at), table.layout.number
    if place.form == "num" and number is typed:
        found = literals(cells)
        if found is not None and _NUMBERS.issuperset(map(type, found)):
            return found
    found = values(cells, number)
    wanted = _TYPES.get(place.form or "any")
    if wanted is not None and not (wanted if place.required else wanted | _NULL).issuperset(map(type, found)):
        raise Surprise
    return found
