"""`rolltop store`: the documents on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rolltop.cli.groups import EXIT_CODES, Invocation, LazyGroup

if TYPE_CHECKING:
    from rolltop.store import Document, Library

__all__ = ["as_dict", "explained", "opened", "store"]


VERBS: dict[str, tuple[str, str]] = {
    "add": ("rolltop.cli.store.files:add", "Store files, directories or standard input."),
    "watch": ("rolltop.cli.store.files:watch", "Store files again whenever they change."),
    "get": ("rolltop.cli.store.documents:get", "Show what is known about a document, or write it to a file."),
    "cat": ("rolltop.cli.store.documents:cat", "Print a document."),
    "list": ("rolltop.cli.store.documents:list_", "List documents."),
    "search": ("rolltop.cli.store.search:search", "Find documents by their words and their meaning."),
    "recall": ("rolltop.cli.store.search:recall", "Print the passages that matter for a task."),
    "grep": ("rolltop.cli.store.search:grep", "Print the lines that match a regular expression."),
    "graph": ("rolltop.cli.store.graph:graph", "Show the documents that belong to one."),
    "tag": ("rolltop.cli.store.documents:tag", "Add and remove tags, or list them all."),
    "meta": ("rolltop.cli.store.documents:meta", "Show, set and remove metadata."),
    "mv": ("rolltop.cli.store.documents:mv", "Give a document another path."),
    "cp": ("rolltop.cli.store.documents:cp", "Store a document under a second path."),
    "rm": ("rolltop.cli.store.documents:rm", "Delete documents."),
    "undo": ("rolltop.cli.store.documents:undo", "Bring deleted documents back."),
    "gc": ("rolltop.cli.store.documents:gc", "Remove for good what was deleted, and give the space back."),
    "stats": ("rolltop.cli.store.maintenance:stats", "Count what there is."),
    "verify": ("rolltop.cli.store.maintenance:verify", "Prove that everything is what was stored."),
    "repair": ("rolltop.cli.store.maintenance:repair", "Mend what can be mended and name what cannot."),
    "index": ("rolltop.cli.store.maintenance:index", "Bring the indexes up to date, or build them anew."),
    "reindex": ("rolltop.cli.store.maintenance:reindex", "Build the keyword index and the vectors anew."),
    "models": ("rolltop.cli.store.maintenance:models", "List the models of the search by meaning."),
    "snapshot": ("rolltop.cli.store.history:snapshot", "Remember all documents as they are now, or list snapshots."),
    "versions": ("rolltop.cli.store.history:versions", "List the versions of a document."),
    "diff": ("rolltop.cli.store.history:diff", "Show what changed since a snapshot."),
    "restore": ("rolltop.cli.store.history:restore", "Write a snapshot out, or put an earlier version back."),
    "export": ("rolltop.cli.store.files:export", "Write documents and all their versions to an archive."),
    "import": ("rolltop.cli.store.files:import_", "Store what an archive holds."),
}


@click.group(cls=LazyGroup, lazy=VERBS, epilog=EXIT_CODES)
def store() -> None:
    """Keep documents by content and find them again."""


@contextmanager
def opened(invocation: Invocation, *, mending: bool = False) -> Iterator[Library]:
    """Open the library. With `mending`, also one that needs repair before it can be used."""
    from rolltop.workspace import Workspace

    workspace = Workspace(invocation.settings())
    try:
        if mending:
            with workspace.open_store(mending=True) as library:
                yield library
        else:
            yield workspace.store
    finally:
        workspace.close()


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Name the file that could not be written. A full disk is reported by the caller."""
    from rolltop.errors import Conflict, InvalidInput, NotFound

    try:
        yield
    except FileExistsError:
        raise Conflict(f"{path} exists already", hint="Choose another name, or remove it first.") from None
    except FileNotFoundError:
        raise NotFound(f"there is no directory {path.parent}", hint="Make it first.") from None
    except (PermissionError, IsADirectoryError, NotADirectoryError) as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from None


def as_dict(document: Document) -> dict[str, Any]:
    from rolltop.store import format_time

    return {
        "name": document.name,
        "path": document.path,
        "hash": document.hash,
        "size": document.size,
        "type": document.kind,
        "mime_type": document.mime,
        "version": document.version,
        "created": format_time(document.created),
        "modified": format_time(document.modified),
        "indexed": format_time(document.indexed),
        "tags": list(document.tags),
        "metadata": dict(document.metadata),
    }
