"""Finding a tool by words: BM25 over names, purposes, arguments and examples."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from mcp_core.registry import Registered
from mcp_core.spec import ToolSpec

__all__ = ["ToolIndex", "words_of"]

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_K, _B = 1.2, 0.6
_WEIGHTS = {"name": 6, "summary": 4, "body": 2, "arguments": 1, "examples": 1}
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ers", "ed", "es", "s")


def words_of(text: str) -> list[str]:
    """Lower-case words, identifiers taken apart (`getUserName`, `get_user_name`), common endings off."""
    return [_stem(word.lower()) for word in _WORD.findall(text)]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


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
        for word in dict.fromkeys(words_of(query)):
            holders = self._holders.get(word, ())
            rarity = math.log(1 + (len(self._tools) - len(holders) + 0.5) / (len(holders) + 0.5))
            for number in holders:
                scores[number] = scores.get(number, 0.0) + rarity * self._saturated(word, number)
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
    }
    counted: Counter[str] = Counter()
    for part, text in texts.items():
        for word in words_of(text):
            counted[word] += _WEIGHTS[part]
    return counted
