"""What a person typed, as words and phrases; and a piece of text around them."""

from __future__ import annotations

import re

__all__ = ["expression", "snippet", "words_of"]

_TOKEN = re.compile(r'"([^"]+)"|(\w+)(\*?)')
_AROUND = 80


def words_of(query: str) -> list[str]:
    """The words of a query, phrases taken apart."""
    return re.findall(r"\w+", query)


def expression(query: str, joint: str) -> str:
    """The query for FTS5: every word quoted, so that nothing in it is an operator; `word*` is a prefix."""
    terms = []
    for phrase, word, star in _TOKEN.findall(query):
        if phrase:
            inner = " ".join(words_of(phrase))
            terms += [f'"{inner}"'] if inner else []
        else:
            terms.append(f'"{word}"*' if star else f'"{word}"')
    return f" {joint} ".join(terms)


def snippet(text: str, words: list[str], around: int = _AROUND) -> str:
    """The text around the first of the words, on one line."""
    lowered = text.lower()
    places = [place for word in words if (place := lowered.find(word.lower())) >= 0]
    first = min(places, default=0)
    start, end = max(0, first - around), min(len(text), first + 2 * around)
    piece = " ".join(text[start:end].split())
    return ("…" if start > 0 else "") + piece + ("…" if end < len(text) else "")
