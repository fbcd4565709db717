"""Records of one shape, computed and written a column at a time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from rolltop.transform.columns.records import Selection
from rolltop.transform.columns.row_code import Each, Over, RowWriter, Unpacked
from rolltop.transform.compile.code import Code, Record, bound_in, used_in
from rolltop.transform.compile.routine import Collect
from rolltop.transform.compile.ways import Judged
from rolltop.transform.compile.written import Ready, Whole

__all__ = ["Leaf", "Shaped", "Writing", "shaped", "writing_of"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that every record of the result has."""

    over: Over
    same: bool
    """Whether it is that of a field, if that is a text."""
    bare: Over | None
    """The number that it is, as it was calculated and not as JSON shows it."""


@dataclass(frozen=True, slots=True)
class Shaped:
    """Objects with fixed keys, and what makes the values in them."""

    form: dict[str, Any]
    """A record, with the numbers of the leaves for values."""
    leaves: tuple[Leaf, ...]


def shaped(unpacked: Unpacked) -> Shaped | None:
    """The shape, if the result is an array of records made by one expression, no value of which needs another."""
    source, parts = unpacked.loop.source, unpacked.loop.body.parts
    match parts:
        case [Collect(element=Record() as record) as only] if source.gathered == [only]:
            made: list[Code] = []
            form = _form(record, made)
            if unpacked.routine.block.parts != [source] or unpacked.routine.result is not only.into:
                return None
            if form is None or not made or not _independent(record, made):
                return None
            return Shaped(form, tuple(_leaf(code, unpacked.writer) for code in made))
    return None


def _leaf(made: Code, writer: RowWriter) -> Leaf:
    same = writer.is_cell(made.value if isinstance(made, Ready) else made)
    return Leaf(writer.each([made]), same, writer.each([made.bare]) if isinstance(made, Whole) else None)


def _form(record: Record, made: list[Code]) -> dict[str, Any] | None:
    form: dict[str, Any] = {}
    for key, value in record.entries:
        if key in form:
            return None
        if isinstance(value, Record):
            inner = _form(value, made)
            if inner is None:
                return None
            form[key] = inner
        else:
            form[key] = len(made)
            made.append(value)
    return form


def _independent(record: Record, made: list[Code]) -> bool:
    """Whether no expression names what another one binds."""
    everywhere = Counter(used_in(record)) + Counter(bound_in(record))
    for code in made:
        inside = Counter(used_in(code)) + Counter(bound_in(code))
        if any(inside[name] != everywhere[name] for name in bound_in(code)):
            return False
    return True


_MARK = "\ue000"
"""A character that stands for itself in JSON."""
Encode = Callable[[list[Any]], bytes]
Column = tuple[Sequence[str], bool, bool]
"""What is written for the values of a leaf, whether it is in quotes, and whether it is known to need no escapes."""
_LONG = re.compile("[0-9]{19}")
"""Only in integers that may be beyond 64 bits, or very small numbers."""


def writing_of(unpacked: Unpacked, constants: Mapping[str, Any], encode: Encode) -> Writing | None:
    """What writes the result of a program, if that is records of one shape, and they are written one by one."""
    shape = shaped(unpacked)
    if shape is None:
        return None
    one, two = (encode([_marked(shape.form)] * times).decode() for times in (1, 2))
    between, texts = two[len(one) : -len(one)], one.split(f'"{_MARK}"')
    if two != one + between + one or len(texts) != len(shape.leaves) + 1:
        return None
    return Writing(shape, constants, texts, between)


def _marked(form: dict[str, Any]) -> dict[str, Any]:
    return {key: _marked(inner) if isinstance(inner, dict) else _MARK for key, inner in form.items()}


class Writing(Judged):
    """Writes what an encoder writes for an array of records, if all values are such that this is easily told."""

    def __init__(self, shape: Shaped, constants: Mapping[str, Any], texts: list[str], between: str) -> None:
        """`texts` are before, between and after the values of a record, `between` is what is between two records."""
        self._leaves = [_Leaf(leaf, constants) for leaf in shape.leaves]
        self._texts = texts
        self._between = between

    def written(self, rows: Selection) -> bytes | None:
        """The records, or None when this is no way to write them."""
        self.runs += 1
        try:
            columns = [leaf.column(rows) for leaf in self._leaves]
            count = len(columns[0][0])
            if count == 0:
                return b""
            if _need_no_escapes([values for values, quoted, clean in columns if quoted and not clean]):
                return self._joined(columns, count)
        except (TypeError, ValueError):
            pass  # texts and other values in one column, or arrays, or objects
        self.failures += 1
        return None

    def _joined(self, columns: list[Column], count: int) -> bytes:
        marks = ['"' if quoted else "" for _, quoted, _ in columns]
        texts = [
            before + text + after for before, text, after in zip(["", *marks], self._texts, [*marks, ""], strict=True)
        ]
        width = 2 * len(columns)
        parts = [texts[-1] + self._between + texts[0]] * (width * count)
        parts[0] = texts[0]
        for at, (values, _, _) in enumerate(columns):
            if at:
                parts[2 * at :: width] = [texts[at]] * count
            parts[2 * at + 1 :: width] = values
        parts.append(texts[-1])
        return "".join(parts).encode()


class _Leaf:
    """What is written for one value of all records."""

    def __init__(self, leaf: Leaf, constants: Mapping[str, Any]) -> None:
        self._field = leaf.over.fields[0] if leaf.same else None
        self._each = Each(leaf.over, constants)
        self._bare = None if leaf.bare is None else Each(leaf.bare, constants)

    def column(self, rows: Selection) -> Column:
        """`ValueError` or `TypeError` when that is not easily told."""
        found = None if self._field is None else _cells(rows, self._field)
        if found is not None:
            return found
        if self._bare is not None:
            values = self._bare.of(rows)
            kinds = set(map(type, values))
            words = _numbers(values, kinds) if kinds <= {int, float} else None
            if words is not None:
                return words, False, True
        values = self._each.of(rows)
        return (values, True, False) if values and isinstance(values[0], str) else (_words(values), False, True)


def _cells(rows: Selection, field: str) -> Column | None:
    """What is written for what a field holds, some of which may be missing; None for texts among numbers."""
    values = rows.column(field)
    kinds: set[type] = {str} if rows.is_text(field) else set(map(type, values))
    if kinds == {str}:
        return values, True, rows.clean
    if kinds == {str, type(None)} and (rows.clean or _need_no_escapes([list(filter(None, values))])):
        return ["null" if text is None else f'"{text}"' for text in values], False, True
    words = _numbers(values, kinds) if kinds <= {int, float, type(None)} else None
    return None if words is None else (words, False, True)


def _need_no_escapes(columns: list[Sequence[str]]) -> bool:
    """Whether texts are written as they are: an escape is longer than what it stands for."""
    texts = "".join(["".join(values) for values in columns])
    return len(orjson.dumps(texts)) == (len(texts) if texts.isascii() else len(texts.encode())) + 2


def _words(values: Sequence[Any]) -> list[str]:
    """Numbers, booleans and nulls as they are written, which is without commas."""
    text = orjson.dumps(values).decode()
    if len(text) == len("[]"):
        return []
    if '"' in text or "[" in text[1:] or "{" in text:
        raise ValueError
    return text[1:-1].split(",")


def _numbers(values: Sequence[Any], kinds: set[type]) -> list[str] | None:
    """Numbers and nulls as they are written, whole numbers without fraction; None when it takes more than that."""
    if not values:
        return []
    text = orjson.dumps(values).decode()[1:-1] + ","
    # Large and very small numbers, minus zero, what is no number, and integers that are too large for the language.
    if "e" in text or "-0.0," in text or ("n" in text and type(None) not in kinds):
        return None
    if int in kinds and _LONG.search(text) is not None:
        return None
    return text.replace(".0,", ",")[:-1].split(",")
