"""Search for tools by words: BM25 over names, purposes, arguments and examples."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

from mcp_core.registry import Registered
from mcp_core.spec import ToolSpec

__all__ = ["ToolIndex", "words_of"]

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_K, _B = 1.2, 0.6
_WEIGHTS = {"name": 6, "summary": 4, "body": 2, "arguments": 1, "examples": 1, "usage": 1}
_ENDINGS = ("ations", "ation", "ings", "ing", "ally", "ies", "ers", "ed", "es", "ly", "s", "e")
_EMPTY_WORDS = """
a am an and any are as at be been by can could did do does for from had has have i if in is it its me my of on or our
please should so some that the their them there these they this those to us want was we were what when which who will
with would you your
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
"""Stop words."""
_ALIKE = (
    "convert turn transform map translate",
    "delete remove forget erase drop discard rid throw dispose clean",
    "save store keep remember note put upload archive jot",
    "document file paper article",
    "report rmd markdown knit",
    "many several hundred batch bulk multiple all every",
    "show display print read open view cat get see",
    "find search look locate",
    "run execute call invoke",
    "check validate verify problem error wrong stale outdated",
    "how-many count statistics stats size space much amount",
    "predict infer expect",
    "output result produce",
    "explain describe definition document help",
    "argument parameter option",
    "image picture figure plot chart",
    "function tool",
    "tag label topic",
    "new create make start add",
    "change update edit fix correct modify",
    "set enable disable activate switch turn",
    "generate build make",
    "global everywhere all",
    "newest recent latest last",
    "rule guideline convention",
    "structure schema field column shape inside",
    "sample example",
    "text snippet",
    "source text",
    "export write disk output",
    "package library catalog",
)
"""Synonyms."""
_ASKING = frozenset({"what", "which", "is", "are", "how", "does", "do", "who", "where", "show", "list", "when"})
_ASKED = 0.75
"""Weight of tools that change something, if the query is a question."""
_SHARE = 0.45
"""Weight of a synonym, relative to the word itself."""


def words_of(text: str) -> list[str]:
    """Lower-case words of a text: identifiers are split (`getUserName`, `get_user_name`), common endings removed."""
    return [_stem(word.lower()) for word in _WORD.findall(text)]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


def _alternatives(query: str) -> list[dict[str, float]]:
    """For each word of a query except stop words: the word and its synonyms, with their weights."""
    said = [word for word in _WORD.findall(query) if word.lower() not in _EMPTY] or _WORD.findall(query)
    words = dict.fromkeys(_stem(word.lower()) for word in said)
    if {"how", "many"} <= words.keys():
        words = {**{word: None for word in words if word not in ("how", "many")}, "how-many": None}
    return [{**dict.fromkeys(_alike().get(word, ()), _SHARE), word: 1.0} for word in words]


@cache
def _alike() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _ALIKE:
        group = frozenset(_stem(word) for word in line.split())
        for word in group:
            found[word] = found.get(word, frozenset()) | group
    return found


class ToolIndex:
    """An inverted index over tools; building it for a hundred tools takes a few milliseconds."""

    def __init__(self, tools: Iterable[Registered]) -> None:
        self._tools = list(tools)
        self._frequencies = [_weighted_words(tool.spec) for tool in self._tools]
        self._lengths = [sum(each.values()) for each in self._frequencies]
        self._average = sum(self._lengths) / max(1, len(self._lengths))
        self._holders: dict[str, list[int]] = {}
        for number, frequencies in enumerate(self._frequencies):
            for word in frequencies:
                self._holders.setdefault(word, []).append(number)

    def search(self, query: str, limit: int = 10) -> list[tuple[Registered, float]]:
        """The best tools first, with their scores; ties in registration order."""
        scores: dict[int, float] = {}
        for words in _alternatives(query):
            best: dict[int, float] = {}
            for word, share in words.items():
                holders = self._holders.get(word, ())
                rarity = math.log(1 + (len(self._tools) - len(holders) + 0.5) / (len(holders) + 0.5))
                for number in holders:
                    best[number] = max(best.get(number, 0.0), share * rarity * self._saturated(word, number))
            for number, score in best.items():
                scores[number] = scores.get(number, 0.0) + score
        if (_WORD.findall(query) or [""])[0].lower() in _ASKING:
            for number in scores:
                scores[number] *= 1.0 if self._tools[number].spec.annotations.read_only else _ASKED
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return [(self._tools[number], round(score, 3)) for number, score in ranked[:limit]]

    def _saturated(self, word: str, number: int) -> float:
        count = self._frequencies[number][word]
        return count * (_K + 1) / (count + _K * (1 - _B + _B * self._lengths[number] / self._average))


def _weighted_words(spec: ToolSpec) -> Counter[str]:
    properties = spec.input_schema.get("properties", {})
    texts = {
        "name": spec.name,
        "summary": spec.summary,
        "body": f"{spec.body} {spec.toolset}",
        "arguments": " ".join(f"{name} {each.get('description', '')}" for name, each in properties.items()),
        "examples": " ".join(example.why for example in spec.examples),
        "usage": spec.usage,
    }
    counted: Counter[str] = Counter()
    for part, text in texts.items():
        for word in words_of(text):
            counted[word] += _WEIGHTS[part]
    return counted
