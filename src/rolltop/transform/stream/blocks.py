"""Blocks of whole lines: JSON Lines, rows of CSV, and tables in encodings other than UTF-8."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from rolltop.errors import InvalidInput
from rolltop.transform.formats.text import MARKS, encoding_of

if TYPE_CHECKING:
    from rolltop.transform.formats.csv_table import Layout, Table

__all__ = [
    "BLOCK",
    "BrokenTable",
    "Lines",
    "as_utf8",
    "can_recode",
    "line_pieces",
    "table_pieces",
    "tables_of",
    "texts_of",
]


class Lines:
    """Whole lines, and the number that the first of them has in its file."""

    def __init__(self, block: bytes, first: int) -> None:
        self.block = block
        self.first = first

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines without their breaks; after the last break there is none."""
        found = self.block.split(b"\n")
        if not found[-1]:
            found.pop()
        return found


def line_pieces(
    read: Callable[[int], bytes], work: Callable[[Lines], Any], size: int = 1 << 20, *, first: int = 1
) -> Iterator[Any]:
    """What the work makes of each block of lines, numbered from `first` on."""
    held = b""
    while block := read(size):
        cut = block.rfind(b"\n") + 1
        if not cut:
            held += block
            continue
        piece, held = Lines(held + block[:cut], first), block[cut:]
        yield work(piece)
        first += len(piece.lines)
    if held.strip() or first == 1:
        yield work(Lines(held, first))


BLOCK = 1 << 17
"""Bytes that are cut into cells at a time: enough for a look at columns to pay."""


class BrokenTable(Exception):
    """The text is no CSV, or no UTF-8; where, reading it as a whole tells."""


def table_pieces(
    read: Callable[[int], bytes], options: Mapping[str, Any], work: Callable[[Table], Any], size: int
) -> Iterator[Any]:
    """What the work makes of each piece of a table."""
    from rolltop.transform.formats.csv_table import open_table  # noqa: PLC0415 - JSON does not wait for tables

    texts = texts_of(read, min(size, BLOCK))
    try:
        opening = open_table(texts, options)
        yield from map(work, tables_of(chain([opening.after], texts), opening.layout))
    except (csv.Error, UnicodeError):
        raise BrokenTable from None


def tables_of(texts: Iterator[str], layout: Layout) -> Iterator[Table]:
    """The parts of a table; there is at least one, as a program may fail even without records."""
    from rolltop.transform.formats.csv_table import Rows, Table, tables  # noqa: PLC0415 - as above

    parts = tables(texts, layout)
    return chain([next(parts, Table(layout, Rows([])))], parts)


def texts_of(read: Callable[[int], bytes], size: int, *, start: bool = True) -> Iterator[str]:
    """The text in blocks of whole lines; at the start of a file there may be a byte order mark."""
    block = read(size)
    if start and block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        raise BrokenTable
    held: list[bytes] = []
    block = block.removeprefix(codecs.BOM_UTF8) if start else block
    while block:
        # Where carriage returns alone end the lines, one may be cut from the line feed that would belong to it.
        cut = block.rfind(b"\n") + 1 or block.rfind(b"\r", 0, -1) + 1
        if cut:
            yield b"".join([*held, block[:cut]]).decode()
            held = [block[cut:]]
        else:
            held.append(block)
        block = read(size)
    if last := b"".join(held):
        yield last.decode()


Read = Callable[[int], bytes]
_WHOLE_ONLY = frozenset({"utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape"})
"""Encodings in which the beginning of a text may mean something else than it does when more of it is there."""


def can_recode(encoding: Any) -> bool:
    """Whether text in this encoding (an option of the program; None for UTF-8) can be read piece by piece."""
    try:
        name = encoding_of(encoding)
    except InvalidInput:  # reading says so
        return False
    return name not in _WHOLE_ONLY and codecs.lookup(name).incrementaldecoder is not None


def as_utf8(read: Read, encoding: Any) -> Read:
    """A reader of the same text in UTF-8. A byte order mark says more about the encoding than an option."""
    head = b""
    while len(head) < len(codecs.BOM_UTF32) and (more := read(len(codecs.BOM_UTF32) - len(head))):
        head += more
    mark, name = next((found for found in MARKS if head.startswith(found[0])), (b"", encoding_of(encoding)))
    return _after(head, read) if name == "utf-8" else _recoded(head[len(mark) :], read, name)


def _after(head: bytes, read: Read) -> Read:
    """What was read already, then the rest."""

    def first_or_next(size: int) -> bytes:
        nonlocal head
        if not head:
            return read(size)
        begun, head = head, b""
        return begun + read(max(1, size - len(begun)))

    return first_or_next


def _recoded(head: bytes, read: Read, name: str) -> Read:
    decoder = codecs.getincrementaldecoder(name)()
    text, ended = decoder.decode(head), False
    # A mark of ours, as the text may begin with a character that would be taken for one.
    mark = codecs.BOM_UTF8

    def block(size: int) -> bytes:
        nonlocal text, ended, mark
        while not text and not ended:
            data = read(size)
            ended = not data
            text = decoder.decode(data, final=ended)
        made = mark + text.encode()
        text, mark = "", b""
        return made

    return block
