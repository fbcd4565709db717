"""What the tools do, as plain functions: a tool runs one in a thread, bulk_operations several in one transaction."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from rolltop.errors import SizeLimit
from rolltop.files import Files, absolute
from rolltop.store import Added, Document, Found, Library, no_such_hash

__all__ = ["document_by", "document_holding", "document_name", "find_hash", "open_to_store", "store_file"]


def store_file(library: Library, files: Files, path: str, tags: list[str], metadata: dict[str, Any]) -> Added:
    """Store a file that the opener allows."""
    place = files.resolve(path)
    with open_to_store(library, files, path) as file:
        status = os.fstat(file.fileno())
        created = min(status.st_ctime_ns, status.st_mtime_ns)
        return library.documents.add(
            str(place), file, tags=tags, metadata=metadata, created=created, modified=status.st_mtime_ns
        )


def open_to_store(library: Library, files: Files, path: str) -> BinaryIO:
    """A file that the opener allows and that is not larger than the settings say."""
    largest = library.options.largest
    try:
        return files.open_read(path, largest=largest)
    except SizeLimit as error:
        hint = f"Files of up to {largest >> 20} MB are stored; set largest_mb in the section [store] for larger ones."
        raise SizeLimit(error.message, hint=hint) from None


def find_hash(library: Library, text: str) -> Found:
    """The content with this hash, or an error that says what to do."""
    found = library.documents.by_hash(text.strip())
    if found is None:
        raise no_such_hash()
    return found


def document_holding(library: Library, document: Document, number: int) -> Document:
    """The document as it was when it had this content."""
    if number == document.object:
        return document
    entry = library.catalog.objects.get(number)
    return replace(document, object=number, hash=entry.hex, size=entry.size) if entry else document


def document_by(library: Library, name: str | None, digest: str | None) -> Document:
    """The one document that a name or a hash means."""
    if digest:
        return library.documents.document_with(digest.strip())
    assert name is not None
    return library.documents.get(document_name(name))


def document_name(name: str) -> str:
    """What a caller calls a document: `doc://NAME`, or the file it came from as `file://…` or `~/…`."""
    if name.startswith(("file://", "~/")):
        return absolute(name, Path("/"))
    return name.removeprefix("doc://")
