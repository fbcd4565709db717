"""Where words stand in a text: words as the index has them, in the text as it is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from rolltop.store.text.words.analysis import words_in
from rolltop.store.text.words.folding import KINDS, folded
from rolltop.store.text.words.scripts import composed, composed_with_places
from rolltop.store.text.words.splitting import cuts_in

__all__ = ["Marker", "Span", "highlighted", "marker", "painted"]

BEGINNING = "*"
"""Behind the beginning of a word that was asked for: no word of the index holds it."""

NEEDLES = 200
"""So many different words are looked for at once; for more of them every line is looked at."""

STRETCH = 4096
"""Characters of a very long line that are cut into words at a time: some lines are megabytes, and one word is shown."""

_BEYOND = 512
"""Characters after a stretch that belong to identifiers and phrases that begin in it."""

_APART = re.compile(r"[\x00-,./:-@\[-^`{-~]")
"""Where no word goes on, among the signs of ASCII."""

_JOINTS = "_-"
_PARTS = re.compile(f"[^{_JOINTS}]+")
_RUNS = re.compile("cs*|[ws-]+")
"""A word, be it an identifier with several in it, or a character that is one."""

Span = tuple[int, int]
Token = tuple[int, int, str]
"""Where a word begins and ends, and how the index has it."""


class Marker:
    """Finds some words and identifiers. Whatever is asked for is cut as the index cuts it.

    What is cut in several stands where they follow each other; all stand also where an identifier is the whole of them,
    with or without signs between its parts. A word that ends with `*` stands for all that begin so.
    """

    def __init__(self, asked: Iterable[str]) -> None:
        asked = list(asked)
        self._begins = tuple(text.removesuffix(BEGINNING) for text in asked if text.endswith(BEGINNING))
        runs = {words for text in asked if not text.endswith(BEGINNING) and (words := tuple(words_in(text)))}
        self._joined = frozenset(map("".join, runs))
        runs |= {(word,) for word in self._joined}  # as the index has a word that was not cut where it was written
        self._runs: dict[str, list[tuple[str, ...]]] = {}
        for run in sorted(runs, key=len, reverse=True):
            self._runs.setdefault(run[0], []).append(run)
        needles = sorted({*self._runs, *self._joined, *self._begins})
        self._needles = re.compile("|".join(map(re.escape, needles))) if 0 < len(needles) <= NEEDLES else None
        self._idle = not needles

    def lines(self, text: str, reach: int | None = None) -> Iterator[tuple[int, list[Span]]]:
        """The lines that hold any of the words, counted from 0, and where these stand in them.

        Of a very long line, all that begin within `reach` characters of the first are told, and maybe more.
        """
        lines = text.split("\n")
        for number in self._likely(text, len(lines)):
            if spans := self.spans(lines[number], reach):
                yield number, spans

    def _likely(self, text: str, count: int) -> Iterator[int]:
        """Lines that may hold a word, in order."""
        if self._idle:
            return
        if self._needles is None:
            yield from range(count)
            return
        plain = _joined(text)
        at, number = 0, 0
        while found := self._needles.search(plain, at):
            number += plain.count("\n", at, found.start())
            yield number
            at = plain.find("\n", found.start()) + 1
            if not at:
                return
            number += 1

    def spans(self, text: str, reach: int | None = None) -> list[Span]:
        """Where the words stand in a text of one line: (start, end), in order and apart."""
        if len(text) <= 2 * STRETCH:
            return self._composed_spans(text)
        found: list[Span] = []
        start = 0
        while start < len(text) and (reach is None or not found or start < found[0][0] + reach):
            end = _apart(text, start + STRETCH)
            piece = text[start : end + _BEYOND]
            if self._may_hold(piece):
                spans = [(start + first, start + last) for first, last in self._composed_spans(piece)]
                found += [span for span in spans if span[0] < end]
            start = max(end, found[-1][1]) if found else end
        return found

    def _may_hold(self, text: str) -> bool:
        return self._needles is None or self._needles.search(_joined(text)) is not None

    def _composed_spans(self, text: str) -> list[Span]:
        if composed(text) == text:
            return self._spans(text)
        whole, places = composed_with_places(text)
        return [(places[start], _behind(places, end)) for start, end in self._spans(whole)]

    def _spans(self, text: str) -> list[Span]:
        tokens: list[Token] = []
        whole: dict[int, int] = {}
        for run in _RUNS.finditer(text.translate(KINDS)):
            inside = list(_tokens(text, *run.span()))
            if len(inside) > 1 and "".join(word for _, _, word in inside) in self._joined:
                whole[len(tokens)] = len(inside)
            tokens += inside
        return self._found(tokens, whole)

    def _found(self, tokens: list[Token], whole: dict[int, int]) -> list[Span]:
        spans: list[Span] = []
        at = 0
        while at < len(tokens):
            count = whole.get(at) or self._count(tokens, at)
            if count:
                spans.append((tokens[at][0], tokens[at + count - 1][1]))
            at += count or 1
        return spans

    def _count(self, tokens: list[Token], at: int) -> int:
        """How many words that begin at a place are asked for, 0 for none."""
        word = tokens[at][2]
        for run in self._runs.get(word, ()):
            if len(run) == 1 or run == tuple([each for _, _, each in tokens[at : at + len(run)]]):
                return len(run)
        return int(bool(self._begins) and word.startswith(self._begins))


def _behind(places: Sequence[int], end: int) -> int:
    """Where a span ends that ends before a composed character: with the signs that belong to its last letter."""
    while places[end] == places[end - 1]:
        end += 1
    return places[end]


def _joined(text: str) -> str:
    """The text as words have it, with identifiers as one word."""
    return folded(text).replace("_", "").replace("-", "")


def _apart(text: str, at: int) -> int:
    """A place at or after another one where no word goes on, if there is one near."""
    found = _APART.search(text, at, at + STRETCH)
    return found.end() if found else min(len(text), at + STRETCH)


@lru_cache(16)
def marker(asked: tuple[str, ...]) -> Marker:
    """The same for the hits of one query."""
    return Marker(asked)


def _tokens(text: str, start: int, end: int) -> Iterator[Token]:
    """The words of an identifier."""
    for part in _PARTS.finditer(text, start, end):
        first, last = part.span()
        for before, after in pairwise([first, *cuts_in(text, first, last), last]):
            word = folded(text[before:after])
            if word:  # else it is nothing but signs that words lose
                yield before, after, word


def highlighted(text: str, words: Iterable[str]) -> str:
    """The text with the words in grep's colour."""
    return painted(text, marker(tuple(words)).spans(text))


def painted(text: str, spans: Iterable[Span]) -> str:
    out, position = [], 0
    for start, end in spans:
        out += [text[position:start], "\x1b[01;31m\x1b[K", text[start:end], "\x1b[m\x1b[K"]
        position = end
    return "".join([*out, text[position:]])
