"""Keep documents by content and find them again.

A `Library` is one directory. It keeps every version of every document, stores equal content once, survives a
crash at any moment, checks every byte it hands out, and finds documents by name, hash, tag, metadata, word and
regular expression. It is a plain library: no server, no daemon; several processes may use one directory.
"""

from typing import TYPE_CHECKING

from rolltop.base.lazy_imports import lazy_attributes
from rolltop.store.core import Options
from rolltop.store.documents.lookup import Found, is_hash_prefix
from rolltop.store.documents.writes import Source, Tally
from rolltop.store.extract import Extracted
from rolltop.store.library import Library
from rolltop.store.query import Listing, Page
from rolltop.store.records import Added, Document, Snapshot, Stats, Version
from rolltop.store.search.results import Hit, Results

if TYPE_CHECKING:
    from rolltop.store.graph import Neighbourhood, Node, Related
    from rolltop.store.grep import FileLines, LineMatch, Pattern

__all__ = [
    "Added",
    "Document",
    "Extracted",
    "FileLines",
    "Found",
    "Hit",
    "Library",
    "LineMatch",
    "Listing",
    "Neighbourhood",
    "Node",
    "Options",
    "Page",
    "Pattern",
    "Related",
    "Results",
    "Snapshot",
    "Source",
    "Stats",
    "Tally",
    "Version",
    "is_hash_prefix",
]

__getattr__ = lazy_attributes(__name__, {"graph": "Neighbourhood Node Related", "grep": "FileLines LineMatch Pattern"})
