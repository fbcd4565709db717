"""The piece of a text that shows best why it was found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from rolltop.store.text.words.scripts import FIRST_UNSPACED, composed, composed_with_places, is_inside, is_unspaced

__all__ = ["ENOUGH", "Needles", "Snippet", "snippet"]

WIDTH = 240
BEFORE = 40
LONGEST = 1 << 17
"""Characters that are looked at: a search is for finding the document, not for reading it."""

ENOUGH = LONGEST + WIDTH + BEFORE
"""Characters of a text that its piece depends on."""

_TRIES = 8
"""Places of each word around which the others are looked for."""

_MOST = 24
"""Words of a query that are looked for, each in at most so many forms."""

_APART = 8
"""Forms of a word, at most, that have to be looked for one by one."""

_BEGINNING = 3
"""So many letters that all forms of a word begin with are looked for once; else each form for itself."""

_REACH = WIDTH - BEFORE
"""Words that begin within so many characters are shown together."""

_Needle = tuple[str, tuple[str, ...] | None]
"""What to look for, and what must then stand there; None where that is all."""

_Place = tuple[int, int]
"""Where a word stands, and the word as a bit."""


class Snippet(NamedTuple):
    """A piece of a text on one line, and where the first word of the query stands in the text."""

    text: str
    offset: int


class Needles:
    """The words of a query as they are looked for in texts, best the rarest first.

    Each word is some pairs of what to look for and what must then stand there.
    """

    def __init__(self, families: Iterable[Sequence[str]]) -> None:
        self.words = [_beginnings(tuple(family[:_MOST])) for family in families if family][:_MOST]
        self.all = (1 << len(self.words)) - 1
        self.ways = [[needle for needle, _ in word] for word in self.words]
        self.longest = max((len(needle) for ways in self.ways for needle in ways), default=0)
        self.in_ascii = all(needle.isascii() for ways in self.ways for needle in ways)


def _beginnings(family: tuple[str, ...]) -> list[_Needle]:
    first, last = min(family), max(family)
    shared = next((at for at, char in enumerate(first) if at >= len(last) or last[at] != char), len(first))
    if shared >= _BEGINNING or len(family) == 1:
        return [(first[:shared], None if len(first) == shared else family)]
    return [(form, None) for form in family[:_APART]]


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
    found = (0, 0) if plain is None else _fullest(text, plain, needles)
    if found[1] or text.isascii():
        return found
    found = _fullest(text, _plain(text), needles)
    return found if found[1] else _fullest_folded(text, needles)


def _lowered(text: str, needles: Needles) -> str | None:
    """The text in lower case, every character in its place."""
    if text.isascii():
        return text.lower()
    if needles.in_ascii:
        # Only those letters matter; lowering all letters there are takes many times as long.
        return text.encode("utf-8", "replace").lower().decode()
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else None


def _fullest(text: str, plain: str, needles: Needles) -> tuple[int, int]:
    """The first stretch that holds all the words, or one that holds the most, and rather rarer ones.

    A stretch is somewhere around a place of a word in it. So when all around the first words have been looked at, no
    other can hold more than the words that are left.
    """
    best, most, count, words = 0, 0, 0, needles.words
    for passed, word in enumerate(words):
        if count >= len(words) - passed:
            break
        for at in _places(text, plain, word):
            start, end = (at - _REACH if at > _REACH else 0), at + _REACH
            if _may_hold(plain[start : end + needles.longest], needles.ways, len(words) - count - 1):
                first, held = _densest(_found(text, plain, words, start, end), needles.all)
                if held.bit_count() > count:
                    best, most, count = first, held, held.bit_count()
                    if held == needles.all:
                        return best, most
    return best, most


def _places(text: str, plain: str, word: Sequence[_Needle]) -> Iterator[int]:
    """Where a word stands, as often as it is looked at."""
    for needle, forms in word:
        at, left = plain.find(needle), _TRIES
        while at >= 0 and left:
            if (forms is None or plain.startswith(forms, at)) and (
                at == 0 or plain[at - 1] in _ENDS_WORDS or _begins(text, at)
            ):
                yield at
                left -= 1
            at = plain.find(needle, at + 1)


def _may_hold(stretch: str, words: Sequence[Sequence[str]], spare: int) -> bool:
    """Whether all but so many words may stand in a stretch: a quick look."""
    for ways in words:
        for needle in ways:
            if needle in stretch:
                break
        else:
            if not spare:
                return False
            spare -= 1
    return True


def _found(text: str, plain: str, words: Sequence[Sequence[_Needle]], start: int, end: int) -> list[_Place]:
    """Places of the words in a stretch, in order."""
    places: list[_Place] = []
    find, bit = plain.find, 1
    for word in words:
        for needle, forms in word:
            stop = end + len(needle)
            at = find(needle, start, stop)
            while at >= 0:
                if (forms is None or plain.startswith(forms, at)) and (
                    at == 0 or plain[at - 1] in _ENDS_WORDS or _begins(text, at)
                ):
                    places.append((at, bit))
                at = find(needle, at + 1, stop)
        bit <<= 1
    places.sort()
    return places


def _densest(places: list[_Place], every: int) -> tuple[int, int]:
    """Where the part of a stretch begins that holds the most different words, the first such; and these as bits."""
    best, most, count = (places[0][0] if places else 0), 0, 0
    for first, (start, word) in enumerate(places, 1):
        held, reach = word, start + _REACH
        for at, bit in places[first:]:
            if at >= reach:
                break
            held |= bit
        if held & ~most and held.bit_count() > count:  # the first test is the quicker one
            best, most, count = start, held, held.bit_count()
            if held == every:
                break
    return best, most


_ENDS_WORDS = frozenset(char for char in map(chr, range(128)) if not char.isalnum())
"""Behind these a word begins, whatever it begins with."""


def _begins(text: str, at: int) -> bool:
    """Whether a word begins here, be it inside an identifier."""
    if at == 0 or text[at].isupper():
        return True
    before, char = text[at - 1], text[at]
    if not (before.isalnum() or (not before.isascii() and is_inside(before))):
        return True
    if char.isdigit() != before.isdigit():
        return True
    return (before >= FIRST_UNSPACED or char >= FIRST_UNSPACED) and (is_unspaced(before) or is_unspaced(char))


def _fullest_folded(text: str, needles: Needles) -> tuple[int, int]:
    """The same in the text as the index has it, where letters may have become two, or none."""
    from rolltop.store.text.words.folding import FOLDS  # noqa: PLC0415 - it brings numpy

    if composed(text) != text:
        text, places = composed_with_places(text)
    elif all(len(FOLDS[ord(char)]) == 1 for char in set(text)):
        return 0, 0  # every character had its place: nothing is there to find
    else:
        places = []
    pieces = [FOLDS[ord(char)] for char in text]
    plain = "".join(pieces)
    first, held = _fullest(plain, plain, needles)
    found = next((at for at, end in enumerate(accumulate(map(len, pieces))) if end > first), 0)
    return (places[found] if places else found), held


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
        from rolltop.store.text.words.folding import FOLDS  # noqa: PLC0415 - it brings numpy

        folded = FOLDS[code]
        self[code] = ord(folded) if len(folded) == 1 else code
        return self[code]


_WORD_BEGINS = re.compile(r"\s\S")


def _at_word(text: str, start: int) -> int:
    """The beginning of a word at or shortly after a place."""
    found = _WORD_BEGINS.search(text, start - 1, start + BEFORE)
    return found.start() + 1 if found else start
