"""Finding documents by their words: a query language, BM25 over several fields, typing errors, snippets.

`KeywordIndex` is the embedded `TextIndex`. Most of it lies on disk (tantivy, and a vocabulary of our own); documents
stored a moment ago are held in memory until the next commit, so that they are found at once.
"""

from typing import TYPE_CHECKING

from rolltop.base.lazy_imports import lazy_attributes
from rolltop.store.text.snippets import ENOUGH, Needles, snippet

if TYPE_CHECKING:
    from rolltop.store.text.index import KeywordIndex
    from rolltop.store.text.word_marks import highlighted, marker, painted

__all__ = ["ENOUGH", "KeywordIndex", "Needles", "highlighted", "marker", "painted", "snippet"]

__getattr__ = lazy_attributes(
    __name__, {"index": "KeywordIndex", "word_marks": "highlighted marker painted"}
)  # both bring numpy
