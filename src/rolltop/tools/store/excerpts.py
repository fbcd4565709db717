"""The lines of a document that hold the words of a search."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rolltop.store import Hit, Library, Pattern
from rolltop.store.grep.lines import lines_of
from rolltop.store.grep.matcher import Matcher
from rolltop.tools.store.models import Line

__all__ = ["excerpts"]

MOST = 20
"""Lines per document: a search is for finding it, grep is for seeing every line."""

INSIDE = 3
"""A word so long may also stand inside a longer one, as in an identifier."""


def excerpts(library: Library, hit: Hit, before: int, after: int, *, color: bool) -> list[Line]:
    """The first lines that hold any of the words, of the text that was taken from the document."""
    if not hit.words:
        return []
    pattern = "(?i)" + "|".join(_wanted(hit.words))
    text = library.extracts.of(hit.document).body.encode()
    file = lines_of(hit.document, text, Matcher(pattern), Pattern(pattern, max_count=MOST))
    return [
        Line(
            line_number=match.line_number,
            line=match.line,
            column_start=match.column_start,
            column_end=match.column_end,
            before=match.before,
            after=match.after,
        )
        for match in file.matches(before, after, color=color)
    ]


def _wanted(words: Iterable[str]) -> list[str]:
    return [re.escape(word) if len(word) >= INSIDE else rf"\b{re.escape(word)}" for word in words]
