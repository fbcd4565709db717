"""TF-IDF over an inverted index, weighed with formats and functions."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from rolltop.transform.examples.corpus import Example, canonical_name
from rolltop.transform.formats.table import canonical

__all__ = ["Finder", "Wanted"]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FILLERS = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "be", "by", "do", "for", "from", "get", "has", "have", "in", "into",
        "is", "it", "its", "of", "on", "or", "that", "the", "to", "with",
    }
)  # fmt: skip
_SAME = {
    "combine": "join", "lookup": "find", "restructure": "reshape", "aggregate": "sum", "average": "avg",
    "uppercase": "upper", "lowercase": "lower", "deduplicate": "distinct", "unique": "distinct", "total": "sum",
    "transform": "convert", "remap": "rename", "order": "order", "record": "row", "bill": "invoice",
}  # fmt: skip
_TEXT, _FORMATS, _FUNCTIONS = 0.5, 0.3, 0.2
"""What each criterion weighs; those that were not asked for are left out."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an example should be like."""

    input_format: str
    output_format: str
    functions: tuple[str, ...] = ()
    description: str = ""
    limit: int = 5


@dataclass(slots=True)
class Finder:
    """Examples, ready to be searched."""

    examples: list[Example]
    postings: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    by_format: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    by_function: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        counted = [Counter(_words(_text(example))) for example in self.examples]
        seen = Counter(word for counts in counted for word in counts)
        rare = {word: math.log(1 + len(counted) / count) for word, count in seen.items()}
        for at, (example, counts) in enumerate(zip(self.examples, counted, strict=True)):
            weights = {word: (1 + math.log(count)) * rare[word] for word, count in counts.items()}
            length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
            for word, weight in weights.items():
                self.postings.setdefault(word, []).append((at, weight / length))
            for side in (("in", example.input_format), ("out", example.output_format)):
                self.by_format.setdefault(side, []).append(at)
            for name in example.functions:
                self.by_function.setdefault(name, []).append(at)

    def find(self, wanted: Wanted) -> list[tuple[Example, float]]:
        """The best examples with their relevance from 0 to 1, best first; a format that nothing has is refused."""
        scores: dict[int, float] = {}
        parts = [(_FORMATS, self._format_scores(wanted))]
        if _words(wanted.description):
            parts.append((_TEXT, self._text_scores(wanted.description)))
        if wanted.functions:
            parts.append((_FUNCTIONS, self._function_scores(wanted.functions)))
        whole = sum(weight for weight, _ in parts)
        for weight, found in parts:
            for at, score in found.items():
                scores[at] = scores.get(at, 0.0) + weight / whole * score
        best = sorted(scores, key=lambda at: (-scores[at], self.examples[at].name))
        return [(self.examples[at], round(min(1.0, scores[at]), 3)) for at in best[: wanted.limit]]

    def _format_scores(self, wanted: Wanted) -> dict[int, float]:
        scores: dict[int, float] = {}
        for side in (("in", self._format(wanted.input_format)), ("out", self._format(wanted.output_format))):
            for at in self.by_format.get(side, ()):
                scores[at] = scores.get(at, 0.0) + 0.5
        return scores

    def _format(self, name: str) -> str:
        """The language's word for a format (`jsch` for json-schema); examples from elsewhere may have others."""
        if any(side in self.by_format for side in (("in", name), ("out", name))):
            return name
        return canonical(name)

    def _text_scores(self, query: str) -> dict[int, float]:
        counts = Counter(_words(query))
        known = {word: count for word, count in counts.items() if word in self.postings}
        total = len(self.examples)
        weights = {word: count * math.log(1 + total / len(self.postings[word])) for word, count in known.items()}
        # Words that no example has make every match a weaker one.
        unknown = (len(counts) - len(known)) * math.log(1 + total)
        length = math.sqrt(sum(weight**2 for weight in weights.values()) + unknown**2) or 1.0
        scores: dict[int, float] = {}
        for word, weight in weights.items():
            for at, share in self.postings[word]:
                scores[at] = scores.get(at, 0.0) + weight / length * share
        return scores

    def _function_scores(self, names: Iterable[str]) -> dict[int, float]:
        asked = list(dict.fromkeys(canonical_name(name) or name for name in names))
        scores: dict[int, float] = {}
        for name in asked:
            for at in self.by_function.get(name, ()):
                scores[at] = scores.get(at, 0.0) + 1 / len(asked)
        return scores


def _text(example: Example) -> str:
    # Twice: what somebody wrote about it says more than which functions it calls.
    return f"{example.name} {example.description} {example.description} {' '.join(example.functions)}"


def _words(text: str) -> list[str]:
    words = (word.lower() for word in _WORD.findall(text.replace("_", " ")))
    return [_stem(_SAME.get(word, word)) for word in words if word not in _FILLERS]


def _stem(word: str) -> str:
    """What the forms of a word share: `invoices` and `invoice`, `merging`, `merged` and `merge`, `mapped` and `map`."""
    if word.endswith("ies") and len(word) > 5:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
