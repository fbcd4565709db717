"""Records written inside the object that the result is, as they come.

What is around the records shows when the object is written with one record that is a mark. A part is made in the same
way: it is written with something around it, which is then cut off.
"""

from __future__ import annotations

import secrets
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from rolltop.transform.errors import WriteFailure
from rolltop.transform.formats import json
from rolltop.transform.stream.sinks import Sink, Write

__all__ = ["Enclosed", "EnclosedJson", "EnclosedXml"]


class Place:
    """An object, and where in it the records are."""

    def __init__(self, value: Any, path: tuple[str, ...]) -> None:
        self._value = self._holder = value
        for key in path[:-1]:
            self._holder = self._holder[key]
        self._key = path[-1]

    def holding(self, records: list[Any]) -> Any:
        """The object with these records; the same one each time."""
        self._holder[self._key] = records
        return self._value


class Enclosed(Sink):
    """`value` is the result without records; they go to its place `path`."""

    between = b"\n"
    """What is between two records."""

    def __init__(self, write: Write, options: Mapping[str, Any], value: Any, path: tuple[str, ...]) -> None:
        super().__init__(write, options)
        self._place = Place(value, path)
        self._before, self._after = self._around(self._place)
        self._empty = True

    @abstractmethod
    def _render(self, value: Any) -> bytes:
        """An object as it is written."""

    @abstractmethod
    def _around(self, place: Place) -> tuple[bytes, bytes]:
        """What is written before the first record, and after the last."""

    def add(self, encoded: bytes) -> None:
        if encoded:
            self._write(self._before if self._empty else self.between)
            self._write(encoded)
            self._empty = False

    def close(self) -> None:
        ended = self._render(self._place.holding([])) if self._empty else self._after
        self._write(ended if ended.endswith(b"\n") else ended + b"\n")


class EnclosedJson(Enclosed):
    """Inside an object of JSON. Parts are written inside bare objects, so nothing else is written with them."""

    takes_ready = True

    def __init__(self, write: Write, options: Mapping[str, Any], value: Any, path: tuple[str, ...]) -> None:
        super().__init__(write, options, value, path)
        bare: dict[str, Any] = {}
        for key in reversed(path):
            bare = {key: bare}
        self._bare = Place(bare, path)
        begun, ended = self._around(self._bare)
        self._cut = slice(len(begun), -len(ended))
        self.between = b"," + begun[begun.rfind(b"\n") :] if b"\n" in begun else b","

    def _render(self, value: Any) -> bytes:
        return json.encode(value, self._options)

    def _around(self, place: Place) -> tuple[bytes, bytes]:
        mark = secrets.token_hex(16)
        before, _, after = self._render(place.holding([mark])).partition(f'"{mark}"'.encode())
        return before, after

    def encode(self, records: list[Any]) -> bytes:
        return self._part(records, json.encode)

    def encode_ready(self, records: list[Any]) -> bytes:
        return self._part(records, json.encode_ready)

    def _part(self, records: list[Any], encode: Callable[[Any, Mapping[str, Any]], bytes]) -> bytes:
        return encode(self._bare.holding(records), self._options)[self._cut] if records else b""


class EnclosedXml(Enclosed):
    """Inside an element of XML, in UTF-8.

    Records of one property each, if all are such, share one element and bring the names of those inside it. The first
    ones decide; what turns out otherwise later cannot be written any more.
    """

    def __init__(self, write: Write, options: Mapping[str, Any], value: Any, path: tuple[str, ...]) -> None:
        from rolltop.transform.formats import xml_write  # noqa: PLC0415 - JSON is not to wait for XML

        self._writer = xml_write
        self._name = path[-1].encode()
        self._mark = secrets.token_hex(16)
        self._shared: bool | None = None
        super().__init__(write, options, value, path)

    @property
    def decided(self) -> bool:
        return self._shared is not None

    def _render(self, value: Any) -> bytes:
        return self._writer.write(value, self._options).encode()

    def _around(self, place: Place) -> tuple[bytes, bytes]:
        """Up to the line of the first record, and from the end of the last one's."""
        before, _, after = self._render(place.holding([self._mark])).partition(self._marked)
        self._indent = before[before.rfind(b"\n") + 1 :]
        return before[: len(before) - len(self._indent)], after

    @property
    def _marked(self) -> bytes:
        return b"<%b>%b</%b>" % (self._name, self._mark.encode(), self._name)

    def encode(self, records: list[Any]) -> bytes:
        if not records:
            return b""
        shared = all(map(self._writer.is_single, records))
        if self._shared is None:
            self._decide(shared=shared)
        elif self._shared and not shared:
            raise WriteFailure(
                "until here all records had one property each, which names their elements; this one has not",
                hint="Read the input as a whole: --no-stream.",
            )
        # With the mark among them they are never all of one property.
        return self._render(self._place.holding(records if self._shared else [*records, self._mark]))[self._cut]

    def _decide(self, *, shared: bool) -> None:
        self._shared = shared
        if shared:
            self._before += b"%b<%b>\n" % (self._indent, self._name)
            self._after = b"\n%b</%b>%b" % (self._indent, self._name, self._after)
        cut_off = self._after if shared else b"\n" + self._indent + self._marked + self._after
        self._cut = slice(len(self._before), -len(cut_off))
