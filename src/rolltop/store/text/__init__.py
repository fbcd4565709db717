"""Finding documents by their words: the embedded keyword index, on SQLite's FTS5."""

from rolltop.store.text.fts import FtsIndex
from rolltop.store.text.words import snippet, words_of

__all__ = ["FtsIndex", "snippet", "words_of"]
