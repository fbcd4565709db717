"""What `source` names: a file under the allowed roots, a stored document, or the data itself."""

from __future__ import annotations

import re

from rolltop.errors import InvalidInput, NotFound, PermissionDenied
from rolltop.workspace import Workspace

__all__ = ["read_source"]

LARGEST = 64 << 20
_LONGEST_PATH = 4095
_PATH = re.compile(r"~?[^\s<>{}\[\]\"'|;,]*(/[^<>{}|\n]*|\.[A-Za-z][A-Za-z0-9]{0,9})", re.DOTALL)
"""Something with a slash or a file's ending and nothing that data begins with."""


def read_source(workspace: Workspace, source: str) -> str:
    """The text that a source stands for."""
    if source.startswith("doc://"):
        return _stored(workspace, source.removeprefix("doc://"))
    if not source.strip():
        raise InvalidInput("source is empty", hint="Give a path, doc://NAME, or the data itself.")
    if len(source) > _LONGEST_PATH or "\n" in source or "\0" in source:
        return source
    path_like = _PATH.fullmatch(source) is not None
    try:
        return workspace.files.read_text(source, largest=LARGEST)
    except NotFound:
        if path_like:
            raise InvalidInput(
                f"there is no file {source} in the allowed directories",
                hint="Check the path, or pass the data itself as source.",
            ) from None
    except (InvalidInput, PermissionDenied):
        if path_like:
            raise
    return source


def _stored(workspace: Workspace, name: str) -> str:
    document = workspace.store.document(name)
    try:
        return workspace.store.read_object(document.object).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"the document {document.name} is not UTF-8 text") from None
