"""Rows of cells as records with only the columns read, converted a column at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rolltop.transform.compile.places import Place
from rolltop.transform.compile.runtime import Surprise
from rolltop.transform.compile.tiers import Tier
from rolltop.transform.formats.csv_table import Table

__all__ = ["column_of", "fields_of", "records_of"]

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
