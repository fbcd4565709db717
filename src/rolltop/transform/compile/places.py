"""Which parts of the input a program reads, and as what: the ground on which typed decoding stands.

While code is emitted, every path into the input becomes a `Place`. What the program does with the value
there is noted as a *use*: `num` and `str` (it must be one), `num?` and `str?` (one or null), `any` (its
kind is open, or it leaves our sight). Afterwards each place has a *form*, and the forms of all places
make one type for the decoder, which skips everything that is not read and checks what is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Annotated, Any, Optional, Union

import msgspec

from rolltop.transform.compile.blocks import Flow
from rolltop.transform.compile.scopes import CannotCompile
from rolltop.transform.values import INT_MAX, INT_MIN

__all__ = ["Groups", "Items", "Kind", "Place", "decoder_type", "record_type", "settle"]

# Larger integers are doubles in the language; a document that has one is read by the general reader.
_INTEGER = Annotated[int, msgspec.Meta(ge=INT_MIN, le=INT_MAX)]
_NUMBER = Union[_INTEGER, float]  # noqa: UP007 - one of them is annotated
_SCALAR = Union[_INTEGER, float, str, bool, None]  # noqa: UP007
_DEPTH = 4


def _any_type() -> Any:
    """Any value down to a few levels of nesting, with the bound on integers at every level."""
    found: Any = _SCALAR
    for _ in range(_DEPTH):
        found = Union[_INTEGER, float, str, bool, None, list[found], dict[str, found]]  # noqa: UP007
    return found


_ANY = _any_type()


class Place:
    """A value inside the input, reached by properties and elements."""

    __slots__ = ("attribute", "element", "fields", "form", "key", "required", "uses")

    def __init__(self, key: str, attribute: str = "") -> None:
        self.key = key
        self.attribute = attribute
        self.fields: dict[str, Place] = {}
        self.element: Place | None = None
        self.uses: set[str] = set()
        self.required = False
        """Something is read of it without asking whether it is null."""
        self.form: str | None = None
        """`record`, `list`, `num`, `str` or `any`, once all uses are known."""

    def field(self, name: str) -> Place:
        found = self.fields.get(name)
        if found is None:
            found = self.fields[name] = Place(name, f"f{len(self.fields)}")
        return found

    def items(self) -> Place:
        if self.element is None:
            self.element = Place("[]")
        return self.element

    def is_plain(self) -> bool:
        """Whether the decoder makes ordinary values of it, or may still be told to."""
        return self.form != "record" and (self.form != "list" or self.items().is_plain())

    def unsettled(self) -> bool:
        """Whether something below was found only after the forms were given."""
        inside = [*self.fields.values(), *([self.element] if self.element else [])]
        return self.form is None or (self.form in ("record", "list") and any(place.unsettled() for place in inside))

    def walk(self, path: str = "") -> Iterator[tuple[str, Place]]:
        """The places that are decoded as values of their own, with their paths."""
        if self.form == "record":
            for name, inner in self.fields.items():
                yield from inner.walk(f"{path}.{name}" if path else name)
        elif self.form == "list":
            yield from self.items().walk(f"{path}[]")
        else:
            yield path, self


class Items:
    """The kind of an array that the program made, or filtered: what its elements are, and where they are at hand."""

    __slots__ = ("element", "flow")

    def __init__(self, element: Kind, flow: Flow | None = None) -> None:
        self.element = element
        self.flow = flow


class Groups:
    """The kind of an object of arrays, as `groupBy` makes it."""

    __slots__ = ("element",)

    def __init__(self, element: Kind) -> None:
        self.element = element


Kind = str | Place | Items | Groups | None


def settle(place: Place, *, strict: bool) -> None:
    """Give a place and all below it their forms. Not `strict`: leaves may be anything, everything may be missing."""
    place.form = _form(place)
    if place.form == "record":
        for inner in place.fields.values():
            settle(inner, strict=strict)
    elif place.form == "list":
        settle(place.items(), strict=strict)
    elif not strict:
        place.form = "any"
    place.required = strict and (place.required or bool(place.uses & {"num", "str"}))


def _form(place: Place) -> str:
    if place.fields or place.element is not None:
        mixed = bool(place.fields) == (place.element is not None)
        return "any" if place.uses or mixed else "record" if place.fields else "list"
    kinds = {use.rstrip("?") for use in place.uses} - {"any"}
    return kinds.pop() if len(kinds) == 1 else "any"


def decoder_type(place: Place) -> Any:
    """The decoder's type for a settled place."""
    if place.form == "record":
        return record_type(place.fields.values())
    if place.form == "list":
        element = place.items()
        inner = decoder_type(element)
        may_be_null = element.form in ("num", "str") and not element.required
        return list[Optional[inner] if may_be_null else inner]  # type: ignore[misc] # noqa: UP045
    return {"num": _NUMBER, "str": str, "any": _ANY}[place.form or "any"]


def record_type(places: Collection[Place], **more: Any) -> Any:
    """A structure that has the fields read, under names of our own; `more` is for the decoder."""
    if any(set(place.key) & _UNNAMEABLE or not place.key.isprintable() for place in places):
        raise CannotCompile("a property whose name needs escapes")
    fields = [_field(place) for place in places]
    fields.sort(key=len)  # those without a default come first
    names = {place.attribute: place.key for place in places}
    # They hold no cycles, and their containers are watched: without gc they are cheaper.
    return msgspec.defstruct("Record", fields, rename=names, gc=False, **more)


_UNNAMEABLE = frozenset('"\\')


def _field(place: Place) -> tuple[str, Any] | tuple[str, Any, Any]:
    type_ = decoder_type(place)
    if place.required:
        return place.attribute, type_
    return place.attribute, Optional[type_], None  # noqa: UP045
