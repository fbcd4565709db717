"""How values sort: numbers by size, texts by code point, dates by time, null last."""

from __future__ import annotations

import datetime as dt
from typing import Any

from rolltop.transform.stdlib._clock import Reading
from rolltop.transform.stdlib._text import text_of

__all__ = ["mixes_numbers_and_text", "ordering", "sorted_by"]

_NUMBERS = frozenset({int, float})
_ALONE = frozenset({str, bool, bytes, dt.date, dt.time})
_MOMENTS = frozenset({dt.datetime, Reading})


def ordering(keys: list[Any]) -> list[Any]:
    """The keys as Python values that compare the way the language sorts."""
    kinds = set(map(type, keys))
    if type(None) in kinds:
        kinds.remove(type(None))
        rest = iter(_comparable([key for key in keys if key is not None], kinds))
        return [(1, None) if key is None else (0, next(rest)) for key in keys]
    return _comparable(keys, kinds)


def _comparable(keys: list[Any], kinds: set[type]) -> list[Any]:
    if kinds <= _NUMBERS or (len(kinds) == 1 and kinds <= _ALONE):
        return keys
    if kinds <= _MOMENTS and len({key.tzinfo is None for key in keys}) == 1:
        return keys
    return list(map(text_of, keys))


def sorted_by(array: list[Any], keys: list[Any]) -> list[Any]:
    """The array in the order of its keys; equal ones keep their places."""
    by = ordering(keys)
    return [array[at] for at in sorted(range(len(array)), key=by.__getitem__)]


def mixes_numbers_and_text(array: list[Any]) -> bool:
    kinds = set(map(type, array))
    return str in kinds and not kinds.isdisjoint(_NUMBERS)
