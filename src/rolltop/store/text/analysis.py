"""Words as the index has them: cut, without case and accents; and their stems."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import tantivy

from rolltop.store.text.splitting import cut, letters_of

__all__ = ["LONGEST_WORD", "exact_analyzer", "plain_analyzer", "stem_analyzer", "stems", "vocabulary_of", "words_in"]

LONGEST_WORD = 64
"""Bytes. What is longer is a hash or a line of base64, not a word, and is not indexed."""

LANGUAGE = "english"


def words_in(text: str) -> list[str]:
    """The words of a text in order, as the index has them."""
    return exact_analyzer().analyze(cut(text).text)


def vocabulary_of(text: str) -> tuple[set[str], int]:
    """The different words of a text that has been cut, and how many words it has in all."""
    runs = letters_of(text.encode())
    words = set(runs)
    if not text.isascii():
        # Beyond ASCII only the analyser knows what a letter is and what it is without its accent.
        beyond = {run for run in words if not run.isascii()}
        words -= beyond
        words.update(exact_analyzer().analyze(" ".join(beyond)))
    return {word for word in words if len(word) < LONGEST_WORD or not word.isascii()}, len(runs)


def stems(words: Sequence[str]) -> list[str]:
    """The stem of each word."""
    found = _stemmer().analyze("\n".join(words))
    if len(found) != len(words):  # a word with a space in it, which no text gives
        return [(_stemmer().analyze(word) or [word])[0] for word in words]
    return found


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
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    builder = builder.filter(tantivy.Filter.remove_long(LONGEST_WORD))
    return builder.filter(tantivy.Filter.lowercase()).filter(tantivy.Filter.ascii_fold())
