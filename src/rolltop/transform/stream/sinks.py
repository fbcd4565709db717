"""Write results as they come, in the bytes that writing everything at once gives."""

from __future__ import annotations

import secrets
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from rolltop.transform.errors import WriteFailure
from rolltop.transform.formats import json

__all__ = ["Enclosed", "EnclosedJson", "EnclosedXml", "Sink", "sink_for"]

Write = Callable[[bytes], Any]


class Sink:
    """An array of which a part is given at a time. `encode` may run in another process than `add`."""

    def __init__(self, write: Write, options: Mapping[str, Any]) -> None:
        self._write = write
        self._options = options

    takes_ready = False
    """Whether `encode_ready` is to be asked for records that have numbers as JSON shows them."""

    @property
    def decided(self) -> bool:
        """Whether parts may be encoded in any order from now on."""
        return True

    def encode(self, records: list[Any]) -> bytes:
        raise NotImplementedError

    def encode_ready(self, records: list[Any]) -> bytes:
        return self.encode(records)

    def add(self, encoded: bytes) -> None:
        """Write the next part; an empty one stands for no records."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class JsonSink(Sink):
    """Brackets around everything, commas between the parts."""

    takes_ready = True

    def __init__(self, write: Write, options: Mapping[str, Any]) -> None:
        super().__init__(write, options)
        compact = options.get("compact") is True
        self._brackets = (b"[", b",", b"]") if compact else (b"[\n", b",\n", b"\n]")
        self._width = 1 if compact else 2
        self._empty = True

    def encode(self, records: list[Any]) -> bytes:
        return json.encode(records, self._options)[self._width : -self._width] if records else b""

    def encode_ready(self, records: list[Any]) -> bytes:
        return json.encode_ready(records, self._options)[self._width : -self._width] if records else b""

    def add(self, encoded: bytes) -> None:
        if encoded:
            # Together: a separator of its own would cost a system call.
            self._write((self._brackets[0] if self._empty else self._brackets[1]) + encoded)
            self._empty = False

    def close(self) -> None:
        self._write(b"[]\n" if self._empty else self._brackets[2] + b"\n")


class LinesSink(Sink):
    """A line for each record."""

    takes_ready = True

    def encode(self, records: list[Any]) -> bytes:
        return json.encode_lines(records, self._options)

    def encode_ready(self, records: list[Any]) -> bytes:
        return json.encode_ready_lines(records, self._options)

    def add(self, encoded: bytes) -> None:
        self._write(encoded)

    def close(self) -> None:
        return None


class CsvSink(Sink):
    """Rows; the first record says what the columns are."""

    def __init__(self, write: Write, options: Mapping[str, Any]) -> None:
        from rolltop.transform.formats import csv  # noqa: PLC0415 - JSON is not to wait for tables

        super().__init__(write, options)
        self._rows = csv.Rows(options)
        self._nothing = csv.write([], options)

    @property
    def decided(self) -> bool:
        return not self._rows.untouched

    def encode(self, records: list[Any]) -> bytes:
        return self._rows.text(records).encode()

    def add(self, encoded: bytes) -> None:
        self._write(encoded)

    def close(self) -> None:
        if self._rows.untouched:
            self._write(self._nothing.encode())


def sink_for(format_: str, write: Write, options: Mapping[str, Any]) -> Sink:
    return {"json": JsonSink, "jsonl": LinesSink, "csv": CsvSink}[format_](write, options)


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
