"""Words inside words: `getUserName` is get, user, name; `sha256sum` is sha, 256, sum; `snake_case` is two words.

The cuts are found with a handful of operations over all bytes of a text, not token by token.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rolltop.store.text.words.folding import folded_runs
from rolltop.store.text.words.scripts import composed, spaced_out

__all__ = ["LONGEST_WORD", "MOST_BYTES", "Cut", "cut", "cut_all", "cuts_in"]

LONGEST_WORD, MOST_BYTES = 64, 192
"""Letters and digits of ASCII, bytes of any word: what is as long is a hash or a line of base64, and is not indexed."""

_UPPER, _LOWER, _DIGIT, _OTHER, _JOINT = 1, 2, 4, 8, 16
_ASCII = _UPPER | _LOWER | _DIGIT
_IN_WORD = _ASCII | _OTHER


def _class_of(code: int) -> int:
    char = chr(code)
    if code >= 128:
        return _OTHER
    if char.isalpha():
        return _UPPER if char.isupper() else _LOWER
    return _DIGIT if char.isdigit() else _JOINT if char in "_-" else 0


def _plain(code: int) -> int:
    char = chr(code)
    kept = code >= 128 or char in _KEPT
    return code if kept else ord(char.lower()) if char.isalnum() else ord(" ")


_TEXT_ENDS = b"\0"
_KEPT = "\0\n"
"""Between texts that are cut together, and between the pieces of one: whoever joined them parts them again."""

_CLASSES = bytes(map(_class_of, range(256)))
_PLAIN = bytes(map(_plain, range(256)))

SHORT = 200
"""Characters that are looked at one by one."""

BATCH = 1 << 17
"""Characters that are cut in one go: few enough for what is made of them to stay near the processor."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The words of a text with spaces between them, those that were cut or joined as one word each, and how many."""

    text: str
    joined: frozenset[str]
    words: int


def cut(text: str) -> Cut:
    """Cut the words of a text where their case or kind changes, and fold them."""
    if text.isascii() and text.isalpha() and (text[1:].islower() or text.isupper()):
        return Cut(text.lower(), frozenset(), 1)  # most words of queries: one, in one case
    return _cut_short(text) if len(text) <= SHORT and text.isascii() else _cut([text])[0]


_CUTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a word ends inside of another one, but for digits before small letters; the same as `_changes`."""

LONGEST_NAME = 32
"""Letters and digits; a longer run of them is a code, and digits in it are not cut from the letters after them."""

_NAME = re.compile(
    rf"(?<![A-Za-z0-9])(?!(?:0[xX])?[0-9A-Fa-f]+(?![A-Za-z0-9]))[A-Za-z0-9]{{1,{LONGEST_NAME}}}(?![A-Za-z0-9])"
)
"""A run of letters and digits that is neither hexadecimal nor too long."""

_DIGITS_INSIDE = re.compile(r"(?<=[A-Za-z])[0-9]+(?=[a-z]{2})")

_WHOLE = re.compile(r"[A-Za-z0-9_-]+")
_JOINING = re.compile(r"(?<=[A-Za-z0-9])[_-](?=[A-Za-z0-9])")


def cuts_in(text: str, start: int = 0, end: int | None = None) -> list[int]:
    """Where a word ends inside of another one; the same as `_changes` and `_after_digits`, for short texts."""
    end = len(text) if end is None else end
    places = [found.start() for found in _CUTS.finditer(text, start, end)]
    for name in _NAME.finditer(text, start, end):
        places += [digits.end() for digits in _DIGITS_INSIDE.finditer(text, *name.span())]
    return sorted(places)


@lru_cache(1024)
def _cut_short(text: str) -> Cut:
    """The same by patterns, for what somebody has typed: there the price per call counts."""
    places = cuts_in(text)
    spaced = " ".join([text[start:end] for start, end in pairwise([0, *places, len(text)])])
    data = _encoded(spaced).translate(_PLAIN)
    plain = (_lengthened(data) if len(data) >= LONGEST_WORD else data).decode()
    joined = [whole for whole in _WHOLE.findall(text) if _JOINING.search(whole) or cuts_in(whole)]
    names = frozenset(whole.replace("_", "").replace("-", "").lower() for whole in joined)
    return Cut(plain, names, len(plain.split()))


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
    data = _TEXT_ENDS.join([*parts, b""])
    sizes = np.array([len(part) + 1 for part in parts], np.int64)
    ends = np.cumsum(sizes)
    starts = ends - sizes
    kinds = np.frombuffer(data.translate(_CLASSES), np.uint8)
    changes = _changes(kinds)
    _after_digits(data, kinds, changes)
    places = np.flatnonzero(changes) + 1
    inside = _joints(kinds)
    inside[1:] |= changes
    gaps = np.concatenate(([-1], np.flatnonzero(kinds == 0)))
    joined = _joined(data, gaps, np.flatnonzero(inside), starts)
    spaced = folded_runs(_spaced(data, places.tolist()).translate(_PLAIN))
    if np.diff(gaps).max() > LONGEST_WORD:
        spaced = _lengthened(spaced)
    before, after = np.searchsorted(places, starts), np.searchsorted(places, ends)
    counts = _words(kinds, starts) + (after - before)
    return [
        Cut(text.decode(), *its)
        for text, *its in zip(spaced.split(_TEXT_ENDS)[:-1], joined, counts.tolist(), strict=True)
    ]


def _lengthened(data: bytes) -> bytes:
    """Words of ASCII that are too long made so long that the index leaves them out; their places stay."""
    ends = np.flatnonzero(np.frombuffer(data + b" ", np.uint8) <= ord(" "))
    lengths = np.diff(ends, prepend=-1) - 1
    long = np.flatnonzero(lengths >= LONGEST_WORD)
    pieces, done = [], 0
    for end, length in zip(ends[long].tolist(), lengths[long].tolist(), strict=True):
        if data[end - length : end].isascii():
            pieces += [data[done:end], b"x" * (MOST_BYTES - length)]
            done = end
    return b"".join([*pieces, data[done:]])


def _encoded(text: str) -> bytes:
    if not text.isascii():
        text = spaced_out(composed(text))
    # Half a character, as in names of files that are not UTF-8, is a question mark.
    return text.encode("utf-8", "replace").replace(_TEXT_ENDS, b" ")


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


_HEXADECIMAL = np.array([chr(code) in "0123456789abcdefABCDEF" for code in range(256)])


def _after_digits(data: bytes, kinds: NDArray[np.uint8], changes: NDArray[np.bool_]) -> None:
    """Cut also between a digit and a small letter (sha256|sum), where that helps names and does not shatter codes.

    That is where the digits follow a letter and are followed by two small letters, in a run of at most `LONGEST_NAME`
    letters and digits that is not hexadecimal.
    """
    at = np.flatnonzero(kinds[:-2] == _DIGIT)
    at = at[(kinds[at + 1] == _LOWER) & (kinds[at + 2] == _LOWER)]
    if len(at) > _AT_ONCE:
        at = _likely(data, kinds, at)
    for first in range(0, len(at), _AT_ONCE):
        some = at[first : first + _AT_ONCE]
        changes[some[_in_names(data, kinds, some)]] = True


_AT_ONCE = 1 << 12
_AROUND = np.arange(-LONGEST_NAME, LONGEST_NAME + 1, dtype=np.int64)


def _likely(data: bytes, kinds: NDArray[np.uint8], at: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of very many digits that are not in a run that is too long or hexadecimal; it costs per byte."""
    gaps = np.concatenate(([-1], np.flatnonzero((kinds & _ASCII) == 0)))
    which = np.searchsorted(gaps, at)
    starts, ends = gaps[which - 1] + 1, gaps[which]
    strange = np.cumsum(~_HEXADECIMAL[np.frombuffer(data, np.uint8)], dtype=np.int32)
    before = np.where(starts > 0, strange[starts - 1], 0)
    found: NDArray[np.int64] = at[(ends - starts <= LONGEST_NAME) & (strange[ends - 1] > before)]
    return found


def _in_names(data: bytes, kinds: NDArray[np.uint8], at: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of some digits follow a letter in a run that is neither too long nor hexadecimal."""
    offsets = _AROUND[None, :]
    around = np.clip(at[:, None] + offsets, -1, len(data) - 1)  # both ends are no letter: the last byte ends a text
    of_run = (kinds[around] & _ASCII) != 0
    before, after = _so_many(of_run[:, LONGEST_NAME::-1]), _so_many(of_run[:, LONGEST_NAME:])
    of_run &= (offsets > -before[:, None]) & (offsets < after[:, None])
    letters = of_run & (kinds[around] != _DIGIT)
    raw = np.frombuffer(data, np.uint8)
    strange = of_run & ~_HEXADECIMAL[raw[around]]
    marked = (raw[at - before + 1] == ord("0")) & ((raw[at - before + 2] | 32) == ord("x"))
    strange &= ~marked[:, None] | (offsets != 2 - before[:, None])  # 0x12ab is hexadecimal
    found: NDArray[np.bool_] = letters[:, :LONGEST_NAME].any(axis=1) & strange.any(axis=1)
    found &= before + after - 1 <= LONGEST_NAME
    return found


def _so_many(row: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many are true before the first that is not."""
    found: NDArray[np.int64] = np.where(row.all(axis=1), row.shape[1], np.argmin(row, axis=1))
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
    data: bytes, gaps: NDArray[np.int64], inside: NDArray[np.int64], texts: NDArray[np.int64]
) -> list[frozenset[str]]:
    """The whole words around these places, without what joins them, by the texts that begin at `texts`."""
    which = np.searchsorted(gaps, inside)
    is_new = np.ones(len(which), bool)
    is_new[1:] = which[1:] != which[:-1]
    which = which[is_new]
    starts, ends = gaps[which - 1] + 1, gaps[which]
    found = [data[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    firsts = [*np.searchsorted(starts, texts).tolist(), len(found)]
    by_text = _TEXT_ENDS.join([b" ".join(found[a:b]) for a, b in pairwise(firsts)])
    plain = folded_runs(by_text.translate(_PLAIN, b"_-")).decode()  # in their one form, without what joins their parts
    return [frozenset(names.split()) for names in plain.split(_TEXT_ENDS.decode())]
