"""The words of a document as one field that is asked for plain words: stems, each as often as it counts.

A stem that comes n times counts as one, two or three and so on from one, two, four times on: what it says about a text
grows with every doubling, not with every time. That also leaves less than half of the tokens to be indexed.

No Python code runs per word: a word is told by its bytes, eight at a time, and its stem is looked up in a table of all
words that were met, for many texts at once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rolltop.store.text.words.analysis import stems
from rolltop.store.text.words.splitting import BATCH, MOST_BYTES

__all__ = ["Parts", "Weighed", "weighed"]

Weighed = tuple[str, int]
"""Stems with spaces between them, and how many."""

MORE = 3
"""What a word in a title, a heading or a tag is worth, beside being in the text."""

MOST = 500_000
"""Words whose stems are remembered: some tens of megabytes while much is indexed."""

_Numbers = NDArray[np.int64]
_Stemmed = NDArray[np.int32]
"""The numbers of stems."""
_Prints = NDArray[np.uint64]

_EIGHT = 8
_KEPT = np.array([(1 << (8 * count)) - 1 for count in range(_EIGHT + 1)], np.uint64)
"""What stays of eight bytes where a word has fewer."""

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_SEED = np.uint64(int.from_bytes(os.urandom(8), "little") | 1)
"""Nobody can make words that look alike without knowing it."""

_TIMES = np.array([count.bit_length() for count in range(1 << 12)], np.int64)


class _Stems:
    """The stem of every word that was met, found by what the word's bytes are. Numbers stand for stems."""

    def __init__(self, slots: int = 1 << 16) -> None:
        self._slots = slots
        self._prints = np.zeros(slots, np.uint64)
        self._numbers = np.zeros(slots, np.int32)  # half the size is found sooner
        self._count = 0
        self._known: dict[str, int] = {"": 0}
        self.named = np.array([""], object)
        self._names = 1

    def numbers(self, prints: _Prints, data: bytes, starts: _Numbers, ends: _Numbers) -> _Stemmed:
        """The stem of each word."""
        found = self._looked_up(prints)
        missing = np.flatnonzero(found < 0)
        if len(missing):
            new, first = np.unique(prints[missing], return_index=True)
            which = missing[first]
            words = [data[a:b].decode() for a, b in zip(starts[which].tolist(), ends[which].tolist(), strict=True)]
            self._learn(new, words)
            found[missing] = self._looked_up(prints[missing])
        return found

    def _looked_up(self, prints: _Prints) -> _Stemmed:
        """The stem of each word, -1 for those that were not met before."""
        slots = self._first(prints)
        there = self._prints[slots]
        found = self._numbers[slots]
        other = np.flatnonzero(there != prints)
        found[other] = -1
        left = other[there[other] != 0]
        while len(left):
            slots[left] = (slots[left] + 1) & (self._slots - 1)
            there = self._prints[slots[left]]
            hit = there == prints[left]
            found[left[hit]] = self._numbers[slots[left[hit]]]
            left = left[~hit & (there != 0)]
        return found

    def _first(self, prints: _Prints) -> _Numbers:
        shift = np.uint64(64 - (self._slots.bit_length() - 1))
        return ((prints * _SPREAD) >> shift).astype(np.int64)

    def _learn(self, prints: _Prints, words: list[str]) -> None:
        numbers = np.array([self._number(stem) for stem in _stems_of(words)], np.int32)
        if 2 * (self._count + len(prints)) > self._slots:
            self._grow(4 * (self._count + len(prints)))
        self._put(prints, numbers)

    def _number(self, stem: str) -> int:
        number = self._known.get(stem)
        if number is None:
            number = self._known[stem] = self._names
            if number == len(self.named):
                self.named = np.concatenate([self.named, np.full(max(1024, number), "", object)])
            self.named[number] = stem
            self._names += 1
        return number

    def _grow(self, wanted: int) -> None:
        held = np.flatnonzero(self._prints)
        prints, numbers = self._prints[held], self._numbers[held]
        self._slots = 1 << wanted.bit_length()
        self._prints = np.zeros(self._slots, np.uint64)
        self._numbers = np.zeros(self._slots, np.int32)
        self._count = 0
        self._put(prints, numbers)

    def _put(self, prints: _Prints, numbers: _Stemmed) -> None:
        """Into the first free place of each; of several that want the same place, one gets it and the rest go on."""
        slots = self._first(prints)
        left = np.arange(len(prints))
        while len(left):
            free = self._prints[slots[left]] == 0
            asked = left[free]
            self._prints[slots[asked]] = prints[asked]
            got = self._prints[slots[left]] == prints[left]
            self._numbers[slots[left[got]]] = numbers[left[got]]
            left = left[~got]
            slots[left] = (slots[left] + 1) & (self._slots - 1)
        self._count += len(prints)

    @property
    def is_full(self) -> bool:
        return self._count >= MOST


def _stems_of(words: list[str]) -> list[str]:
    """Nothing for what is too long for the index."""
    short = [word if len(word.encode()) < MOST_BYTES else "" for word in words]
    found = iter(stems([word for word in short if word]))
    return [next(found) if word else "" for word in short]


_guard = threading.Lock()
_stems = _Stems()


@dataclass(frozen=True, slots=True)
class Parts:
    """What a document is weighed by: its text, what counts once more, and what counts `MORE` times."""

    body: str
    once: str
    more: str


def weighed(documents: Iterable[Parts]) -> list[Weighed]:
    """The field of each document."""
    found: list[Weighed] = []
    batch: list[Parts] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.body)
        if size >= BATCH:
            found += _weighed(batch)
            batch, size = [], 0
    return found + _weighed(batch) if batch else found


def _weighed(batch: Sequence[Parts]) -> list[Weighed]:
    size = len(batch)
    numbers, counts, named = _numbered(
        [*[each.body for each in batch], *[each.once for each in batch], *[each.more for each in batch]]
    )
    ends = np.cumsum(counts)
    body, once = int(ends[size - 1]), int(ends[2 * size - 1])
    which = np.arange(size)
    bodies = _by_doublings(np.repeat(which, counts[:size]), numbers[:body], len(named))
    parts = [bodies, (np.repeat(which, counts[size : 2 * size]), numbers[body:once])]
    parts.append((np.repeat(which, MORE * counts[2 * size :]), np.repeat(numbers[once:], MORE)))
    of_body, of_once, of_more = [_by_document(*part, named, size) for part in parts]
    found = [a + b + c for a, b, c in zip(of_body, of_once, of_more, strict=True)]
    return [(" ".join(words), len(words)) for words in found]


def _by_document(documents: _Numbers, numbers: _Stemmed, named: NDArray[np.object_], size: int) -> list[list[str]]:
    """The stems of each document; those that are too long for the index have the number 0."""
    if not numbers.all():
        documents, numbers = documents[numbers != 0], numbers[numbers != 0]
    words = named[numbers].tolist()
    return [words[a:b] for a, b in pairwise(np.searchsorted(documents, np.arange(size + 1)).tolist())]


def _by_doublings(documents: _Numbers, numbers: _Stemmed, most: int) -> tuple[_Numbers, _Stemmed]:
    """Each stem of a document once, and once more for every time that it comes twice as often."""
    bits = most.bit_length()
    keys = (documents << bits) | numbers
    if len(documents) and int(documents[-1]) >> (31 - bits) == 0:
        keys = keys.astype(np.int32)  # sorted in half the time
    keys.sort()
    is_new = np.ones(len(keys), bool)
    is_new[1:] = keys[1:] != keys[:-1]
    bounds = np.flatnonzero(is_new)
    times = np.minimum(np.diff(bounds, append=len(keys)), len(_TIMES) - 1)
    keys = np.repeat(keys[bounds], _TIMES[times])
    return keys >> bits, keys & ((1 << bits) - 1)


def _numbered(texts: list[str]) -> tuple[_Stemmed, _Numbers, NDArray[np.object_]]:
    """The number of the stem of each word of some texts, how many words each text has, and what the numbers mean."""
    global _stems  # noqa: PLW0603 - begun again when it has met too many words
    parts = [text.encode() for text in texts]
    data = b"\0" + b"\0".join([*parts, b"\0" * _EIGHT])
    inside = np.frombuffer(data, np.uint8) > ord(" ")
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    starts, ends = edges[0::2], edges[1::2]
    prints = _prints(data, starts, ends - starts)
    firsts = np.cumsum([1, *[len(part) + 1 for part in parts]])
    counts = np.diff(np.searchsorted(starts, firsts))
    with _guard:
        if _stems.is_full:
            _stems = _Stems()
        return _stems.numbers(prints, data, starts, ends), counts, _stems.named


def _prints(data: bytes, starts: _Numbers, lengths: _Numbers) -> _Prints:
    """A number for each word: its bytes where these are eight at most, else mixed from all of them."""
    eights = np.ndarray((len(data) - _EIGHT + 1,), np.dtype("<u8"), data, strides=(1,))
    prints = eights[starts] & _KEPT[np.minimum(lengths, _EIGHT)]
    long, at = np.flatnonzero(lengths > _EIGHT), _EIGHT
    while len(long):
        more = eights[starts[long] + at] & _KEPT[np.minimum(lengths[long] - at, _EIGHT)]
        mixed = (prints[long] ^ (more * _SPREAD)) * _SEED
        prints[long] = mixed ^ (mixed >> np.uint64(29))
        at += _EIGHT
        long = long[lengths[long] > at]
    return prints
