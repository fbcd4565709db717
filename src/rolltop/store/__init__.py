"""Keep documents by content and find them again.

A `Library` is one directory. It keeps every version of every document, stores equal content once, survives a
crash at any moment, checks every byte it hands out, and finds documents by name, hash, tag, metadata, word and
regular expression. It is a plain library: no server, no daemon; several processes may use one directory.
"""

from typing import TYPE_CHECKING

from rolltop.base.lazy_imports import lazy_attributes
from rolltop.store.core import Options
from rolltop.store.documents.hashes import Found, is_hash_prefix
from rolltop.store.documents.ingest import Source, Tally
from rolltop.store.extract import Extracted
from rolltop.store.library import Library
from rolltop.store.query import Listing, Page
from rolltop.store.records import Added, Document, Snapshot, Stats, Version
from rolltop.store.search.results import Hit, Results

if TYPE_CHECKING:
    from rolltop.store.blobs.writer import Writer
    from rolltop.store.care.verification import Report
    from rolltop.store.documents.encoding import text_codec
    from rolltop.store.documents.folder_changes import FolderChanges, follow_renames
    from rolltop.store.documents.folder_files import Gather, open_source
    from rolltop.store.documents.folder_sync import FolderSync, Synced
    from rolltop.store.documents.hashes import no_such_hash
    from rolltop.store.extract.detect import whole_characters
    from rolltop.store.extract.plain import decoded, lines_in
    from rolltop.store.graph import Neighbourhood, Node, Related
    from rolltop.store.grep import FileLines, LineMatch, Pattern
    from rolltop.store.grep.missed import Missed, missing_documents
    from rolltop.store.grep.printer import Printed, print_matches
    from rolltop.store.history.snapshots import Change
    from rolltop.store.imports import import_foreign
    from rolltop.store.meaning import AUTO, NONE, Model, find_model, known_models, models_of
    from rolltop.store.metadata_values import parse_pairs
    from rolltop.store.query import TIMES, decode_cursor, encode_cursor
    from rolltop.store.search.excerpts import Excerpt, Excerpts, excerpts
    from rolltop.store.search.paging import Shown, decode_shown, encode_shown
    from rolltop.store.search.recall import recall
    from rolltop.store.text import highlighted
    from rolltop.store.times import format_time, parse_time

__all__ = [
    "AUTO",
    "NONE",
    "TIMES",
    "Added",
    "Change",
    "Document",
    "Excerpt",
    "Excerpts",
    "Extracted",
    "FileLines",
    "FolderChanges",
    "FolderSync",
    "Found",
    "Gather",
    "Hit",
    "Library",
    "LineMatch",
    "Listing",
    "Missed",
    "Model",
    "Neighbourhood",
    "Node",
    "Options",
    "Page",
    "Pattern",
    "Printed",
    "Related",
    "Report",
    "Results",
    "Shown",
    "Snapshot",
    "Source",
    "Stats",
    "Synced",
    "Tally",
    "Version",
    "Writer",
    "decode_cursor",
    "decode_shown",
    "decoded",
    "encode_cursor",
    "encode_shown",
    "excerpts",
    "find_model",
    "follow_renames",
    "format_time",
    "highlighted",
    "import_foreign",
    "is_hash_prefix",
    "known_models",
    "lines_in",
    "missing_documents",
    "models_of",
    "no_such_hash",
    "open_source",
    "parse_pairs",
    "parse_time",
    "print_matches",
    "recall",
    "text_codec",
    "whole_characters",
]

__getattr__ = lazy_attributes(
    __name__,
    {
        "blobs.writer": "Writer",
        "care.verification": "Report",
        "documents.encoding": "text_codec",
        "documents.folder_changes": "FolderChanges follow_renames",
        "documents.folder_sync": "FolderSync Synced",
        "documents.folder_files": "Gather open_source",
        "documents.hashes": "no_such_hash",
        "extract.detect": "whole_characters",
        "extract.plain": "decoded lines_in",
        "graph": "Neighbourhood Node Related",
        "grep": "FileLines LineMatch Pattern",
        "grep.missed": "Missed missing_documents",
        "grep.printer": "Printed print_matches",
        "history.snapshots": "Change",
        "imports": "import_foreign",
        "meaning": "AUTO Model NONE find_model known_models models_of",
        "metadata_values": "parse_pairs",
        "query": "TIMES decode_cursor encode_cursor",
        "search.excerpts": "Excerpt Excerpts excerpts",
        "search.recall": "recall",
        "search.paging": "Shown decode_shown encode_shown",
        "text": "highlighted",
        "times": "format_time parse_time",
    },
)
