"""How the records of a document are built, learnt from some of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Attribute", "Child", "Element", "Shape"]

_MOST = 300
"""Elements of a shape; a larger one would make a pattern that does not pay."""
_DEEPEST = 50
_NAME = r"[^\s<>/=\"']+"
_TOKEN = re.compile(
    rf"<(?P<end>/?)(?P<name>{_NAME})(?P<attributes>(?: {_NAME}=(?:\"[^\"<]*\"|'[^'<]*'))*)(?P<bare>/?)>"
    r"|(?P<text>[^<]+)|(?s:(?P<odd>.).*)"
)
_ATTRIBUTE = re.compile(rf" ({_NAME})=(\"[^\"]*\"|'[^']*')")


@dataclass(slots=True)
class Attribute:
    name: str
    quote: str
    optional: bool = False


@dataclass(slots=True)
class Element:
    """What is known of the elements at one place of a record."""

    name: str
    attributes: list[Attribute] = field(default_factory=list)
    children: list[Child] = field(default_factory=list)
    text: bool = False
    """Some have text that is not white space."""
    spaced: bool = False
    """Some have white space around their children."""
    bare: bool = False
    """Some are written `<name/>`."""


@dataclass(slots=True)
class Child:
    element: Element
    optional: bool = False
    repeated: bool = False


class _Irregular(Exception):
    """A record that no sequence of elements describes, or one that is written in an unusual way."""


class Shape:
    """The shape of all records seen so far."""

    def __init__(self) -> None:
        self.record: Element | None = None
        self.changes = 0
        """Grows whenever a record had something new."""

    def learn(self, text: str) -> None:
        """Take in one well-formed element. One that does not fit in teaches nothing."""
        try:
            seen = _element_of(text)
            if self.record is None:
                self.record, self.changes = seen, 1
            elif seen.name == self.record.name:
                self.changes += _merge(self.record, seen)
        except _Irregular:
            return


def _element_of(text: str) -> Element:
    """The shape of one record; the stack holds the elements around, the last closed run of each with it."""
    document = Element("")
    stack = [document]
    for token in _tokens(text):
        if token["text"] is not None:
            stack[-1].text |= not token["text"].isspace()
            stack[-1].spaced = True
        elif token["end"]:
            _close(stack)
        elif len(stack) > _DEEPEST:
            raise _Irregular
        else:
            bare = bool(token["bare"])
            stack.append(Element(token["name"], _attributes(token["attributes"]), bare=bare))
            if bare:
                _close(stack)
    if len(stack) != 1 or len(document.children) != 1 or document.text:
        raise _Irregular
    return document.children[0].element


def _tokens(text: str) -> Iterator[re.Match[str]]:
    for at, token in enumerate(_TOKEN.finditer(text)):
        if token["odd"] is not None or at > _MOST * 100:
            raise _Irregular  # a comment, CDATA, an instruction, blanks inside of a tag
        yield token


def _attributes(text: str) -> list[Attribute]:
    return [Attribute(name, value[0]) for name, value in _ATTRIBUTE.findall(text)]


def _close(stack: list[Element]) -> None:
    element, siblings = stack.pop(), stack[-1].children
    if siblings and siblings[-1].element.name == element.name:
        siblings[-1].repeated = True
        _merge(siblings[-1].element, element)
    elif any(child.element.name == element.name for child in siblings):
        raise _Irregular
    else:
        siblings.append(Child(element))


def _merge(known: Element, seen: Element) -> int:
    """Make the known shape allow for what was seen; how many things were new."""
    changes = _merge_attributes(known, seen) + _merge_children(known, seen)
    for flag in ("text", "spaced", "bare"):
        if getattr(seen, flag) and not getattr(known, flag):
            setattr(known, flag, True)
            changes += 1
    return changes


def _merge_attributes(known: Element, seen: Element) -> int:
    names = [attribute.name for attribute in seen.attributes]
    at = changes = 0
    for attribute in seen.attributes:
        place = _find([one.name for one in known.attributes], attribute.name, at)
        if place is None:
            attribute.optional = True
            known.attributes.insert(at, attribute)
            changes += 1
            at += 1
        else:
            at = place + 1
    for one in known.attributes:
        if one.name not in names and not one.optional:
            one.optional = True
            changes += 1
    return changes


def _merge_children(known: Element, seen: Element) -> int:
    names = [child.element.name for child in seen.children]
    at = changes = 0
    for child in seen.children:
        place = _find([one.element.name for one in known.children], child.element.name, at)
        if place is None:
            child.optional = True
            known.children.insert(at, child)
            changes += 1
            at += 1
        else:
            changes += _merge_child(known.children[place], child)
            at = place + 1
    for one in known.children:
        if one.element.name not in names and not one.optional:
            one.optional = True
            changes += 1
    return changes


def _merge_child(known: Child, seen: Child) -> int:
    changes = _merge(known.element, seen.element)
    for flag in ("optional", "repeated"):
        if getattr(seen, flag) and not getattr(known, flag):
            setattr(known, flag, True)
            changes += 1
    return changes


def _find(names: list[str], name: str, start: int) -> int | None:
    """Where a name is among the known ones, which has to be after what came before it."""
    if name not in names:
        return None
    place = names.index(name)
    if place < start:
        raise _Irregular
    return place
