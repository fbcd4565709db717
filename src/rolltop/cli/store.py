"""`rolltop store`: the documents on the command line."""

from __future__ import annotations

import click

from rolltop.cli.main import EXIT_CODES, LazyGroup

__all__ = ["store"]

VERBS: dict[str, tuple[str, str]] = {
    "add": ("rolltop.cli.store_add:add", "Store files, directories or standard input."),
    "watch": ("rolltop.cli.store_add:watch", "Store files again whenever they change."),
    "get": ("rolltop.cli.store_read:get", "Show what is known about a document, or write it to a file."),
    "cat": ("rolltop.cli.store_read:cat", "Print a document."),
    "list": ("rolltop.cli.store_list:list_", "List documents."),
    "search": ("rolltop.cli.store_search:search", "Find documents by their words and their meaning."),
    "grep": ("rolltop.cli.store_grep:grep", "Print the lines that match a regular expression."),
    "graph": ("rolltop.cli.store_graph:graph", "Show the documents that belong to one."),
    "tag": ("rolltop.cli.store_say:tag", "Add and remove tags, or list them all."),
    "meta": ("rolltop.cli.store_say:meta", "Show, set and remove metadata."),
    "rm": ("rolltop.cli.store_remove:rm", "Delete documents."),
    "undo": ("rolltop.cli.store_remove:undo", "Bring deleted documents back."),
    "gc": ("rolltop.cli.store_remove:gc", "Remove for good what was deleted, and give the space back."),
    "stats": ("rolltop.cli.store_care:stats", "Count what there is."),
    "verify": ("rolltop.cli.store_care:verify", "Prove that everything is what was stored."),
    "repair": ("rolltop.cli.store_care:repair", "Mend what can be mended and name what cannot."),
    "index": ("rolltop.cli.store_care:index", "Bring the indexes up to date, or build them anew."),
    "reindex": ("rolltop.cli.store_meaning:reindex", "Build the keyword index and the vectors anew."),
    "models": ("rolltop.cli.store_meaning:models", "List the models of the search by meaning."),
    "snapshot": ("rolltop.cli.store_history:snapshot", "Remember all documents as they are now, or list snapshots."),
    "versions": ("rolltop.cli.store_history:versions", "List the versions of a document."),
    "diff": ("rolltop.cli.store_history:diff", "Show what changed since a snapshot."),
    "restore": ("rolltop.cli.store_history:restore", "Write a snapshot out, or put an earlier version back."),
    "export": ("rolltop.cli.store_transfer:export", "Write documents and all their versions to an archive."),
    "import": ("rolltop.cli.store_transfer:import_", "Store what an archive holds."),
}


@click.group(cls=LazyGroup, lazy=VERBS, epilog=EXIT_CODES)
def store() -> None:
    """Keep documents by content and find them again."""
