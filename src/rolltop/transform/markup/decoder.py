"""From the groups of a pattern to structures, a column at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, repeat
from typing import Any

import orjson

from rolltop.transform.compile.runtime import Surprise
from rolltop.transform.formats.text import NUMERIC, typed
from rolltop.transform.markup.pattern import Field, Leaf, Level, Record, Rules, Run, level_of
from rolltop.transform.markup.shape import Shape
from rolltop.transform.markup.tier import MarkupTier
from rolltop.transform.values import parse_number

__all__ = ["Decoder", "Rows"]

_LONGEST_NUMBER = 17
"""Digits that every reader agrees on."""
_NUMBERS = frozenset({int, float})
Rows = list[tuple[str, ...]]
Column = Sequence[str]


class Decoder:
    """The pattern of a shape for the fields that a tier reads."""

    def __init__(self, tier: MarkupTier, shape: Shape, arrays: frozenset[str], *, plain: bool) -> None:
        assert shape.record is not None
        self._plain = plain
        rules = Rules(arrays, tier.arrays, plain)
        self.level = level_of(shape.record, tier.records.items(), rules, outermost=True)
        self.scan = self.level.pattern.findall
        self._wrappers = [_wrapper(tier, count) for count in range(len(tier.path))]

    def document(self, rows: Rows) -> Any:
        """A document of the tier's structures, with the rows as its records; `Surprise` when one is not as needed."""
        value: Any = _values(self.level.field, list(zip(*rows, strict=True)), len(rows), escaped=not self._plain)
        for wrap in reversed(self._wrappers):
            value = wrap(value)
        return value


def _wrapper(tier: MarkupTier, count: int) -> Any:
    """A structure with one field, for the elements around the records."""
    from msgspec import defstruct  # noqa: PLC0415

    place = tier.root
    for step in tier.path[:count]:
        place = place.fields[step]
    [inner] = place.fields.values()
    return defstruct("Around", [(inner.attribute, Any)], gc=False)


def _values(field: Field | None, columns: Sequence[Column], count: int, *, escaped: bool) -> Iterable[Any]:
    """What a field is in each row."""
    if field is None:
        return repeat(None, count)
    if isinstance(field, Leaf):
        return _leaves(field, columns, escaped=escaped)
    if isinstance(field, Run):
        return _arrays(field, columns, escaped=escaped)
    return _records(field, columns, count, escaped=escaped)


def _records(record: Record, columns: Sequence[Column], count: int, *, escaped: bool) -> list[Any]:
    parts = [_values(field, columns, count, escaped=escaped) for field in record.fields]
    made = list(map(record.make, *parts)) if parts else [record.make() for _ in range(count)]
    if record.presence is None:
        return made
    present = columns[record.presence]
    if record.place.required and not all(present):
        raise Surprise
    return [one if there else None for one, there in zip(made, present, strict=True)]


def _arrays(run: Run, columns: Sequence[Column], *, escaped: bool) -> list[Any]:
    """The arrays of one group: all runs are decoded together and shared out by their lengths."""
    runs = columns[run.group]
    level = run.level
    rows: Any = level.pattern.findall("".join(runs))
    inner = list(zip(*rows, strict=True)) if level.pattern.groups > 1 else [rows]
    values = iter(_values(level.field, inner, len(rows), escaped=escaped))
    counts = _counts(level, runs)
    if run.place.required and run.within is None and 0 in counts:
        raise Surprise
    return [list(islice(values, count)) if count else None for count in counts]


def _counts(level: Level, runs: Column) -> list[int]:
    if len(level.marks) == 1:
        [mark] = level.marks
        return [text.count(mark) for text in runs]
    return [sum(map(text.count, level.marks)) for text in runs]


def _leaves(leaf: Leaf, columns: Sequence[Column], *, escaped: bool) -> Iterable[Any]:
    cells = columns[leaf.group]
    if not leaf.optional and leaf.within is None:
        return _cells(leaf, cells, escaped=escaped)
    if leaf.place.required and leaf.optional:
        _require(cells, columns[leaf.within] if leaf.within is not None else None)
    if all(cells):
        return _cells(leaf, cells, escaped=escaped)
    values = iter(_cells(leaf, [text for text in cells if text], escaped=escaped))
    return [next(values) if text else None for text in cells]


def _require(cells: Column, present: Column | None) -> None:
    """A missing value where one is needed, unless all that is around it is missing."""
    if present is None and not all(cells):
        raise Surprise
    if present is not None and any(there and not text for text, there in zip(cells, present, strict=True)):
        raise Surprise


def _cells(leaf: Leaf, cells: Column, *, escaped: bool) -> Iterable[Any]:
    """The values of texts that are there."""
    if escaped:
        cells = [_unescaped(text) if "&" in text else text for text in cells]
    if leaf.attribute:
        return _attribute_numbers(cells) if leaf.place.form == "num" else cells
    if leaf.place.form == "num":
        return _numbers(cells)
    if _are_texts(cells):
        return cells
    values = _anything(cells)
    if leaf.place.form == "str" and not all(type(value) is str for value in values):
        raise Surprise
    return values


def _unescaped(text: str) -> str:
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&apos;", "'")
    return text.replace("&amp;", "&")


def _attribute_numbers(cells: Column) -> list[int | float]:
    """The numbers that texts spell, as calculating with them reads them."""
    try:
        return _numbers(cells)
    except (Surprise, orjson.JSONDecodeError):
        found = [parse_number(text) for text in cells]
        if None in found:
            raise Surprise from None
        return found  # type: ignore[return-value]


def _numbers(cells: Column) -> list[int | float]:
    if max(map(len, cells), default=0) > _LONGEST_NUMBER:
        raise Surprise
    values: list[int | float] = orjson.loads(f"[{','.join(cells)}]")
    # A text with a comma inside would make two of one, and none can make one of two.
    if len(values) != len(cells) or not _NUMBERS.issuperset(map(type, values)):
        raise Surprise
    return values


def _are_texts(cells: Column) -> bool:
    """Whether every text is its own value: no number, no blanks around it."""
    ends = {text[0] for text in cells}
    if not ends.isdisjoint(NUMERIC):
        return False
    ends.update({text[-1] for text in cells})
    return not any(map(str.isspace, ends))


def _anything(cells: Column) -> list[Any]:
    known = {text: _element_value(text.strip()) for text in set(cells)}
    return [known[text] for text in cells]


def _element_value(text: str) -> Any:
    if not text:
        raise Surprise  # white space only: an empty element, which is an object
    return typed(text)
