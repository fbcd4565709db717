"""The piece of a text that shows best why it was found."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Snippet", "highlighted", "marks", "snippet"]

WIDTH = 240
BEFORE = 40
LONGEST = 1 << 17
"""Characters that are looked at: a search is for finding the document, not for reading it."""

_PLACES = 3
"""Places of each word that are considered."""

_WORDS = 24


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text on one line, and where the first word of the query stands in the text."""

    text: str
    offset: int


def snippet(text: str, words: Sequence[str], at: int | None = None) -> Snippet:
    """The piece with the most different words of the query, or the one at a place that is known to answer it."""
    first = _fullest(sorted(_places(text[:LONGEST], words))) if at is None else at
    start = max(0, first - BEFORE)
    if start:
        start = _at_word(text, start)
    end = min(len(text), start + WIDTH)
    piece = " ".join(text[start:end].split())
    return Snippet(("…" if start > 0 else "") + piece + ("…" if end < len(text) else ""), first)


def _places(text: str, words: Sequence[str]) -> list[tuple[int, str]]:
    """Where the words stand; accents are only looked at where nothing is found without."""
    lowered = text.lower()
    found = list(_found(text, lowered, words)) if len(lowered) == len(text) else []
    return found or ([] if text.isascii() else list(_found(text, _plain(text), words)))


def _found(text: str, plain: str, words: Sequence[str]) -> Iterator[tuple[int, str]]:
    for word in words[:_WORDS]:
        found, at = 0, plain.find(word)
        while at >= 0 and found < _PLACES:
            if _begins(text, at):
                yield at, word
                found += 1
            at = plain.find(word, at + 1)


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


def _fullest(places: list[tuple[int, str]]) -> int:
    """Where the stretch begins that holds the most different words; the first such."""
    best, most, last = (places[0][0] if places else 0), 0, 0
    inside: Counter[str] = Counter()
    for first, (start, word) in enumerate(places):
        while last < len(places) and places[last][0] < start + WIDTH - BEFORE:
            inside[places[last][1]] += 1
            last = last + 1
        if len(inside) > most:
            best, most = start, len(inside)
        inside[word] -= 1
        if not inside[word]:
            del inside[word]
        assert last > first
    return best


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
