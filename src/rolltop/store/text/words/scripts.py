"""What characters are to words, as far as Unicode alone tells: which are part of one, which stand by themselves."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise

__all__ = ["FIRST_UNSPACED", "UNSPACED", "composed", "composed_with_places", "is_inside", "is_unspaced", "spaced_out"]

_BETWEEN_WORDS = "\u200b"
"""A space of no width: it says where a word ends, other characters without width say nothing."""

_CIRCLED = range(0x24B6, 0x24EA)
_VOWELS_AND_ENDS = range(0x1160, 0x1200)
"""Of Korean syllables that are written in parts."""


def is_inside(char: str) -> bool:
    """Whether a character is part of a word, be it only a sign on a letter or one that nobody sees."""
    kind = unicodedata.category(char)
    return kind[0] in "LMN" or (kind == "Cf" and char != _BETWEEN_WORDS) or ord(char) in _CIRCLED


# Scripts without spaces: every character is a word, with the signs on it, and neighbours are found as a phrase.

_BLOCKS = (
    *(range(0xE00, 0xF00), range(0x1780, 0x1800)),
    *(range(0x1000, 0x10A0), range(0xA9E0, 0xAA00), range(0xAA60, 0xAA80)),
)
"""Thai and Lao, Khmer; Burmese and its neighbours."""


def _of_kind(kind: str) -> str:
    return "".join(chr(code) for block in _BLOCKS for code in block if unicodedata.category(chr(code))[0] == kind)


FIRST_UNSPACED = chr(_BLOCKS[0].start)
UNSPACED = _of_kind("L") + "\u3040-\u3098\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""For a class of characters in a pattern."""

SIGNS = _of_kind("M") + "\u3099\u309a"
"""What may stand on them."""

_UNSPACED = re.compile(f"([{UNSPACED}][{SIGNS}]*)")
_IS_UNSPACED = re.compile(f"[{UNSPACED}]")


def is_unspaced(char: str) -> bool:
    """Whether a character is a word by itself."""
    return _IS_UNSPACED.fullmatch(char) is not None


def spaced_out(text: str) -> str:
    """With spaces around every character that is a word by itself."""
    return " ".join(_UNSPACED.split(text)) if _IS_UNSPACED.search(text) else text


# Letters and the signs on them may be one character or several; here they are one.


def composed(text: str) -> str:
    """Every letter as one character where there is one (NFC)."""
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def composed_with_places(text: str) -> tuple[str, list[int]]:
    """The same, and where each of its characters begins in the text; after the last one, where the text ends."""
    pieces: list[str] = []
    places: list[int] = []
    for start, end in pairwise([*_beginnings(text), len(text)]):
        piece = unicodedata.normalize("NFC", text[start:end])
        pieces.append(piece)
        places += [start] * len(piece)
    return "".join(pieces), [*places, len(text)]


def _beginnings(text: Iterable[str]) -> Iterator[int]:
    """Where characters begin that no character before them can be one with."""
    for at, char in enumerate(text):
        if at == 0 or not (unicodedata.category(char)[0] == "M" or ord(char) in _VOWELS_AND_ENDS):
            yield at
