"""Words inside words: `getUserName` is get, user, name; `HTTPServer2` is http, server, 2; `snake_case` is two words.

The cuts are found with a handful of operations over all bytes of a text, not token by token.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cut", "cut", "letters_of"]

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

_UNSPACED = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")
"""Scripts that put no space between words: every character is a word, and neighbours are found as a phrase."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A text with a space at every cut, and the words that were cut or joined, as one word each."""

    text: str
    joined: frozenset[str]


def cut(text: str) -> Cut:
    """Cut the words of a text where their case or kind changes."""
    if text.isascii() and text.isalpha() and (text[1:].islower() or text.isupper()):
        return Cut(text, frozenset())  # most words of queries: one, in one case
    if not text.isascii() and _UNSPACED.search(text):
        text = _UNSPACED.sub(r" \1 ", text)
    try:
        data = text.encode()
    except UnicodeEncodeError:  # half a character, as in names of files that are not UTF-8
        data = text.encode("utf-8", "replace")
        text = data.decode()
    kinds = np.frombuffer(data.translate(_CLASSES), np.uint8)
    if len(kinds) < 2:
        return Cut(text, frozenset())
    changes = _changes(kinds)
    places = np.flatnonzero(changes) + 1
    inside = _joints(kinds)
    inside[1:] |= changes
    joined = _joined(data, kinds, np.flatnonzero(inside))
    return Cut(_spaced(data, places.tolist()).decode() if len(places) else text, joined)


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


def _joined(data: bytes, kinds: NDArray[np.uint8], inside: NDArray[np.int64]) -> frozenset[str]:
    """The whole words around these places, without what joins them."""
    if not len(inside):
        return frozenset()
    gaps = np.concatenate(([-1], np.flatnonzero(kinds == 0), [len(kinds)]))
    which = np.searchsorted(gaps, inside)
    which = which[np.concatenate(([True], which[1:] != which[:-1]))]
    starts, ends = gaps[which - 1] + 1, gaps[which]
    found = b" ".join([data[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)])
    return frozenset(letters_of(found, b"_-"))


def letters_of(data: bytes, without: bytes = b"") -> list[str]:
    """The runs of ASCII letters and digits and of anything beyond ASCII, in lower case."""
    return data.translate(_PLAIN, without).decode("utf-8", "replace").split()
