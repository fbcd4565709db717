"""Words inside words: `getUserName` is get, user, name; `HTTPServer2` is http, server, 2; `snake_case` is two words.

The cuts are found with a handful of operations over all bytes of a text, not token by token.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rolltop.store.text.scripts import UNSPACED

__all__ = ["CUTS", "Cut", "cut", "cut_all", "is_unspaced", "letters_of"]

_UPPER, _LOWER, _DIGIT, _OTHER, _JOINT = 1, 2, 4, 8, 16
_IN_WORD = _UPPER | _LOWER | _DIGIT | _OTHER


def _class_of(code: int) -> int:
    char = chr(code)
    if code >= 128:
        return _OTHER
    if char.isalpha():
        return _UPPER if char.isupper() else _LOWER
    return _DIGIT if char.isdigit() else _JOINT if char in "_-" else 0


def _plain(code: int) -> int:
    char = chr(code)
    return code if code >= 128 else ord(char.lower()) if char.isalnum() else ord(" ")


_CLASSES = bytes(map(_class_of, range(256)))
_PLAIN = bytes(map(_plain, range(256)))

_UNSPACED = re.compile(f"([{UNSPACED}])")


def is_unspaced(char: str) -> bool:
    """Whether a character is a word by itself."""
    return _UNSPACED.fullmatch(char) is not None


SHORT = 200
"""Characters that are looked at one by one."""

BATCH = 1 << 20
"""Characters that are cut in one go."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A text with a space at every cut, the words that were cut or joined, as one word each, and how many words."""

    text: str
    joined: frozenset[str]
    words: int


def cut(text: str) -> Cut:
    """Cut the words of a text where their case or kind changes."""
    if text.isascii() and text.isalpha() and (text[1:].islower() or text.isupper()):
        return Cut(text, frozenset(), 1)  # most words of queries: one, in one case
    return _cut_short(text) if len(text) <= SHORT and text.isascii() else _cut([text])[0]


CUTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a word ends inside of another one; the same as `_changes`."""

_WHOLE = re.compile(r"[A-Za-z0-9_-]+")
_INSIDE = re.compile(CUTS.pattern + r"|(?<=[A-Za-z0-9])[_-](?=[A-Za-z0-9])")
_WORD = re.compile(r"[A-Za-z0-9]+")


def _cut_short(text: str) -> Cut:
    """The same by patterns, for what somebody has typed: there the price per call counts."""
    spaced = CUTS.sub(" ", text)
    joined = [whole for whole in _WHOLE.findall(text) if _INSIDE.search(whole)]
    names = frozenset(whole.replace("_", "").replace("-", "").lower() for whole in joined)
    return Cut(spaced, names, len(_WORD.findall(spaced)))


def cut_all(texts: Iterable[str]) -> list[Cut]:
    """Cut many texts: the price of finding the cuts is per call more than per byte."""
    cuts: list[Cut] = []
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= BATCH:
            cuts += _cut(batch)
            batch, size = [], 0
    return cuts + _cut(batch) if batch else cuts


def _cut(texts: list[str]) -> list[Cut]:
    parts = [_encoded(text) for text in texts]
    data = b"\n".join(parts) + b"\n"
    sizes = np.array([len(part) + 1 for part in parts], np.int64)
    ends = np.cumsum(sizes)
    starts = ends - sizes
    kinds = np.frombuffer(data.translate(_CLASSES), np.uint8)
    changes = _changes(kinds)
    places = np.flatnonzero(changes) + 1
    inside = _joints(kinds)
    inside[1:] |= changes
    joined = _joined(data, kinds, np.flatnonzero(inside), starts)
    before, after = np.searchsorted(places, starts), np.searchsorted(places, ends)
    spaced = _spaced(data, places.tolist())
    spans = zip((starts + before).tolist(), (ends + after - 1).tolist(), strict=True)
    counts = _words(kinds, starts) + (after - before)
    made = zip(spans, joined, counts.tolist(), strict=True)
    return [Cut(spaced[start:end].decode(), names, count) for (start, end), names, count in made]


def _encoded(text: str) -> bytes:
    if not text.isascii() and _UNSPACED.search(text):
        text = _UNSPACED.sub(r" \1 ", text)
    # Half a character, as in names of files that are not UTF-8, is a question mark.
    return text.encode("utf-8", "replace")


def _words(kinds: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many words begin in each text, but for cuts."""
    within = (kinds & _IN_WORD) != 0
    begins = within.copy()
    begins[1:] &= ~within[:-1]
    counted: NDArray[np.int64] = np.add.reduceat(begins.view(np.uint8), starts, dtype=np.int64)
    return counted


def _changes(kinds: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where a word ends between a byte and the next: aB, 1B, a1, and before the last capital of ABc."""
    before, after = kinds[:-1], kinds[1:]
    found: NDArray[np.bool_] = (after == _UPPER) & ((before & (_LOWER | _DIGIT)) != 0)
    found |= (after == _DIGIT) & ((before & (_LOWER | _UPPER)) != 0)
    begins = (before == _UPPER) & (after == _LOWER)
    found[:-1] |= begins[1:] & (before[:-1] == _UPPER)
    return found


def _joints(kinds: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The _ and - that stand between two parts of a word."""
    found: NDArray[np.bool_] = kinds == _JOINT
    found[0] = found[-1] = False
    found[1:-1] &= ((kinds[:-2] & _IN_WORD) != 0) & ((kinds[2:] & _IN_WORD) != 0)
    return found


def _spaced(data: bytes, places: list[int]) -> bytes:
    ends = zip([0, *places], [*places, len(data)], strict=True)
    return b" ".join([data[start:end] for start, end in ends])


def _joined(
    data: bytes, kinds: NDArray[np.uint8], inside: NDArray[np.int64], texts: NDArray[np.int64]
) -> list[frozenset[str]]:
    """The whole words around these places, without what joins them, by the texts that begin at `texts`."""
    gaps = np.concatenate(([-1], np.flatnonzero(kinds == 0)))
    which = np.searchsorted(gaps, inside)
    which = which[np.diff(which, prepend=-1) != 0]
    starts, ends = gaps[which - 1] + 1, gaps[which]
    found = [data[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    firsts = [*np.searchsorted(starts, texts).tolist(), len(found)]
    return [frozenset(letters_of(b" ".join(found[a:b]), b"_-")) if b > a else frozenset() for a, b in pairwise(firsts)]


def letters_of(data: bytes, without: bytes = b"") -> list[str]:
    """The runs of ASCII letters and digits and of anything beyond ASCII, in lower case."""
    return data.translate(_PLAIN, without).decode("utf-8", "replace").split()
