"""Finding functions by what a person or agent would call them, best first.

An index over names, aliases, parameters and descriptions is built on first use. A query matches whole
words, beginnings of words and parts of names; a word that is found nowhere is taken for a typing
error of the words that share most of its letters. Functions that match every word of the query come
alone; only when there are none, those that match some.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import cache
from math import log
from typing import TYPE_CHECKING

from rolltop.transform.stdlib.catalog import Entry, own_entries

if TYPE_CHECKING:
    from rolltop.transform.stdlib.declare import Function

__all__ = ["Index", "search"]

_WORD = re.compile(r"[a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_FILLERS = frozenset(
    (
        "a",
        "an",
        "and",
        "by",
        "do",
        "for",
        "from",
        "how",
        "i",
        "in",
        "into",
        "is",
        "it",
        "of",
        "on",
        "or",
        "the",
        "to",
        "what",
        "with",
    )
)
_SAME = {
    "string": "text", "strings": "text", "list": "array", "dictionary": "object", "dict": "object", "hash": "digest",
    "regexp": "regex", "average": "avg", "mean": "avg", "dedupe": "distinct", "deduplicate": "distinct",
    "lookup": "find", "concatenate": "concat", "capitals": "upper", "uppercase": "upper", "lowercase": "lower",
    "len": "length", "datetime": "date", "stringify": "render", "serialize": "render", "deserialize": "parse",
    "descending": "reverse", "substr": "substring",
}  # fmt: skip
"""Words that other languages use, and the word that stands for them here. Both are looked up."""
_NAME, _PART, _DESCRIPTION, _ELSEWHERE = 8.0, 5.0, 2.0, 1.0
_BEGINNING, _MISSPELT = 0.6, 0.5
_PER_WORD = 10.0
"""Two words that fit a little beat one that fits well."""
_LEAST_LIKENESS = 0.45


class Index:
    """A set of functions, ready to be searched."""

    def __init__(self, declared: Iterable[Entry]) -> None:
        self.functions = sorted(declared, key=lambda function: function.name.lower())
        self.usual = sorted(range(len(self.functions)), key=lambda at: -self.functions[at].uses)
        self.names = [(name.lower(), at) for at, function in enumerate(self.functions) for name in function.names]
        self.postings: dict[str, dict[int, float]] = {}
        for at, function in enumerate(self.functions):
            self._add(at, function)
        self.vocabulary = sorted(self.postings)
        self.trigrams: dict[str, list[str]] = {}
        self.gram_counts: dict[str, int] = {}
        for word in self.vocabulary:
            grams = _trigrams(word)
            self.gram_counts[word] = len(grams)
            for gram in grams:
                self.trigrams.setdefault(gram, []).append(word)

    def _add(self, at: int, function: Entry) -> None:
        for name in function.names:
            self._post(name.lower(), at, _NAME)
            for part in _CAMEL.split(name):
                self._post(part.lower(), at, _PART)
        for word in _WORD.findall(f"{function.description} {function.details}".lower()):
            self._post(word, at, _DESCRIPTION)
        for word in (function.category, *(parameter["name"].lower() for parameter in function.parameters)):
            self._post(word, at, _ELSEWHERE)

    def _post(self, word: str, at: int, weight: float) -> None:
        if word in _FILLERS and weight < _PART:
            return
        places = self.postings.setdefault(_stem(word), {})
        places[at] = max(places.get(at, 0.0), weight)

    def find(self, query: str, category: str | None = None) -> list[Entry]:
        """All functions that match, best first; for an empty query all, those first that programs use most."""
        words = self._words(query)
        if words:
            scores = self._scores(words, "".join(_WORD.findall(query.lower())))
            # Functions are in order of their names, and sorting keeps it among equals.
            places: Iterable[int] = sorted(sorted(scores), key=scores.__getitem__, reverse=True)
        else:
            places = self.usual
        found = [self.functions[at] for at in places]
        return found if category is None else [function for function in found if function.category == category]

    def _words(self, query: str) -> list[str]:
        words = _WORD.findall(_CAMEL.sub(" ", query).lower()) if " " in query else _WORD.findall(query.lower())
        return [word for word in words if word not in _FILLERS] or words

    def _scores(self, words: list[str], joined: str) -> dict[int, float]:
        each = [self._word_scores(word) for word in words]
        places = set(each[0]).intersection(*each[1:]) or set().union(*each)
        scores = {at: sum(found[at] + _PER_WORD for found in each if at in found) for at in places}
        for name, at in self.names:
            # One letter is in nearly every name: there only beginnings count.
            if name.startswith(joined) if len(joined) == 1 else joined in name:
                # The nearer the name is to the query as a whole, the better.
                bonus = 1000.0 if name == joined else (50.0 if name.startswith(joined) else 40.0)
                scores[at] = max(scores.get(at, 0.0), bonus + 10 * len(joined) / len(name))
        return scores

    def _word_scores(self, word: str) -> dict[int, float]:
        stems = {_stem(word), _stem(_SAME.get(word, word))}
        scores: dict[int, float] = {}
        for stem in stems:
            self._collect(scores, stem, 1.0)
            self._collect_beginnings(scores, stem)
        if not scores:
            for likely, likeness in self._likely(_stem(word)):
                self._collect(scores, likely, _MISSPELT * likeness)
        return scores

    def _collect(self, scores: dict[int, float], word: str, share: float) -> None:
        places = self.postings.get(word, {})
        # A word that few functions have says more than one that half of them have.
        weight = share * log(1 + len(self.functions) / (1 + len(places)))
        for at, points in places.items():
            scores[at] = max(scores.get(at, 0.0), points * weight)

    def _collect_beginnings(self, scores: dict[int, float], stem: str) -> None:
        if len(stem) < 2:
            return
        at = bisect_left(self.vocabulary, stem)
        while at < len(self.vocabulary) and self.vocabulary[at].startswith(stem):
            if self.vocabulary[at] != stem:
                self._collect(scores, self.vocabulary[at], _BEGINNING)
            at += 1

    def _likely(self, word: str) -> list[tuple[str, float]]:
        """Known words that share most of their trigrams with an unknown one."""
        grams = _trigrams(word)
        shared: dict[str, int] = {}
        for gram in grams:
            for known in self.trigrams.get(gram, ()):
                shared[known] = shared.get(known, 0) + 1
        counts = self.gram_counts
        rated = [(known, 2 * both / (len(grams) + counts[known])) for known, both in shared.items() if both > 1]
        best = max((likeness for _, likeness in rated), default=0.0)
        return [(known, likeness) for known, likeness in rated if likeness >= max(_LEAST_LIKENESS, best * 0.8)]


def _trigrams(word: str) -> set[str]:
    padded = f"  {word} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}


def _stem(word: str) -> str:
    """A word without the endings that only grammar asks for."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "as")):
        return word[:-1]
    return word


@cache
def _index() -> Index:
    return Index(own_entries())


def search(query: str = "", *, category: str | None = None) -> list[Function]:
    """The functions of the library that a query means, best first, all by name for an empty one; imports the families
    of those found."""
    from rolltop.transform.stdlib.registry import find  # noqa: PLC0415 - looking alone imports nothing

    entries = _index().find(query, category)
    if not query.strip():
        entries.sort(key=lambda entry: entry.name.lower())
    found = (find(entry.name) for entry in entries)
    return [function for function in found if function is not None]
