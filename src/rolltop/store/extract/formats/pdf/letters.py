"""Letters of a PDF page that PDFium tells in another order than they are read in: where they stand says what is meant.

Two cases are known. TeX draws an accent as a sign of its own over a letter, and browsers write Arabic letter by letter,
from left to right.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

__all__ = ["in_reading_order", "may_be_out_of_order"]

_ACCENTS = {
    "`": "\u0300", "\u00b4": "\u0301", "\u02c6": "\u0302", "\u02dc": "\u0303", "\u00af": "\u0304", "\u02d8": "\u0306",
    "\u02d9": "\u0307", "\u00a8": "\u0308", "\u02da": "\u030a", "\u02dd": "\u030b", "\u02c7": "\u030c",
    "\u00b8": "\u0327", "\u02db": "\u0328",
}  # fmt: skip
"""Signs of their own, and the same as a part of the letter before it."""
_BELOW = frozenset("\u00b8\u02db")
_DOTLESS = {"\u0131": "i", "\u0237": "j"}
_FROM_RIGHT = frozenset({"R", "AL"})
_BEFORE, _AFTER = 100, 4
"""So many places before an accent and after it, its letter is looked for: one over a capital comes after the word."""
MOST_LETTERS, MOST_ACCENTS = 100_000, 2000
"""A page with more is none that people read."""
_NEAR = 1.2
"""The middle of an accent is not further from that of its letter than this part of the letter's height."""


@dataclass(slots=True)
class _Letter:
    text: str
    left: float
    right: float
    bottom: float
    top: float

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2


def may_be_out_of_order(text: str) -> bool:
    """Whether a text has letters that are worth looking at one by one."""
    return len(text) <= MOST_LETTERS and (any(sign in text for sign in _ACCENTS) or any(map(_is_from_right, set(text))))


def in_reading_order(words: Any, places: Iterable[int]) -> str:
    """The letters of a page at these places of it, in the order in which they are read."""
    import pypdfium2.raw as pdfium  # noqa: PLC0415 - an extra

    signs = [(place, chr(pdfium.FPDFText_GetUnicode(words, place))) for place in places]
    if len(signs) > MOST_LETTERS:
        return "".join(sign for _, sign in signs)
    letters = [_letter(words, place, sign) for place, sign in signs]
    if sum(letter.text in _ACCENTS for letter in letters) <= MOST_ACCENTS:
        _join_accents(letters)
    return "".join(letter.text for word in _words(letters) for letter in _turned(word))


def _letter(words: Any, place: int, sign: str) -> _Letter:
    import pypdfium2.raw as pdfium  # noqa: PLC0415 - an extra

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    pdfium.FPDFText_GetCharBox(words, place, left, right, bottom, top)
    return _Letter(sign, left.value, right.value, bottom.value, top.value)


# accents -----------------------------------------------------------------------------------------


def _join_accents(letters: list[_Letter]) -> None:
    """Make each accent that stands over or under a letter a part of it."""
    for place, accent in enumerate(letters):
        if accent.text not in _ACCENTS:
            continue
        near = letters[max(0, place - _BEFORE) : place] + letters[place + 1 : place + 1 + _AFTER]
        under = [letter for letter in near if _belongs(accent, letter)]
        if under:
            letter = min(under, key=lambda each: abs(each.middle[0] - accent.middle[0]))
            base = _DOTLESS.get(letter.text, letter.text)
            letter.text = unicodedata.normalize("NFC", base + _ACCENTS[accent.text])
            accent.text = ""
            _close_up(letters, place)


def _belongs(accent: _Letter, letter: _Letter) -> bool:
    across, up = accent.middle
    if not letter.text.isalpha() or not letter.left <= across <= letter.right:
        return False
    offset = up - letter.middle[1]
    return abs(offset) <= _NEAR * (letter.top - letter.bottom) and (offset < 0) == (accent.text in _BELOW)


def _close_up(letters: list[_Letter], place: int) -> None:
    """Leave one space where an accent stood between two."""
    around = letters[max(0, place - 1)], letters[min(place + 1, len(letters) - 1)]
    if all(letter.text == " " for letter in around):
        around[1].text = ""


# from right to left ------------------------------------------------------------------------------


def _words(letters: list[_Letter]) -> Iterator[list[_Letter]]:
    """Runs of letters that are written from right to left, each with the marks on them; all others one by one."""
    run: list[_Letter] = []
    for letter in letters:
        if _is_from_right(letter.text) or (run and _is_mark(letter.text)):
            run.append(letter)
            continue
        if run:
            yield run
            run = []
        yield [letter]
    if run:
        yield run


def _turned(word: list[_Letter]) -> list[_Letter]:
    """A word whose letters are told from left to right, turned; marks stay behind their letters."""
    groups: list[list[_Letter]] = []
    for letter in word:
        if not groups or not _is_mark(letter.text):
            groups.append([])
        groups[-1].append(letter)
    steps = [after[0].left - before[0].left for before, after in pairwise(groups)]
    if sum(step > 0 for step in steps) <= sum(step < 0 for step in steps) or not _on_one_line(groups):
        return word
    return [letter for group in sorted(groups, key=lambda group: -group[0].left) for letter in group]


def _on_one_line(groups: list[list[_Letter]]) -> bool:
    height = max(group[0].top - group[0].bottom for group in groups)
    ups = [group[0].middle[1] for group in groups]
    return max(ups) - min(ups) <= height


@lru_cache(maxsize=4096)
def _is_from_right(text: str) -> bool:
    return len(text) == 1 and unicodedata.bidirectional(text) in _FROM_RIGHT


def _is_mark(text: str) -> bool:
    return len(text) == 1 and unicodedata.category(text) == "Mn"
