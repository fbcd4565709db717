"""How several documents become one text: the flag `content-format`.

none
    one after the other, nothing between them but a line end
plain
    one document is itself; several are headed by lines that name them
mime
    `multipart/mixed` (RFC 2046), for readers that take the parts apart again
"""

from __future__ import annotations

import hashlib
import mimetypes
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

__all__ = ["DEFAULT_FORMAT", "FORMATS", "Document", "format_documents", "media_type"]

_SIGNS = re.compile(r"[\\*?\[\],+]|^ | $")


@dataclass(frozen=True, slots=True)
class Document:
    category: str
    path: str
    """Relative to the category's directory, with slashes."""
    size: int
    pattern: str
    """The pattern that found it."""
    text: str

    @property
    def name(self) -> str:
        return f"{self.category}/{self.path}"


def format_documents(documents: Sequence[Document], how: str) -> str:
    return FORMATS[how](documents)


def media_type(path: str) -> str:
    if path.endswith((".md", ".markdown", ".Rmd", ".qmd")):
        return "text/markdown"
    guessed = mimetypes.guess_type(path)[0] or ""
    return guessed if guessed.startswith("text/") else "text/plain"


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _none(documents: Sequence[Document]) -> str:
    if len(documents) == 1:
        return documents[0].text
    return "".join(_ended(document.text) for document in documents)


def _plain(documents: Sequence[Document]) -> str:
    if len(documents) == 1:
        return documents[0].text
    return "\n".join(f"=== {document.name} ===\n{_ended(document.text)}" for document in documents)


def _mime(documents: Sequence[Document]) -> str:
    if not documents:
        return ""
    boundary = _boundary(documents)
    parts = [_part(document, boundary) for document in documents]
    head = f'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="{boundary}"\r\n\r\n'
    return head + "".join(parts) + f"--{boundary}--\r\n"


def _expression(document: Document) -> str:
    """What asks for this document alone: signs that mean something in an expression are escaped."""
    return document.category + "/" + _SIGNS.sub(r"\\\g<0>", document.path)


def _part(document: Document, boundary: str) -> str:
    return (
        f"--{boundary}\r\n"
        f"Content-Type: {media_type(document.path)}; charset=utf-8\r\n"
        f"Content-Location: guide://{quote(_expression(document))}\r\n"
        f"Content-Length: {len(document.text.encode())}\r\n"
        f"\r\n{document.text}\r\n"
    )


def _boundary(documents: Sequence[Document]) -> str:
    """A line that no document contains, the same for the same documents."""
    seed = hashlib.sha256("\0".join(f"{d.name}\0{d.text}" for d in documents).encode())
    while any(seed.hexdigest()[:32] in document.text for document in documents):
        seed.update(b"again")
    return seed.hexdigest()[:32]


FORMATS: dict[str, Callable[[Sequence[Document]], str]] = {"none": _none, "plain": _plain, "mime": _mime}
DEFAULT_FORMAT = "plain"
