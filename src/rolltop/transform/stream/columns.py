"""Rows of cells as records with only the columns read, converted a column at a time.

A column of numbers goes through the JSON decoder at once: its numbers are exactly those that a cell may spell. A
column of texts is recognised by its first and last characters. What is neither is read cell by cell.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any

import orjson

from rolltop.transform.compile.places import Place
from rolltop.transform.compile.runtime import Surprise
from rolltop.transform.compile.tiers import Tier
from rolltop.transform.formats.csv import WORDS, cell

__all__ = ["records_of"]

_LONGEST_NUMBER = 17
"""Digits that every reader agrees on."""
_LONGEST_WORD = 5
_NUMBERS = frozenset({int, float})


def records_of(tier: Tier, header: dict[str, int], rows: list[list[str]]) -> list[Any]:
    """The rows as the tier's records; `Surprise` when a column is not what the program needs."""
    element = tier.root.items()
    if tier.record is None or element.form != "record":
        raise Surprise
    places = {place.attribute: place for place in element.fields.values()}
    columns = [_column(places[name], header, rows) for name in tier.record.__struct_fields__]
    return list(map(tier.record, *columns))


def _column(place: Place, header: dict[str, int], rows: list[list[str]]) -> Iterable[Any]:
    at = header.get(place.key)
    if place.form in ("record", "list") or (at is None and place.required):
        raise Surprise
    if at is None:
        return repeat(None, len(rows))
    cells = [row[at] for row in rows]
    if place.form == "num":
        return _numbers(cells)
    if _are_texts(cells):
        return cells
    values = _anything(cells)
    if place.form == "str" and not all(type(value) is str for value in values):
        raise Surprise
    return values


def _numbers(cells: list[str]) -> list[int | float]:
    if max(map(len, cells), default=0) > _LONGEST_NUMBER:
        raise Surprise
    values: list[int | float] = orjson.loads(f"[{','.join(cells)}]")
    # A cell with a comma inside would make two of one, and none can make one of two.
    if len(values) != len(cells) or not _NUMBERS.issuperset(map(type, values)):
        raise Surprise
    return values


def _are_texts(cells: list[str]) -> bool:
    """Whether every cell is its own text: no blanks around it, no number, no word for something else."""
    if not cells or not _starts_with_letters(cells) or any(char.isspace() for char in {text[-1] for text in cells}):
        return False
    if min(map(len, cells)) > _LONGEST_WORD:
        return True
    return not any(text.lower() in WORDS for text in set(cells) if len(text) <= _LONGEST_WORD)


def _starts_with_letters(cells: list[str]) -> bool:
    """Whether all first characters are in the ASCII range after the digits: those of the least and greatest tell."""
    return min(cells)[:1] > "9" and max(cells)[:1] < "\x7f"


def _anything(cells: list[str]) -> list[Any]:
    try:
        return list(_numbers(cells))
    except (Surprise, orjson.JSONDecodeError):
        known = {text: cell(text) for text in set(cells)}
        return [known[text] for text in cells]
