"""Names that somebody may have meant who wrote another one."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from rolltop.errors import RolltopError

if TYPE_CHECKING:
    from rolltop.store.search.keyword_search import KeywordSearch

__all__ = ["similar_names"]

NEAREST = 3
LOOKED_AT = 50
SIMILAR = 0.6

_WORD = re.compile(r"\w+")


def similar_names(words: KeywordSearch, name: str) -> list[str]:
    """Paths of documents whose name is spelled nearly so, the nearest first; the keyword index finds them."""
    last = name.rstrip("/").rpartition("/")[2]
    parts = [word for word in _WORD.findall(last.rpartition(".")[0] or last) if len(word) > 1]
    if not parts:
        return []
    query = " OR ".join(f"path:{word}" for word in parts[:5])
    try:
        found = words.search(query, limit=LOOKED_AT, similarity=SIMILAR).hits
    except RolltopError:  # whoever asked learns that there is no such name, and that is what matters
        return []
    paths = {hit.document.path: hit.document.name for hit in found}
    ranked = sorted(paths, key=lambda path: (-_likeness(last, paths[path]), path))
    return [path for path in ranked if _likeness(last, paths[path]) >= SIMILAR][:NEAREST]


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.casefold(), other.casefold()).ratio()
