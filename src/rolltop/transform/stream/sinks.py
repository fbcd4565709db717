"""Results written as they come, in the very bytes that writing everything at once gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rolltop.transform.formats import json

__all__ = ["Sink", "sink_for"]

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
