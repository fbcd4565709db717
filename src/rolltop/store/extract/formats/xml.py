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

    def taken(self) -> list[Event]:
        found, self._events = self._events, []
        return found

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unreadable(f"{self._what} is nested more than {DEEPEST} deep")
        self._events.append((START, _local(name), {_local(key): value for key, value in attributes.items()}))

    def end(self, name: str) -> None:
        self._depth -= 1
        self._events.append((END, _local(name), {}))

    def text(self, text: str) -> None:
        self._events.append((TEXT, text, {}))

    def entity(self, *_: Any) -> None:
        raise Unreadable(f"{self._what} declares entities, which are not expanded")

    def outside(self, *_: Any) -> int:
        raise Unreadable(f"{self._what} refers to something outside of it")


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
