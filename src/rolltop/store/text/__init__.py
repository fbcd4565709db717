"""Finding documents by their words: the embedded keyword index, on SQLite's FTS5."""

from rolltop.store.text.fts import FtsIndex
from rolltop.store.text.fuzzy import near_words
from rolltop.store.text.words import snippet, words_of

__all__ = ["FtsIndex", "near_words", "snippet", "words_of"]
