"""A regular expression for the records of a shape, whose groups are the fields that a program reads.

It matches well-formed elements only: names and their order are spelt out, values exclude whatever XML forbids in them
or gives a meaning of its own (all but the five entities that always exist). Every choice in it is decided by the next
characters, so there is one way to match and no search for others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import msgspec

from rolltop.transform.compile.places import Place
from rolltop.transform.markup.shape import Attribute, Child, Element

__all__ = ["Field", "Leaf", "Level", "Record", "Rules", "Run", "Unsuitable", "level_of"]

_CONTROLS = r"\x00-\x08\x0b-\x1f"
_ENTITY = "&(?:amp|lt|gt|quot|apos);"
_GAP = r"[ \t\n]*"
_OPEN = "\x02"
"""Stands for the parenthesis of a group until it is known whether it captures."""
_LARGEST = 300


class Unsuitable(Exception):
    """The program needs of these records what a pattern cannot give; why."""


class _Values:
    """The patterns of values. `plain` ones are for texts that have neither `&` nor `]]>`, which was seen before."""

    def __init__(self, *, plain: bool) -> None:
        self._plain = plain
        character = rf"[^<{_CONTROLS}]" if plain else rf"[^<&\]{_CONTROLS}]"
        special = rf"(?:(?:{_ENTITY}|\](?!\]>)){character}*)*"
        self.text = f"{character}*" if plain else f"{character}*{special}"
        self.some_text = f"{character}+" if plain else f"(?=[^<]){self.text}"

    def attribute(self, quote: str, *, some: bool) -> str:
        if self._plain:
            return rf"[^<{quote}{_CONTROLS}\t\n]{'+' if some else '*'}"
        character = rf"[^<&{quote}{_CONTROLS}\t\n]"
        return f"{f'(?!{quote})' if some else ''}{character}*(?:{_ENTITY}{character}*)*"


@dataclass(slots=True)
class Leaf:
    """A text: an attribute's, or that of an element without anything else."""

    place: Place
    group: int
    optional: bool
    """It may be missing, which shows as no text."""
    within: int | None
    """The group that tells whether the record is there in which this is."""
    attribute: bool


@dataclass(slots=True)
class Record:
    """An element of which attributes or children are read."""

    place: Place
    make: Any
    fields: list[Field | None]
    """In the order of the structure; None is never there."""
    presence: int | None


@dataclass(slots=True)
class Run:
    """An array: all elements of one name, in one group."""

    place: Place
    group: int
    level: Level
    within: int | None


Field = Leaf | Record | Run


@dataclass(slots=True)
class Level:
    """The pattern of one element of an array, and what its groups are."""

    source: str
    """With open groups; for the level around."""
    pattern: re.Pattern[str]
    field: Leaf | Record
    marks: tuple[str, ...]
    """Texts of which each element of a run has one."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides on patterns besides the shape and the fields read."""

    arrays: frozenset[str]
    """Elements that are arrays even when there is one."""
    several: frozenset[Place]
    """Places for which one element that is no array does not serve."""
    plain: bool
    """For texts without `&` and `]]>`."""


def level_of(element: Element, place: Place, rules: Rules, *, outermost: bool = False) -> Level:
    """The level of an array's elements. The outermost one has a last group for all that did not match."""
    composer = _Composer(rules)
    if _same_name_inside(element, element.name):
        raise Unsuitable(f"<{element.name}> contains elements of its own name")
    source, field = composer.element(element, place, None)
    pattern = source.replace(_OPEN, "(")
    if outermost:
        padding = "()" * (composer.groups == 0)
        pattern = f"{_GAP}{pattern}{padding}|(?s:(.+))"
    starts = tuple(f"<{element.name}{after}" for after in (" ", ">", "/"))
    marks = starts if element.bare else (f"</{element.name}>",)
    return Level(source, re.compile(pattern), field, marks)


def _same_name_inside(element: Element, name: str) -> bool:
    return any(child.element.name == name or _same_name_inside(child.element, name) for child in element.children)


class _Composer:
    """Writes one pattern and counts its groups and elements."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.values = _Values(plain=rules.plain)
        self.groups = 0
        self._elements = 0

    def _group(self) -> int:
        self.groups += 1
        return self.groups - 1

    def element(self, element: Element, place: Place, within: int | None) -> tuple[str, Leaf | Record]:
        """An element that is read; `within` is the group that tells whether its parent is there."""
        if place.form == "list":
            raise Unsuitable(f"an array of arrays <{element.name}>")
        if place.form == "record":
            return self._record(element, place, within, presence=None)
        return self._leaf(element, place, within, optional=False)

    # ---- what is read -----------------------------------------------------------------------

    def _leaf(self, element: Element, place: Place, within: int | None, *, optional: bool) -> tuple[str, Leaf]:
        if element.children:
            raise Unsuitable(f"<{element.name}> is used as a whole")
        if not all(attribute.name.startswith("xmlns") for attribute in element.attributes):
            raise Unsuitable(f"<{element.name}> has attributes and is used as a whole")
        head = self._head(element, None, None)[0]
        leaf = Leaf(place, self._group(), optional, within, attribute=False)
        return f"{head}>{_OPEN}{self.values.some_text})</{re.escape(element.name)}>", leaf

    def _record(self, element: Element, place: Place, within: int | None, presence: int | None) -> tuple[str, Record]:
        if element.text and _may_be_scalar(element):
            raise Unsuitable(f"<{element.name}> has text where elements are read")
        inner = presence if presence is not None else within
        head, read = self._head(element, place, inner)
        contents = []
        for child in element.children:
            code, field = self._child(child, place.fields.get(child.element.name), inner, self._gap(element))
            contents.append(code)
            if field is not None:
                read[child.element.name] = field
        fields = [self._field(element, name, read, one) for name, one in place.fields.items()]
        make = msgspec.defstruct("Record", [(one.attribute, Any) for one in place.fields.values()], gc=False)
        return head + self._closed(element, contents), Record(place, make, fields, presence)

    def _field(self, element: Element, name: str, read: dict[str, Field], place: Place) -> Field | None:
        found = read.get(name)
        may_be_missing = found is None or (isinstance(found, Leaf) and found.optional)
        if (
            name.startswith("@")
            and may_be_missing
            and any(child.element.name == name[1:] for child in element.children)
        ):
            raise Unsuitable(f"<{element.name}> has elements {name[1:]} where it has no attribute of that name")
        if found is None and place.required:
            raise Unsuitable(f"<{element.name}> has no {name}")
        return found

    def _child(self, child: Child, place: Place | None, within: int | None, gap: str) -> tuple[str, Field | None]:
        """A child with the gap after it."""
        element = child.element
        if place is None:
            return _times(self._skipped(element) + gap, child, several=child.repeated), None
        if place.form == "list":
            return self._run(child, place, within, gap)
        if element.name in self.rules.arrays:
            raise Unsuitable(f"<{element.name}> is always an array")
        if place.form != "record":
            code, leaf = self._leaf(element, place, within, optional=child.optional)
            return _times(code + gap, child), leaf
        presence = self._group() if child.optional else None
        code, record = self._record(element, place, within, presence)
        if presence is not None:
            start = f"<{re.escape(element.name)}"
            code = f"{_OPEN}{start}){code[len(start) :]}"
        return _times(code + gap, child), record

    def _run(self, child: Child, place: Place, within: int | None, gap: str) -> tuple[str, Run]:
        """All elements of one name. One alone is no array, unless it is said to be one or only mapped."""
        level = level_of(child.element, place.items(), self.rules)
        one_serves = place not in self.rules.several and place.items().form == "record"
        least = "+" if one_serves or child.element.name in self.rules.arrays else "{2,}"
        run = Run(place, self._group(), level, within)
        one = level.source.replace(_OPEN, "(?:")
        return _times(f"{_OPEN}(?:{one}{gap}){least})", child), run

    # ---- what is only passed over -----------------------------------------------------------

    def _skipped(self, element: Element) -> str:
        head = self._head(element, None, None)[0]
        gap = self._gap(element)
        contents = [
            _times(self._skipped(child.element) + gap, child, several=child.repeated) for child in element.children
        ]
        return head + self._closed(element, contents)

    def _closed(self, element: Element, contents: list[str]) -> str:
        """From the end of the start tag on: the contents, each of which brings the white space after it."""
        name = re.escape(element.name)
        whole = f">{self._gap(element)}{''.join(contents)}</{name}>"
        may_be_bare = element.bare and all(child.optional for child in element.children)
        return f"(?:/>|{whole})" if may_be_bare else whole

    def _head(self, element: Element, place: Place | None, within: int | None) -> tuple[str, dict[str, Field]]:
        """The start tag without its end, and the attributes of it that are read."""
        self._elements += 1
        if self._elements > _LARGEST:
            raise Unsuitable("the records have too many elements")
        read: dict[str, Field] = {}
        parts = [f"<{re.escape(element.name)}"]
        for attribute in element.attributes:
            inner = place.fields.get(f"@{attribute.name}") if place is not None else None
            if inner is not None:
                read[f"@{attribute.name}"] = Leaf(inner, self._group(), attribute.optional, within, attribute=True)
            parts.append(self._attribute(attribute, read=inner is not None, apart=within is not None))
        return "".join(parts), read

    def _attribute(self, attribute: Attribute, *, read: bool, apart: bool) -> str:
        """An attribute. When no text means that it is missing, an empty one is left to the exact reader."""
        quote = attribute.quote
        value = self.values.attribute(quote, some=read and (attribute.optional or apart))
        code = f" {re.escape(attribute.name)}={quote}{f'{_OPEN}{value})' if read else value}{quote}"
        return f"(?:{code})?" if attribute.optional else code

    def _gap(self, element: Element) -> str:
        """What may be between the children of an element."""
        return self.values.text if element.text else _GAP if element.spaced else ""


def _times(code: str, child: Child, *, several: bool = False) -> str:
    count = ("*" if several else "?") if child.optional else "+" if several else ""
    return f"(?:{code}){count}" if count else code


def _may_be_scalar(element: Element) -> bool:
    """Whether one with text could be read as that text: it has nothing else."""
    has_attribute = any(not one.optional and not one.name.startswith("xmlns") for one in element.attributes)
    return not has_attribute and all(child.optional for child in element.children)
