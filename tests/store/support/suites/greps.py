"""What every grep index must do: exclude frames, and never one that holds a match."""

from __future__ import annotations

import random
import re

from rolltop.store.grep.layout import FrameTable
from rolltop.store.grep.syntax import parse
from rolltop.store.grep.trigrams import question
from rolltop.store.records import Frame, Place
from rolltop.store.seams import GrepIndex

PATTERNS = [
    "alpha",
    "beta.*gamma",
    "(foo|bar)baz",
    "x[0-9]+y",
    "del?ta",
    "(ab){2}",
    "^omega$",
    "zz*",
    "[ab]cd",
    "Größe",
]

SHORT = ("zz*", "x[0-9]+y")
"""Patterns without three characters in a row that are certain."""


def frames(count: int, seed: int) -> tuple[FrameTable, list[bytes]]:
    rng = random.Random(seed)
    words = ["alpha", "beta gamma", "foobaz", "barbaz", "x17y", "delta", "deta", "abab", "omega", "acd", "Größe", "qq"]
    texts = ["\n".join(rng.choices(words, k=rng.randint(0, 3))).encode() + b"\n" for _ in range(count)]
    rows = [Frame(number * 2 + 1, Place(1, number, len(text)), len(text)) for number, text in enumerate(texts)]
    return FrameTable(rows), texts


class GrepIndexSuite:
    def test_a_frame_with_a_match_is_always_a_candidate(self, index: GrepIndex) -> None:
        table, texts = frames(300, 1)
        by_number = dict(zip(table.numbers.tolist(), texts, strict=True))
        for run in list(index.missing(table, least=1)):
            index.add(table, run, [by_number[frame.id] for frame in run])
        for pattern in PATTERNS:
            places = set(index.candidates(table, question(parse(pattern), ignore_case=False)).tolist())
            matching = {n for n, text in enumerate(texts) if re.search(pattern.encode(), text, re.MULTILINE)}
            assert matching <= places
            assert len(places) < 300 or pattern in SHORT

    def test_what_it_has_not_seen_is_a_candidate(self, index: GrepIndex) -> None:
        table, texts = frames(100, 2)
        index.add(table, table.frames[:50], texts[:50])
        places = index.candidates(table, question(parse("nowhere"), ignore_case=False)).tolist()
        assert places == list(range(50, 100))

    def test_it_does_not_answer_for_other_frames(self, index: GrepIndex) -> None:
        table, texts = frames(60, 3)
        index.add(table, table.frames, texts)
        others, _ = frames(60, 4)
        assert len(index.candidates(others, question(parse("nowhere"), ignore_case=False))) == 60
        assert index.drop_stale(others)
        assert index.damage(others) == []

    def test_small_additions_grow_together(self, index: GrepIndex) -> None:
        table, texts = frames(200, 5)
        by_number = dict(zip(table.numbers.tolist(), texts, strict=True))
        for end in range(20, 201, 20):
            part = FrameTable(table.frames[:end])
            for run in list(index.missing(part, least=1)):
                index.add(part, run, [by_number[frame.id] for frame in run])
        assert list(index.missing(table, least=1)) == []
        assert index.damage(table) == []
        assert len(index.candidates(table, question(parse("nowhere"), ignore_case=False))) == 0
