"""Find functions by what a person or agent would call them, best first.

Each function has tasks (`tasks.txt`): what people ask for when they need it. A query is compared with the tasks,
the description and the names of every function as sets of words, in which synonyms count as one word and rare words
count more. Names also match by their parts and beginnings, and a word that is found nowhere is taken for a
misspelling of the known words that share most of its trigrams.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
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
    {
        "a", "an", "and", "are", "as", "at", "be", "can", "do", "does", "for", "from", "get", "give", "how", "i",
        "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "so", "that", "the", "their", "there",
        "this", "to", "using", "want", "what", "which", "with",
    }
)  # fmt: skip
_SAME_WORDS = """
    text string str strings varchar; array list lists collection sequence vector; object dictionary dict hashmap
    record struct; element item row entry elements member customer orders invoice user employee people person sku
    line; field property column attribute key; regex regexp pattern regular; avg average mean; max maximum largest
    highest greatest biggest top most latest newest; min minimum smallest lowest least earliest oldest; distinct
    unique dedupe deduplicate deduplication dedup; duplicate repeated repetition repeat; find search locate
    lookup; concat concatenate append glue; upper uppercase capital; lower lowercase; length len size; render
    stringify serialize encode write dump; parse deserialize decode read; remove delete drop strip eliminate
    discard exclude without; convert turn transform change cast conversion; number numeric numbers digit; boolean
    bool; match satisfy fulfil pass; split cut divide break separate; combine merge; count many tally; total sum;
    cumulative running rolling accumulated; null nil none undefined; check test verify validate valid; start begin
    beginning prefix leading; end ending suffix trailing; sort order arrange rank; reverse descending desc
    backward; select choose keep retain only; position index place; condition predicate criterion; replace
    substitute swap; before prior earlier; after later; difference diff between; nested deep recursive recursively
    inner; zone timezone; money currency price amount; every each all everything; some any; shorten truncate
    abbreviate; wrap ensure force; rename relabel; space whitespace; character char letter; random arbitrary;
    round rounding; decimal decimals; group bucket; two both; by per; path route; calculate compute; exist present
    there; equal same identical; default fallback otherwise; hide redact obscure anonymize; time moment; date
    datetime timestamp instant; current now; add plus addition; flatten flat; compare comparison; format
    formatting; validate validation; handle handling; subtract minus
"""
"""Words that mean the same to somebody who asks; the first stands for all."""
_ASKS = re.compile(r"\s*(is|are|do|does|has|have|can|check|test|whether|validate|valid|any|all|every|some)\b", re.I)
_QUESTION = 0.2
"""For functions that answer yes or no: more when the query asks so, less when it does not."""
_MARKS = {"to": ">", "into": ">", "as": ">", "from": "<", "at": "@"}
_WEAK = frozenset({"find", "calculate"})
"""Verbs that people put before anything."""
_OF_A_MARK, _EXACT, _ALL = 0.5, 0.3, 0.999
_TASK, _NAME, _DESCRIPTION = 1.0, 0.9, 0.55
"""How much a phrase says about its function, by where it comes from."""
_ASKED = 0.5
"""What a word of the query that the phrase lacks costs; the rest is for words of the phrase that the query lacks."""
_SPREAD = 0.4
"""What the words of a query count that a function has anywhere, beside its best phrase."""
_BEGINNING, _MISSPELT = 0.7, 0.75
_LEAST_LIKENESS = 0.45


class Index:
    """A set of functions, ready to be searched."""

    def __init__(self, declared: Iterable[Entry]) -> None:
        self.functions = sorted(declared, key=lambda function: function.name.lower())
        self.usual = sorted(range(len(self.functions)), key=lambda at: -self.functions[at].uses)
        self.names = [(name.lower(), at) for at, function in enumerate(self.functions) for name in function.names]
        self.phrases: list[tuple[int, float, frozenset[str]]] = []
        for at, function in enumerate(self.functions):
            self.phrases += [(at, weight, words) for weight, words in _phrases(function) if words]
        self.sayings: dict[str, list[int]] = {}
        for at, function in enumerate(self.functions):
            for task in function.tasks:
                self.sayings.setdefault(_saying(task), []).append(at)
        self.postings: dict[str, list[int]] = {}
        for number, (_, _, words) in enumerate(self.phrases):
            for word in words:
                self.postings.setdefault(word, []).append(number)
        self.vocabulary = sorted(self.postings)
        self.priors = [_prior(function) for function in self.functions]
        self.rarity = {word: self._rarity(word) for word in self.vocabulary}
        self.weights = [sum(self.rarity[word] for word in words) for _, _, words in self.phrases]
        self.trigrams: dict[str, list[str]] = {}
        self.gram_counts: dict[str, int] = {}
        for word in self.vocabulary:
            grams = _trigrams(word)
            self.gram_counts[word] = len(grams)
            for gram in grams:
                self.trigrams.setdefault(gram, []).append(word)

    def _rarity(self, word: str) -> float:
        rarity = log(1 + len(self.phrases) / len(self.postings[word]))
        return _OF_A_MARK * rarity if word[0] in "<>@" or word in _WEAK else rarity

    def find(self, query: str, category: str | None = None) -> list[Entry]:
        """All functions that match, best first; for an empty query all, those first that programs use most."""
        if _WORD.search(query.lower()):
            scores = self._scores(query)
            # Functions are in order of their names, and sorting keeps it among equals.
            places: Iterable[int] = sorted(sorted(scores), key=scores.__getitem__, reverse=True)
        else:
            places = self.usual
        found = [self.functions[at] for at in places]
        return found if category is None else [function for function in found if function.category == category]

    def _scores(self, query: str) -> dict[int, float]:
        asked = self._known(_concepts(query))
        scores = self._phrase_scores(asked) if asked else {}
        for at in self.sayings.get(_saying(query), ()):
            scores[at] = scores.get(at, 0.0) + _EXACT
        joined = "".join(_WORD.findall(query.lower()))
        for name, at in self.names:
            # One letter is in nearly every name: there only beginnings count.
            if name.startswith(joined) if len(joined) == 1 else joined in name:
                # The nearer the name is to the query as a whole, the better.
                bonus = 100.0 if name == joined else (1.2 if name.startswith(joined) else 0.4)
                scores[at] = max(scores.get(at, 0.0), scores.get(at, 0.0) / 2 + bonus + len(joined) / len(name))
        for at in scores:
            if self.functions[at].returnType == "Boolean":
                scores[at] += _QUESTION if _ASKS.match(query) else -_QUESTION
        return scores

    def _phrase_scores(self, asked: dict[str, dict[str, float]]) -> dict[int, float]:
        """What query and phrase share of what both say, for the best phrase; and a share of all that fits."""
        shared: dict[int, float] = {}
        anywhere: dict[int, dict[str, float]] = {}
        whole = 0.0
        for word, meanings in asked.items():
            whole += max((self.rarity[meant] for meant in meanings), default=log(1 + len(self.phrases)) / 2)
            best: dict[int, float] = {}
            for meant, share in meanings.items():
                for number in self.postings[meant]:
                    best[number] = max(best.get(number, 0.0), share * self.rarity[meant])
            for number, points in best.items():
                shared[number] = shared.get(number, 0.0) + points
                at, weight, _ = self.phrases[number]
                words = anywhere.setdefault(at, {})
                words[word] = max(words.get(word, 0.0), points * weight)
        scores: dict[int, float] = {}
        for number, points in shared.items():
            at, weight, _ = self.phrases[number]
            score = points / (_ASKED * whole + (1 - _ASKED) * self.weights[number])
            scores[at] = max(scores.get(at, 0.0), weight * (score + _EXACT * (score > _ALL)))
        for at, words in anywhere.items():
            scores[at] += _SPREAD * sum(words.values()) / whole + self.priors[at]
        return scores

    def _known(self, words: Iterable[str]) -> dict[str, dict[str, float]]:
        """Each word with the words of the index that it may mean, and how surely."""
        return {word: self._meanings(word) for word in words if word in self.postings or word[0] not in "<>@"}

    def _meanings(self, word: str) -> dict[str, float]:
        if word in self.postings:
            return {word: 1.0}
        begun = dict.fromkeys(self._beginning(word), _BEGINNING) if len(word) > 2 else {}
        return begun or {known: _MISSPELT * likeness for known, likeness in self._likely(word)}

    def _beginning(self, stem: str) -> Iterator[str]:
        at = bisect_left(self.vocabulary, stem)
        while at < len(self.vocabulary) and self.vocabulary[at].startswith(stem):
            yield self.vocabulary[at]
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


def _prior(function: Entry) -> float:
    """What is used and asked for often is likelier meant."""
    return 0.02 * log(1 + function.uses) + 0.01 * min(len(function.tasks), 15)


def _phrases(function: Entry) -> Iterator[tuple[float, frozenset[str]]]:
    for task in function.tasks:
        yield _TASK, frozenset(_concepts(task))
    for name in function.names:
        yield _NAME, frozenset((_concept(name.lower()),))
        yield _NAME, frozenset(_concepts(" ".join(_CAMEL.split(name))))
    yield _DESCRIPTION, frozenset(_concepts(function.description))
    rest = f"{function.details} {function.category} {' '.join(each['name'] for each in function.parameters)}"
    yield _DESCRIPTION / 2, frozenset(_concepts(rest))


def _saying(text: str) -> str:
    """A text without articles: tasks that a query says word by word, singular and plural apart."""
    return " ".join(word for word in _WORD.findall(text.lower()) if word not in ("a", "an", "the"))


def _concepts(text: str) -> list[str]:
    """The words of a text without fillers, each as the one that stands for its synonyms. Small words that tell some
    functions apart become marks: in "text to number", `<text` and `>number`; in "element at index", `@position`."""
    words = _WORD.findall((_CAMEL.sub(" ", text) if " " in text else text).lower())
    found: list[str] = []
    mark = ""
    for word in words:
        if word in _MARKS:
            mark = _MARKS[word]
            found += [f"<{each}" for each in found[-1:] if mark == ">" and each[0] not in "<>@"]
        elif word not in _FILLERS:
            concept = _concept(word)
            found += [concept, mark + concept] if mark else [concept]
            mark = ""
    return list(dict.fromkeys(found)) or words


def _concept(word: str) -> str:
    stem = _stem(word)
    return _SAME.get(word) or _SAME.get(stem) or stem


def _trigrams(word: str) -> set[str]:
    padded = f"  {word} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}


def _stem(word: str) -> str:
    """A word without the endings that only grammar asks for."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "as")):
        return word[:-1]
    if len(word) > 5 and word.endswith(("ise", "ised", "ising")):
        word = word.replace("is", "iz") if word.count("is") == 1 else word
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            stem = word[: -len(ending)]
            return stem[:-1] if stem[-1] == stem[-2] and stem[-1] not in "lsz" else stem
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


_SAME = {
    form: words.split()[0] for words in _SAME_WORDS.split(";") for word in words.split() for form in (word, _stem(word))
}


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
