"""The one form of words, in the index and in queries: composed, without case and accents, without what nobody sees.

ASCII is folded by tables over all bytes of many texts at once. What is beyond it is looked up by whole runs, which for
most scripts are words: so it costs per run, and nothing per character of the text around it.
"""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np
import tantivy

from rolltop.store.text.words.scripts import SIGNS, composed, is_inside, is_unspaced

__all__ = ["FOLDS", "KINDS", "folded", "folded_runs"]

MOST_RUNS, LONGEST_RUN = 1 << 16, 64
"""Runs that are remembered, and their bytes: a few megabytes."""

_STRESSED = {"\u0451": "\u0435", "\u0450": "\u0435", "\u045d": "\u0438"}
"""Cyrillic letters with a sign that many leave out; й, ї and ў are letters of their own."""

_UNWRITTEN = "\u0640"
"""Makes an Arabic word longer to the eye."""

_ACCENTS = (
    *(range(0x300, 0x370), range(0x1AB0, 0x1B00), range(0x1DC0, 0x1E00), range(0x20D0, 0x2100), range(0xFE20, 0xFE30)),
    *(range(0x591, 0x5C8), range(0x610, 0x61B), range(0x64B, 0x653), range(0x656, 0x660), range(0x6D6, 0x6EE)),
    *(range(0x670, 0x671), range(0x8D3, 0x900), range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0)),
)
"""Signs that words lose: accents, the vowel signs of Hebrew and Arabic, and what only chooses a shape.

Other signs are kept: in the scripts of India and their neighbours they are vowels."""


@cache
def _latin() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.ascii_fold()).build()


def _fold(char: str) -> str:
    """A character as words have it: nothing, one or several characters; a space where it is part of none."""
    if char.isascii():
        return char.lower()
    if not is_inside(char):
        return " "
    kind, code = unicodedata.category(char), ord(char)
    if kind == "Cf" or char == _UNWRITTEN or (kind[0] == "M" and any(code in signs for signs in _ACCENTS)):
        return ""
    plain = _latin().analyze(char)[0]
    if plain.isascii():
        return "".join(filter(str.isalnum, plain.lower()))
    lowered = _bare(char).casefold()
    return _STRESSED.get(lowered, lowered)


def _bare(char: str) -> str:
    """A Latin or Greek letter without what stands on it."""
    parts = unicodedata.normalize("NFD", char)
    if len(parts) == 1 or not unicodedata.name(parts[0], "").startswith(("LATIN", "GREEK")):
        return char
    return "".join(part for part in parts if not unicodedata.combining(part))


class _Folds(dict[int, str]):
    """Characters as words have them, looked up when they are met; ASCII signs of no word stay what they are."""

    def __missing__(self, code: int) -> str:
        self[code] = _fold(chr(code))
        return self[code]


class _Kinds(dict[int, str]):
    """What characters are: w in words, - between words of one identifier, c words by themselves, s signs on those."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        inside = char.isalnum() if char.isascii() else is_inside(char)
        self[code] = (
            "-" if char in "_-" else "c" if is_unspaced(char) else "s" if char in SIGNS else "w" if inside else " "
        )
        return self[code]


class _Runs(dict[bytes, bytes]):
    """Runs of characters beyond ASCII as words have them."""

    def __missing__(self, run: bytes) -> bytes:
        found = run.decode().translate(FOLDS).encode()
        if len(self) >= MOST_RUNS:
            self.clear()
        if len(run) <= LONGEST_RUN:
            self[run] = found
        return found


FOLDS, KINDS, _RUNS = _Folds(), _Kinds(), _Runs()


_TWO_SPACES = 3


def folded_runs(data: bytes) -> bytes:
    """Composed text in UTF-8, folded where it is beyond ASCII."""
    if data.isascii():
        return data
    beyond = np.flatnonzero(np.frombuffer(data, np.uint8) >= 128)
    gaps = np.diff(beyond)
    # Characters that are words by themselves are two spaces apart; looked up together they cost half as much.
    breaks = np.flatnonzero((gaps > 1) & (gaps != _TWO_SPACES))
    starts = beyond[np.concatenate(([0], breaks + 1))].tolist()
    ends = (beyond[np.concatenate((breaks, [len(beyond) - 1]))] + 1).tolist()
    pieces = [b""] * (2 * len(starts) + 1)
    pieces[::2] = [data[start:end] for start, end in zip([0, *ends], [*starts, len(data)], strict=True)]
    pieces[1::2] = [_RUNS[data[start:end]] for start, end in zip(starts, ends, strict=True)]
    return b"".join(pieces)


def folded(text: str) -> str:
    """A text with its words in their one form; its signs of ASCII stay, so do its lines."""
    if text.isascii():
        return text.lower()
    return folded_runs(composed(text).encode("utf-8", "replace").lower()).decode()
