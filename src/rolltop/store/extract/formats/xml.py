"""XML, piece by piece, without what makes XML dangerous: no entities are declared, nothing outside is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from rolltop.store.extract.formats.limits import Unreadable

__all__ = ["END", "START", "TEXT", "Event", "events"]

START, END, TEXT = "start", "end", "text"
Event = tuple[str, str, dict[str, str]]
"""(START, name, attributes), (END, name, {}) or (TEXT, text, {}); names without their namespaces."""

DEEPEST = 500
MOST_NAMES = 10_000
_NOTHING: dict[str, str] = {}
_PIECE = 1 << 16


def events(data: bytes, what: str) -> Iterator[Event]:
    """What the XML says, in order; `what` names it in refusals."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    seen = _Seen(what)
    parser.StartElementHandler = seen.start
    parser.EndElementHandler = seen.end
    parser.CharacterDataHandler = seen.text
    parser.EntityDeclHandler = seen.entity
    parser.ExternalEntityRefHandler = seen.outside
    view = memoryview(data)
    try:
        for place in range(0, len(view), _PIECE):
            parser.Parse(bytes(view[place : place + _PIECE]), False)
            yield from seen.taken()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        yield from seen.taken()
        raise Unreadable(f"{what} is not well-formed XML ({error})") from None
    yield from seen.taken()


class _Seen:
    def __init__(self, what: str) -> None:
        self._what = what
        self._events: list[Event] = []
        self._depth = 0
        self._names = _Names()

    def taken(self) -> list[Event]:
        found, self._events = self._events, []
        return found

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unreadable(f"{self._what} is nested more than {DEEPEST} deep")
        names = self._names
        said = {names[key]: value for key, value in attributes.items()} if attributes else attributes
        self._events.append((START, names[name], said))

    def end(self, name: str) -> None:
        self._depth -= 1
        self._events.append((END, self._names[name], _NOTHING))

    def text(self, text: str) -> None:
        self._events.append((TEXT, text, _NOTHING))

    def entity(self, *_: Any) -> None:
        raise Unreadable(f"{self._what} declares entities, which are not expanded")

    def outside(self, *_: Any) -> int:
        raise Unreadable(f"{self._what} refers to something outside of it")


class _Names(dict[str, str]):
    """Names without their namespaces; a document has few, and says each many times."""

    def __missing__(self, name: str) -> str:
        local = name.rpartition(" ")[2]
        if len(self) < MOST_NAMES:
            self[name] = local
        return local
