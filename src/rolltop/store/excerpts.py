"""The lines of a document that hold the words of a search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rolltop.store.grep import LineMatch, Pattern
from rolltop.store.grep.lines import lines_of
from rolltop.store.grep.matcher import Matcher
from rolltop.store.results import Hit

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["excerpts"]

MOST = 20
"""Lines per document: a search is for finding it, grep is for seeing every line."""

INSIDE = 3
"""A word so long may also stand inside a longer one, as in an identifier."""


def excerpts(library: Library, hit: Hit, before: int, after: int, *, color: bool = False) -> Iterator[LineMatch]:
    """The first lines that hold any of the words, of the text that was taken from the document."""
    if hit.words:
        pattern = "(?i)" + "|".join(_wanted(hit.words))
        text = library.extracts.of(hit.document).body.encode()
        file = lines_of(hit.document, text, Matcher(pattern), Pattern(pattern, max_count=MOST))
        yield from file.matches(before, after, color=color)


def _wanted(words: Iterable[str]) -> list[str]:
    return [re.escape(word) if len(word) >= INSIDE else rf"\b{re.escape(word)}" for word in words]
