"""Open the store of the workspace, and describe its documents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rolltop.cli.groups import Invocation

if TYPE_CHECKING:
    from rolltop.store import Document, Library

__all__ = ["as_dict", "explained", "opened"]


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
