"""Words as the index has them: cut and folded; and their stems."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

import tantivy

from rolltop.store.text.words.splitting import LONGEST_WORD, MOST_BYTES, cut

__all__ = [
    "exact_analyzer",
    "leaves_out",
    "plain_analyzer",
    "stem_analyzer",
    "stem_of",
    "stems",
    "words_in",
]

LANGUAGE = "english"

_SHORTEST_LONG = MOST_BYTES // 4
"""Characters: a word of fewer is never too long."""


def words_in(text: str) -> list[str]:
    """The words of a text in order, as the index has them."""
    if text.isascii() and text.isalpha() and text.islower():  # most words of queries
        return [text] if len(text) < LONGEST_WORD else []
    return exact_analyzer().analyze(cut(text).text)


def leaves_out(text: str) -> bool:
    """Whether a text has a word that is too long for the index: what is made of the others is another text."""
    return len(text) >= _SHORTEST_LONG and len(words_in(text)) < len(cut(text).text.split())


def stems(words: Sequence[str]) -> list[str]:
    """The stem of each word."""
    found = _stemmer().analyze("\n".join(words))
    if len(found) != len(words):  # a word with a space in it, which no text gives
        return [(_stemmer().analyze(word) or [word])[0] for word in words]
    return found


@lru_cache(4096)
def stem_of(word: str) -> str:
    """The stem of a word that is asked for."""
    return stems([word])[0]


@cache
def plain_analyzer() -> tantivy.TextAnalyzer:
    """For words that are ready: one between every two spaces."""
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()


@cache
def _stemmer() -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return builder.filter(tantivy.Filter.stemmer(LANGUAGE)).build()


@cache
def exact_analyzer() -> tantivy.TextAnalyzer:
    return _words().build()


@cache
def stem_analyzer() -> tantivy.TextAnalyzer:
    return _words().filter(tantivy.Filter.stemmer(LANGUAGE)).build()


def _words() -> tantivy.TextAnalyzerBuilder:
    """For texts that are cut and folded: what is between two spaces is a word."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return builder.filter(tantivy.Filter.remove_long(MOST_BYTES))
