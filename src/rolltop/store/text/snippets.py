"""The piece of a text that shows best why it was found."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["ENOUGH", "Needles", "Snippet", "highlighted", "marks", "snippet"]

WIDTH = 240
BEFORE = 40
LONGEST = 1 << 17
"""Characters that are looked at: a search is for finding the document, not for reading it."""

ENOUGH = LONGEST + WIDTH + BEFORE
"""Characters of a text that its piece depends on."""

_PLACES = 4
"""Places of each word that are considered where no stretch of text holds them all."""

_TRIES = 32
"""Places of the longest word around which all the others are looked for."""

_MOST = 24
"""Words of a query that are looked for, each in at most so many forms."""

_BEGINNING = 3
"""So many letters that all forms of a word begin with are looked for once; else each form for itself."""

_REACH = WIDTH - BEFORE
"""Words that begin within so many characters are shown together."""

_Place = tuple[int, int]
"""Where a word stands, and the word as a bit."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text on one line, and where the first word of the query stands in the text."""

    text: str
    offset: int


class Needles:
    """The words of a query as they are looked for in texts: (what to look for, what must then stand there, bit)."""

    def __init__(self, families: Iterable[Sequence[str]]) -> None:
        kept = [tuple(family[:_MOST]) for family in families if family][:_MOST]
        self.all = (1 << len(kept)) - 1
        # The longest first: it is likely the rarest.
        self.needles = sorted(
            ((needle, forms, 1 << at) for at, family in enumerate(kept) for needle, forms in _beginnings(family)),
            key=lambda each: -len(each[0]),
        )
        self.one_each = len(self.needles) == len(kept) > 0
        self.in_ascii = all(needle.isascii() for needle, _, _ in self.needles)


def _beginnings(family: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    first, last = min(family), max(family)
    shared = next((at for at, char in enumerate(first) if at >= len(last) or last[at] != char), len(first))
    if shared >= _BEGINNING or len(family) == 1:
        return [(first[:shared], family)]
    return [(form, (form,)) for form in family]


def snippet(text: str, needles: Needles, at: int | None = None, *, whole: bool = True) -> Snippet | None:
    """The piece with the most different words of the query, or the one at a place that is known to answer it.

    None where the text is not the whole one and what follows could show more.
    """
    if at is None:
        first, held = _best(text[:LONGEST], needles)
        if not whole and held != needles.all:
            return None
    else:
        first = at
    start = max(0, first - BEFORE)
    if start:
        start = _at_word(text, start)
    end = min(len(text), start + WIDTH)
    if not whole and end == len(text):
        return None
    piece = " ".join(text[start:end].split())
    return Snippet(("…" if start > 0 else "") + piece + ("…" if end < len(text) else ""), first)


def _best(text: str, needles: Needles) -> tuple[int, int]:
    """Where the stretch with the most different words begins, and which these are. Accents are only looked at where
    nothing is found without."""
    plain = _lowered(text, needles)
    found = None if plain is None else _together(text, plain, needles)
    if found is None and plain is not None:
        found = _fullest(sorted(_found(text, plain, needles)), needles.all)
    if text.isascii() or (found is not None and found[1]):
        return found or (0, 0)
    return _fullest(sorted(_found(text, _plain(text), needles)), needles.all)


def _lowered(text: str, needles: Needles) -> str | None:
    """The text in lower case, every character in its place."""
    if text.isascii():
        return text.lower()
    if needles.in_ascii:
        # Only those letters matter; lowering all letters there are takes many times as long.
        return text.encode("utf-8", "replace").lower().decode()
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else None


def _together(text: str, plain: str, needles: Needles) -> tuple[int, int] | None:
    """The first stretch that holds all the words; it is somewhere around a place of any of them."""
    if not needles.one_each:
        return None
    (anchor, _, _), *others = needles.needles
    at, tries = plain.find(anchor), 0
    while at >= 0 and tries < _TRIES:
        start, end = max(0, at - _REACH), at + _REACH
        for needle, _, _ in others:
            if plain.find(needle, start, end + len(needle)) < 0:
                break
        else:
            best, held = _fullest(sorted(_found(text, plain, needles, start, end)), needles.all)
            if held == needles.all:
                return best, held
        at, tries = plain.find(anchor, at + 1), tries + 1
    return None


def _found(text: str, plain: str, needles: Needles, start: int = 0, end: int | None = None) -> Iterator[_Place]:
    """Places of the words, a few of each: all of them in a stretch."""
    most, end = (_PLACES, len(plain)) if end is None else (_REACH, end)
    for needle, forms, bit in needles.needles:
        found, at = 0, plain.find(needle, start, end + len(needle))
        while at >= 0 and found < most:
            if _begins(text, at) and plain.startswith(forms, at):
                yield at, bit
                found += 1
            at = plain.find(needle, at + 1, end + len(needle))


def _begins(text: str, at: int) -> bool:
    """Whether a word begins here, be it inside an identifier."""
    if at == 0 or not text[at - 1].isalnum() or text[at].isupper():
        return True
    return text[at].isdigit() != text[at - 1].isdigit()


def _plain(text: str) -> str:
    """The text without case and accents, every character in its place."""
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    if len(lowered) != len(text):
        lowered = "".join(char.lower()[:1] or char for char in text)
    return lowered.translate(_Accents())


class _Accents(dict[int, int]):
    """Letters without their accents, looked up when they are met."""

    def __missing__(self, code: int) -> int:
        found = code if code < 128 else ord(unicodedata.normalize("NFD", chr(code))[0])
        self[code] = found
        return found


def _fullest(places: list[_Place], every: int) -> tuple[int, int]:
    """Where the stretch begins that holds the most different words, the first such; and these words as bits."""
    best, most = (places[0][0] if places else 0), 0
    for first, (start, word) in enumerate(places):
        held = word
        for at, bit in places[first + 1 :]:
            if at >= start + _REACH:
                break
            held |= bit
        if held & ~most and held.bit_count() > most.bit_count():  # the first test is the quicker one
            best, most = start, held
            if held == every:
                break
    return best, most


def _at_word(text: str, start: int) -> int:
    """The beginning of a word at or shortly after a place."""
    found = re.compile(r"\s\S").search(text, start - 1, start + BEFORE)
    return found.start() + 1 if found else start


def marks(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where the words stand in a short text: (start, end), in order and apart."""
    if not words:
        return []
    plain = _plain(text)
    pattern = re.compile("|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)))
    return [found.span() for found in pattern.finditer(plain) if _begins(text, found.start())]


def highlighted(text: str, words: Sequence[str]) -> str:
    """The text with the words in grep's colour."""
    out, position = [], 0
    for start, end in marks(text, words):
        out += [text[position:start], "\x1b[01;31m\x1b[K", text[start:end], "\x1b[m\x1b[K"]
        position = end
    return "".join([*out, text[position:]])
