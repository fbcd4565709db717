"""The lines of a document that hold the words of a search."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rolltop.store import Document, Library, Pattern
from rolltop.store.grep.lines import lines_of
from rolltop.store.grep.matcher import Matcher
from rolltop.tools.store.models import Line

__all__ = ["excerpts"]

MOST = 20
"""Lines per document: a search is for finding it, grep is for seeing every line."""


def excerpts(
    library: Library, document: Document, words: Sequence[str], before: int, after: int, *, color: bool
) -> list[Line]:
    """The first lines that hold any of the words."""
    if not words or not document.is_text:
        return []
    pattern = "|".join(re.escape(word) for word in words)
    matcher = Matcher(f"(?i){pattern}")
    file = lines_of(document, library.read(document), matcher, Pattern(pattern, max_count=MOST))
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
