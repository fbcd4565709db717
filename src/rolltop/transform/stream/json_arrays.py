"""Pieces of a JSON array that is read block by block, at the top or inside an object."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import msgspec
import orjson

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.json import refused
from rolltop.transform.formats.text import NOT_UTF8
from rolltop.transform.stream.code import NotJson
from rolltop.transform.stream.positions import ReadAgain, Whereabouts

__all__ = ["ArrayPieces", "NoArray", "cut_pattern", "find_array", "find_end", "holds_elements"]

_LIMIT = 1 << 24
"""Bytes before the array that are looked through."""


def find_array(pieces: ArrayPieces, path: tuple[str, ...]) -> int:
    """Where the first element of the array at a path begins; `NoArray` when it is not found."""
    if pieces.buffer.lstrip(b" \t\r\n")[:1] != b"{":
        raise NoArray(pieces.buffer)
    pattern = re.compile(re.escape(orjson.dumps(path[-1])) + rb"[ \t\r\n]*:[ \t\r\n]*\[")
    after = 0
    while True:
        for found in pattern.finditer(pieces.buffer, after):
            after = found.end()
            if _leads_to(pieces.buffer[:after], path):
                return after
        if len(pieces.buffer) > _LIMIT or not pieces.more():
            raise NoArray(pieces.buffer)


def _leads_to(text: bytes, path: tuple[str, ...]) -> bool:
    """Whether text that ends in `[` opens the array at the path: closed there, it must be an object that shows it."""
    try:
        value: Any = orjson.loads(text + b"]" + b"}" * len(path))
    except orjson.JSONDecodeError:
        return False
    for name in path:
        if not isinstance(value, dict) or next(reversed(value), None) != name:
            return False
        value = value[name]
    return bool(value == [])


def find_end(pieces: ArrayPieces, lead: bytes, path: tuple[str, ...]) -> int:
    """Where in the buffer the array is closed; everything after it is here too, and must fit."""
    try:
        orjson.loads(lead + pieces.buffer)
        text = pieces.buffer.decode()
    except ValueError:
        pieces.broken()
    opening = "[0" if lead.endswith(b"0") else "["
    try:
        orjson.loads(opening + text)
    except orjson.JSONDecodeError as error:
        closed = text[: error.pos - len(opening)].rstrip(" \t\r\n")
        end = len(closed.encode()) - 1
        _check_tail(pieces, pieces.buffer[end:], path)
        return end
    raise AssertionError("an array inside an object that is not closed")


def _check_tail(pieces: ArrayPieces, tail: bytes, path: tuple[str, ...]) -> None:
    """The last of two properties of one name counts, and it is too late for that now."""
    for name in path:
        if orjson.dumps(name) + b":" in tail.replace(b" ", b""):
            line, column = pieces.where.of("")
            raise ReadFailure(
                f"the property {name!r} comes again after its array",
                line,
                column,
                hint="Such a file cannot be read piece by piece; use --no-stream.",
            )


_TRIES = 24
"""So many guesses are tried before more is read."""
_BLANK = b" \t\r\n"
_OBJECT = re.compile(rb'[ \t\r\n]*\{[ \t\r\n]*("(?:[^"\\]|\\.)*")[ \t\r\n]*:')
_ANY_COMMA = re.compile(rb"(,)")
_NOTHING = re.compile(rb"[ \t\r\n]*\Z")
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])
Run = Callable[[bytes], Any]


class NoArray(Exception):
    """The text does not begin with the array that is to be cut; `seen` is what was read of it."""

    def __init__(self, seen: bytes) -> None:
        super().__init__()
        self.seen = seen


def cut_pattern(text: bytes) -> re.Pattern[bytes]:
    """Commas before what looks like the beginning of the first element, with which the text begins."""
    found = _OBJECT.match(text)
    if found is None:
        return _ANY_COMMA
    return re.compile(rb"\}[ \t\r\n]*(,)[ \t\r\n]*\{[ \t\r\n]*" + re.escape(found[1]) + rb"[ \t\r\n]*:")


def holds_elements(block: bytes) -> bool:
    """Whether a block is elements of an array: inside an object it could close its array and open another one."""
    try:
        _ELEMENTS.decode(b"[%b]" % block)
    except msgspec.DecodeError:
        return False
    return True


class ArrayPieces:
    """The pieces of the array that a text is, or that stands at a path of the object that it is."""

    def __init__(
        self,
        read: Callable[[int], bytes],
        path: tuple[str, ...] = (),
        size: int = 1 << 20,
        *,
        skip: int = 0,
        again: ReadAgain | None = None,
    ) -> None:
        """`skip` bytes were dealt with already: they end after the opening bracket, or after a comma.

        `again` reads from the same start, to tell the places of failures.
        """
        self._read = read
        self._size = size
        first = read(size)
        self.buffer = first.removeprefix(codecs.BOM_UTF8)
        self.where = Whereabouts(again, len(first) - len(self.buffer))
        opening = self._opening(path)
        self._pass(opening)
        self._head = b"".join(b"{" + orjson.dumps(name) + b":" for name in path) + b"["
        self._tail = b"]" + b"}" * len(path)
        self._path = path
        self._started = False
        """Whether the buffer begins with the comma after an element."""
        self._cut = cut_pattern(self.buffer)
        self._skip(skip - opening)

    def _opening(self, path: tuple[str, ...]) -> int:
        """Where the first element begins."""
        if path:
            return find_array(self, path)
        start = len(self.buffer) - len(self.buffer.lstrip(_BLANK))
        if self.buffer[start : start + 1] != b"[":
            raise NoArray(self.buffer)
        return start + 1

    def more(self) -> bool:
        """Read on; False at the end."""
        block = self._read(self._size)
        self.buffer += block
        return bool(block)

    def _skip(self, count: int) -> None:
        """Go on at the comma before a place that is known to be between two elements."""
        left = count - 1
        while left > 0:
            if not self.buffer:
                self.more()
            step = min(left, len(self.buffer))
            self._pass(step)
            left -= step
            self._started = True

    def _pass(self, count: int) -> None:
        """The first bytes of the buffer are done with."""
        self.where.pass_over(self.buffer, count)
        self.buffer = self.buffer[count:]

    def run(self, work: Run) -> Iterator[Any]:
        """What the work makes of each piece, as a JSON text of its own; `NotJson` from it means a wrong guess."""
        while self.more():
            yield from self._some(work)
        end = self._end()
        yield self._whole(work, self.buffer[self._started : end])

    def _some(self, work: Run) -> Iterator[Any]:
        for cut in self._guesses():
            if _NOTHING.match(self.buffer, self._started, cut):
                continue  # nothing between two commas would pass for an empty array
            if self._path and not holds_elements(self.buffer[self._started : cut]):
                continue
            try:
                made = work(b"".join((self._head, memoryview(self.buffer)[self._started : cut], self._tail)))
            except NotJson:
                continue
            self._pass(cut)
            self._started = True
            yield made
            return
        self._check()

    def _guesses(self) -> Iterator[int]:
        """Places of commas, the last ones first."""
        start = max(self._started, len(self.buffer) - self._size // 16)
        near = [found.start(1) for found in self._cut.finditer(self.buffer, start)]
        yield from islice(reversed(near), _TRIES)
        if not near:
            far = [found.start(1) for found in self._cut.finditer(self.buffer, self._started)]
            yield from islice(reversed(far), _TRIES)

    def _whole(self, work: Run, block: bytes) -> Any:
        if self._started and not block.strip(_BLANK):
            self.broken()
        try:
            return work(self._head + block + self._tail)
        except NotJson:
            self.broken()

    # ---- the end and the errors -------------------------------------------------------------

    def _end(self) -> int:
        """Where the array is closed, now that all text is here."""
        if not self._path:
            stripped = self.buffer.rstrip(_BLANK)
            if not stripped.endswith(b"]"):
                self.broken()
            return len(stripped) - 1
        return find_end(self, self._lead(), self._path)

    def _lead(self) -> bytes:
        """What to put before the buffer to read it as JSON."""
        return self._head + b"0" * self._started

    def _check(self) -> None:
        """Raise when the buffer is broken, and not just unfinished."""
        error = self._error()
        if error is not None and not str(error[0]).startswith("unexpected end"):
            self.broken()

    def _error(self) -> tuple[orjson.JSONDecodeError, str] | None:
        """The first thing that is wrong with the buffer, and its text up to a character that is not all there."""
        try:
            text = codecs.utf_8_decode(self.buffer, "strict", False)[0]
        except UnicodeDecodeError as error:
            raise self._no_text(error.start) from None
        try:
            orjson.loads(self._lead().decode() + text)
        except orjson.JSONDecodeError as error:
            return error, text
        return None

    def broken(self) -> Any:
        """Raise what reading everything at once would: bad bytes anywhere come before bad JSON."""
        found = self._error()
        assert found is not None, "a piece that does not parse inside a text that does"
        error, text = found
        at = max(error.pos - len(self._lead()), 0)
        failure = refused(error, self._lead().decode() + text, *self.where.of(text[:at]))
        self._check_the_rest()
        raise failure from None

    def _check_the_rest(self) -> None:
        """Raise when bytes further on are no text."""
        ended = False
        while True:
            try:
                done = codecs.utf_8_decode(self.buffer, "strict", ended)[1]
            except UnicodeDecodeError as error:
                raise self._no_text(error.start) from None
            if ended:
                return
            # A character that is not all there stays for the next round.
            self._pass(done)
            ended = not self.more()

    def _no_text(self, at: int) -> ReadFailure:
        line, column = self.where.of(self.buffer[:at].decode("utf-8", "replace"))
        return ReadFailure("JSON: the bytes are not UTF-8", line, column, hint=NOT_UTF8)
