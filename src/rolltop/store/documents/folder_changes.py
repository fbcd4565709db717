"""Files that were renamed or removed in a folder whose files are documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from rolltop.errors import NotFound
from rolltop.store.documents.folder_files import read_source
from rolltop.store.file_types import storable_path
from rolltop.store.query import Listing
from rolltop.store.records import Document

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["FolderChanges", "follow_renames"]


@dataclass(slots=True)
class FolderChanges:
    """What became of documents whose files are gone."""

    moved: list[tuple[str, str]] = field(default_factory=list)
    """From which path to which."""
    deleted: list[str] = field(default_factory=list)


def follow_renames(library: Library, roots: Sequence[str], files: Iterable[str]) -> FolderChanges:
    """Let documents follow their files: a file with the same content under a new name is the same document.

    `files` are those below the roots now. Documents whose file is gone are deleted; `undo` brings them back. A root
    that is not there is an error: it may be a disk that is not mounted, and nothing is deleted for that.
    """
    changes = FolderChanges()
    gone = [document for root in roots for document in _vanished(library, root)]
    if not gone:
        return changes
    new = [path for path in files if library.catalog.documents.at(storable_path(path)) is None]
    sizes = {document.size for document in gone}
    arrived = {_digest(path): path for path in reversed(new) if _size(path) in sizes}
    for document in gone:
        path = arrived.pop(document.hash, None)
        if path is None:
            changes.deleted.append(document.path)
        else:
            changes.moved.append((document.path, library.edits.move(document, path).path))
    library.documents.delete(document for document in gone if document.path in set(changes.deleted))
    return changes


def _vanished(library: Library, root: str) -> list[Document]:
    place = os.path.abspath(root)
    if not os.path.isdir(place):
        raise NotFound(f"there is no directory {storable_path(root)}", hint="Nothing was deleted.")
    below = library.documents.select(Listing(paths=(storable_path(place).rstrip("/") + "/**",)))
    return [document for document in below if not os.path.lexists(os.fsencode(document.path))]


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return -1


def _digest(path: str) -> str:
    try:
        return sha256(read_source(path).data).hexdigest()
    except OSError:  # it is gone again, or cannot be read: then it is not stored either
        return ""
