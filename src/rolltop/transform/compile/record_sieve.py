"""Skip records that the code drops by one field: the decoder reads only that field of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Union

import msgspec

from rolltop.transform.compile.code import Field, Same, Text, Var
from rolltop.transform.compile.places import Place, record_type
from rolltop.transform.compile.record_loop import loop_over_records, parts_of
from rolltop.transform.compile.routine import Routine

__all__ = ["Kept", "Sieve", "kept_by"]

_SAMPLE = 32
"""Records from which the share of those that are dropped can be told."""
_VALUES = 24
"""A field with more values than these is not one that records are told apart by."""
_WORTH_WHILE = 0.25
"""The share of records that are dropped from which skipping them pays for finding the field first."""
_LOOKS = 4
"""So often records are looked at that teach nothing."""
Decode = Callable[[Any], Any]


class Kept(NamedTuple):
    """The records that code looks at: those in which an attribute has a value."""

    attribute: str
    value: str


def kept_by(routine: Routine) -> Kept | None:
    """Which records a routine looks at; None when it may look at any.

    Only one loop may go over the records, and all that it does has to be under one condition.
    """
    loop = loop_over_records(routine)
    if loop is None or not loop.tests:
        return None
    match parts_of(loop.tests)[0]:
        case Same(sides=(Field(target=Var(name=name), name=attribute), Text(value=value))) if name == loop.item:
            return Kept(attribute, value)
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
