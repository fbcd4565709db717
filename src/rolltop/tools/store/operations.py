"""What the tools do, as plain functions: a tool runs one in a thread, bulk_operations several in one transaction."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from rolltop.errors import InvalidInput, NotFound, PermissionDenied
from rolltop.files import Files
from rolltop.store import Added, Document, Found, Library

__all__ = ["document_by", "exists", "find_hash", "store_file", "write_out"]


def store_file(library: Library, files: Files, path: str, tags: list[str], metadata: dict[str, Any]) -> Added:
    """Store a file that the opener allows."""
    place = files.resolve(path)
    with files.open_read(path) as file:
        status = os.fstat(file.fileno())
        created = min(status.st_ctime_ns, status.st_mtime_ns)
        return library.add(str(place), file, tags=tags, metadata=metadata, created=created, modified=status.st_mtime_ns)


def find_hash(library: Library, text: str) -> Found:
    """The content with this hash, or an error that says what to do."""
    found = library.by_hash(text.strip())
    if found is None:
        raise NotFound(
            "no document has this hash", code="document_not_found", hint="Search for a word that the document holds."
        )
    return found


def document_by(library: Library, name: str | None, digest: str | None) -> Document:
    """The document that a name or a hash means."""
    if digest:
        return find_hash(library, digest).document
    assert name is not None
    return library.document(name.removeprefix("doc://"))


def write_out(library: Library, files: Files, number: int, target: str) -> Path:
    """Write content to a file inside the allowed roots; links are not followed."""
    wanted = Path(target).expanduser()
    if not wanted.name or wanted.name in (".", ".."):
        raise InvalidInput("outputPath must name a file")
    directory = files.resolve(wanted.parent)
    place = directory / wanted.name
    if files.denied.why(place):
        raise PermissionDenied("rolltop does not write there", hint="Choose another place for the file.")
    data = library.read_object(number)
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    temporary = f".{wanted.name}.{os.getpid()}.part"
    try:
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=handle)
        with os.fdopen(file, "wb") as out:
            out.write(data)
        os.replace(temporary, wanted.name, src_dir_fd=handle, dst_dir_fd=handle)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=handle)
        raise PermissionDenied(f"the file cannot be written: {error.strerror}") from None
    finally:
        os.close(handle)
    return place


def exists(files: Files, target: str) -> bool:
    """Whether writing would replace something."""
    wanted = Path(target).expanduser()
    try:
        place = files.resolve(wanted.parent) / wanted.name
    except NotFound:
        raise NotFound(f"the directory of {wanted.name} does not exist", hint="Make it first.") from None
    return os.path.lexists(place)
