"""Pieces of XML: elements at a path inside the root, as they are closed.

Two readers take turns. The exact one (`Records`, on expat) makes values of everything. From the end of a record on,
the scanner (`marked`) takes all records that its pattern proves to be well-formed; the parser never sees those, and
goes on where they end as if it had: it is between two elements before and after.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from typing import Any

from rolltop.transform.formats.xml_read import Builder, Piece
from rolltop.transform.stream.patterns import MarkedPiece, Scanner

__all__ = ["NoRecords", "Records", "element_pieces"]

_RECORDS = 500
_WINDOW = 1 << 18
"""Characters that are scanned at once."""
_LEAST_WINDOW = 1 << 12
_STRIDE = 1 << 10
_WAIT = 8
"""So many blocks may go by without the end of a record before the parser takes them."""
_CODECS = {"utf-8": "utf-8", "us-ascii": "ascii", "iso-8859-1": "latin-1"}
"""What expat knows by itself, and reads as Python does."""
_DECLARATION = re.compile(rb"<\?xml[^>]* encoding=[\"']([\w.-]+)")


class NoRecords(Exception):
    """The document has no array at the path."""


class Records(Builder):
    """Takes the elements at a path out of the tree as soon as they are complete."""

    def __init__(self, path: tuple[str, ...], arrays: frozenset[str]) -> None:
        super().__init__(arrays)
        self._path = path
        self.shallow = len(path)
        self._opened = dict.fromkeys(path[:-1], 0)
        self._shift = (1, 0, 1, 0)
        self._end_tag = len(path[-1].encode()) + 3
        self._ended = -1
        self._given = 0
        self.records: list[Any] = []
        self.document_type = False

    def begin(self, encoding: str | None = None) -> None:
        super().begin(encoding)
        self.parser.StartDoctypeDeclHandler = self._document_type

    def _document_type(self, *declared: Any) -> None:
        self.document_type = True

    def shallow_start(self, name: str) -> None:
        depth = len(self.open)
        if depth < self.shallow and self._on_path():
            self._opened[name] += 1
            if self._opened[name] > 1:
                raise NoRecords

    def _on_path(self) -> bool:
        return all(frame[1] == wanted for frame, wanted in zip(self.open, self._path, strict=False))

    def shallow_end(self, name: str, value: Any, outer: list[Piece]) -> None:
        depth = len(self.open) + 1
        if depth == self.shallow and name == self._path[-1] and self._on_path():
            self.records.append(value)
            self._ended = self.parser.CurrentByteIndex
            outer.clear()  # what stands between records is not asked for
        elif depth > 1:
            outer.append((name, value))
        else:
            self.root = (name, value)

    def at_record(self) -> bool:
        """Whether the element that was opened last is a record."""
        return len(self.open) == self.shallow and self._on_path()

    def taken(self) -> list[Any]:
        """The records that are complete; they are not kept."""
        records, self.records = self.records, []
        return records

    def take(self, block: str | bytes) -> None:
        self._given += len(block)
        super().take(block)

    def is_between(self) -> bool:
        """Whether what was taken so far ends with the end tag of a record, and not inside a comment after one."""
        return self._ended >= 0 and self._ended + self._end_tag == self.parser.CurrentByteIndex == self._given

    def skip(self, text: str) -> None:
        """Whole records, which come next, are not given to the parser."""
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber
        at_line, at_column = self.place(line, column)
        lines = text.count("\n")
        at_column = len(text) - text.rindex("\n") - 1 if lines else at_column + len(text)
        self._shift = (line, column, at_line + lines, at_column)

    def place(self, line: int, column: int) -> tuple[int, int]:
        from_line, from_column, to_line, to_column = self._shift
        if line == from_line:
            return to_line, column - from_column + to_column
        return line - from_line + to_line, column


class _Reader:
    """Reads one document with the exact reader and the scanner."""

    def __init__(self, runner: Any, scanner: Scanner, path: tuple[str, ...], size: int, *, least: int) -> None:
        self._least = least
        self._runner = runner
        self._path = path
        self._size = size
        self._end_tag = f"</{path[-1]}>"
        self._exact = Records(path, scanner.arrays)
        self._scanner = None if scanner.hopeless else scanner
        self._codec: str | None = None
        self._told = False
        """Whether the encoding came with the document, and not in it."""
        self._window = _WINDOW
        self._stride = 0
        """Characters that the parser is given at least: more and more while what looks like an end tag is none."""
        self._count = 0

    def pieces(self, read: Callable[[int], bytes], codec: str | None) -> Iterator[Any]:
        """What the runner makes of each piece."""
        self._exact.begin(codec)
        self._codec, self._told = codec, codec is not None
        held = b""
        end_tag = self._end_tag.encode()
        blank = True
        while block := read(self._size):
            blank = blank and block.isspace()
            searched = max(0, len(held) - len(end_tag))
            held += block
            cut = held.rfind(end_tag, searched) + len(end_tag)
            if self._scanner is None or (cut < len(end_tag) and len(held) > _WAIT * self._size):
                self._exact.take(held)
                held = b""
                yield from self._values(min(_RECORDS, self._size))
            elif cut >= len(end_tag):
                whole, held = held[:cut], held[cut:]
                yield from self._pieces_of(whole)
        if blank:
            raise NoRecords
        self._exact.take(held)
        self._exact.finish()
        if self._count + len(self._exact.records) < self._least:
            raise NoRecords  # one element is an object, not an array
        yield from self._values(0)

    def _values(self, least: int) -> Iterator[Any]:
        """The piece of the records that were read exactly, when there are so many."""
        if len(self._exact.records) >= least:
            records = self._exact.taken()
            self._count += len(records)
            yield self._runner.of_value(_document(self._path, records))

    def _pieces_of(self, block: bytes) -> Iterator[Any]:
        """The pieces of a block that ends with an end tag, or with what looks like one."""
        text = self._decoded(block)
        if text is None:
            self._scanner = None
            self._exact.take(block)
            yield from self._values(min(_RECORDS, self._size))
            return
        at = 0
        while at < len(text):
            if self._scanner is not None and self._scanner.ready and self._exact.is_between():
                at = yield from self._scanned(text, at)
            if at < len(text):
                at = self._step(text, at)
            yield from self._values(min(_RECORDS, self._size))

    def _decoded(self, block: bytes) -> str | None:
        """The block as text with its line ends as XML has them; None when only the parser can tell what it is."""
        if self._codec is None:
            declared = _DECLARATION.match(block)
            self._codec = _codec_of(declared[1].decode() if declared else None)
        try:
            text = block.decode(self._codec) if self._codec else None
        except UnicodeDecodeError:
            return None
        if text is None or "\0" in text or (not text.isascii() and ("\ufffe" in text or "\uffff" in text)):
            return None
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    def _scanned(self, text: str, at: int) -> Generator[Any, None, int]:
        """Let the scanner take what it can of one window; the place where it stopped."""
        assert self._scanner is not None
        end = text.rfind(self._end_tag, at, at + self._window) + len(self._end_tag)
        if end < at + len(self._end_tag):
            self._window = _WINDOW
            return at  # a record this large is not worth a pattern
        plain = text.find("&", at, end) < 0 and text.find("]]>", at, end) < 0
        rows, stop = self._scanner.rows(text, at, end, plain=plain)
        if rows:
            yield from self._values(1)
            self._count += len(rows)
            piece = MarkedPiece(self._scanner, rows, text[at:stop], self._given, plain=plain)
            yield self._runner.of_markup(piece)
            if not piece.was_read:
                self._exact.skip(piece.text)
        self._window = min(_WINDOW, self._window * 2) if stop == end else max(_LEAST_WINDOW, self._window // 4)
        return stop

    def _given(self, text: str) -> Any:
        """The document of records that the scanner took, after all."""
        self._exact.take(self._bytes_of(text))
        return _document(self._path, self._exact.taken())

    def _step(self, text: str, at: int) -> int:
        """Give the parser what comes up to the next end tag; the place behind that."""
        end = -1
        if self._scanner is not None:
            end = text.find(self._end_tag, at + self._stride)
        end = end + len(self._end_tag) if end >= 0 else len(text)
        known = self._exact.is_between()
        before = len(self._exact.records)
        self._exact.take(self._bytes_of(text[at:end]))
        if self._scanner is not None and self._is_foreign():
            self._scanner = None
        between = self._exact.is_between()
        self._stride = 0 if between else max(_STRIDE, self._stride * 2)
        if self._scanner is not None and between:
            alone = known and len(self._exact.records) == before + 1
            self._scanner.missed(text[at:end] if alone else None)
            if self._scanner.hopeless:
                self._scanner = None
        return end

    def _bytes_of(self, text: str) -> bytes:
        return text.encode(self._codec or "utf-8")

    def _is_foreign(self) -> bool:
        """Whether the document has a type, which may change what is in it, or is not in the encoding it seems to be."""
        if self._exact.document_type:
            return True
        return not self._told and bool(self._exact.open) and _codec_of(self._exact.encoding) != self._codec


def _codec_of(encoding: str | None) -> str:
    """Python's name of an encoding that is read here; none for all others."""
    return _CODECS.get((encoding or "utf-8").lower(), "")


def element_pieces(
    read: Callable[[int], bytes],
    path: tuple[str, ...],
    runner: Any,
    scanner: Scanner,
    *,
    size: int,
    codec: str | None = None,
    least: int = 2,
) -> Iterator[Any]:
    """What the runner makes of each piece of the document, as a document that has only these elements.

    The codec is that of the bytes when it is known, whatever the document says. In a part of a document there may be
    fewer records than the two that make an array of it.
    """
    if len(set(path)) != len(path) or scanner.arrays & set(path):
        raise NoRecords
    yield from _Reader(runner, scanner, path, size, least=least).pieces(read, codec)


def _document(path: tuple[str, ...], records: list[Any]) -> Any:
    value: Any = records
    for name in reversed(path):
        value = {name: value}
    return value
