"""Skip records that the code drops by one field: the decoder reads only that field of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any, NamedTuple, Union

import msgspec

from rolltop.transform.compile.places import Place, record_type

__all__ = ["Kept", "Sieve", "kept_by"]

_SAMPLE = 32
"""Records from which the share of those that are dropped can be told."""
_VALUES = 24
"""A field with more values than these is not one that records are told apart by."""
_WORTH_WHILE = 0.25
"""The share of records that are dropped from which skipping them pays for finding the field first."""
_LOOKS = 4
"""So often records are looked at that teach nothing."""
_RECORDS = re.compile(r"def run\((\w+)\):")
Decode = Callable[[Any], Any]


class Kept(NamedTuple):
    """The records that code looks at: those in which an attribute has a value."""

    attribute: str
    value: str


def kept_by(source: str) -> Kept | None:
    """Which records the code of a function of all records looks at; None when it may look at any.

    Only one loop may go over the records, and all that it does has to be under one condition.
    """
    opening = _RECORDS.match(source)
    if opening is None or len(re.findall(rf"\b{opening[1]}\b", source)) != 2:
        return None
    lines = source.split("\n")
    at = next(at for at, line in enumerate(lines[1:], 1) if opening[1] in line)
    found = _loop(lines, at, opening[1]) or _comprehension(lines, at, opening[1])
    if found is None:
        return None
    item, test, end = found
    elsewhere = "\n".join([*lines[:at], *lines[end:]])
    return _equality(test, item) if not re.search(rf"\b{item}\b", elsewhere) else None


def _loop(lines: list[str], at: int, records: str) -> tuple[str, ast.expr, int] | None:
    """The item, the condition and the last line of a `for`, when it has but one `if`."""
    head = re.fullmatch(rf"( +)for (t[0-9]+) in {records}:", lines[at])
    if head is None:
        return None
    inside = head[1] + " "
    end = next((end for end in range(at + 1, len(lines)) if not lines[end].startswith(inside)), len(lines))
    test = re.fullmatch(rf"{inside}if (.+):", lines[at + 1])
    if test is None or not all(line.startswith(inside + " ") for line in lines[at + 2 : end]):
        return None
    found = _conditions(head[2], test[1])
    return (head[2], found[0], end) if found is not None and len(found) == 1 else None


def _comprehension(lines: list[str], at: int, records: str) -> tuple[str, ast.expr, int] | None:
    """The same for a list."""
    found = re.fullmatch(rf" +\w+ = \[.+ for (t[0-9]+) in {records} if (.+)\]", lines[at])
    tests = _conditions(found[1], found[2]) if found is not None else None
    return (found[1], tests[0], at + 1) if found is not None and tests else None


def _conditions(item: str, code: str) -> list[ast.expr] | None:
    """The conditions that stand after an `if`; None when the code is something else."""
    try:
        parsed = ast.parse(f"[0 for {item} in x if {code}]", mode="eval").body
    except SyntaxError:
        return None
    return parsed.generators[0].ifs if isinstance(parsed, ast.ListComp) and len(parsed.generators) == 1 else None


def _equality(test: ast.expr, item: str) -> Kept | None:
    """The comparison that a test begins with: without it nothing more is looked at."""
    match test:
        case ast.BoolOp(ast.And(), [first, *_]):
            return _equality(first, item)
        case ast.Compare(ast.Attribute(ast.Name(name), attribute), [ast.Eq()], [ast.Constant(str(value))]):
            return Kept(attribute, value) if name == item else None
    return None


class Sieve:
    """Decodes arrays of records, and lines of them; those that are dropped have no more than the field in question."""

    def __init__(self, element: Place, kept: Kept, whole: Decode, whole_line: Decode) -> None:
        self._kept = kept
        self._element = element
        self._key = next(place.key for place in element.fields.values() if place.attribute == kept.attribute)
        self._whole, self._whole_line = whole, whole_line
        self._types: dict[str, Any] = {}
        """The structures by the values of the field, as far as they are known."""
        self._sifting: tuple[Decode, Decode] | None = None
        self._runs = self._failures = 0
        self._looks = _LOOKS

    def decode(self, text: Any) -> Any:
        """The records of an array."""
        if (sifting := self._sifting) is not None:
            self._runs += 1
            try:
                return sifting[0](text)
            except msgspec.ValidationError:
                self._fail()
        return self._seen(self._whole(text))

    def decode_lines(self, lines: list[bytes]) -> list[Any]:
        """The records of lines."""
        if (sifting := self._sifting) is not None:
            self._runs += 1
            try:
                return list(map(sifting[1], lines))
            except msgspec.ValidationError:
                self._fail()
        return self._seen(list(map(self._whole_line, lines)))

    def _fail(self) -> None:
        self._failures += 1
        if self._failures > _LOOKS + len(self._types) and self._failures * 8 > self._runs:
            self._sifting = None

    def _seen(self, records: list[Any]) -> list[Any]:
        """The same records; what they show is learnt."""
        if self._looks > 0 and len(records) >= _SAMPLE:
            self._learn([getattr(record, self._kept.attribute) for record in records])
        return records

    def _learn(self, values: list[Any]) -> None:
        dropped = len(values) - values.count(self._kept.value)
        names = {self._kept.value, *self._types, *(value for value in values if isinstance(value, str))}
        if len(names) > _VALUES or dropped < len(values) * _WORTH_WHILE or names == self._types.keys():
            self._looks -= 1
            return
        try:
            self._types.update({name: self._type(name) for name in names - self._types.keys()})
            one: Any = Union[tuple(self._types.values())]  # noqa: UP007 - how many there are is not known before
            self._sifting = msgspec.json.Decoder(list[one]).decode, msgspec.json.Decoder(one).decode
        except ValueError:  # half a surrogate pair, which no text of JSON has
            self._looks = 0

    def _type(self, value: str) -> Any:
        fields = [place for place in self._element.fields.values() if place.attribute != self._kept.attribute]
        space = {self._kept.attribute: value}
        return record_type(fields if value == self._kept.value else [], tag_field=self._key, tag=value, namespace=space)
