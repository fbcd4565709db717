"""The job that workers do: a document in, its text out. Everything it may need is loaded before it starts."""

from __future__ import annotations

import codecs
import contextlib
from importlib import import_module

from rolltop.store.extract.charsets import ENCODINGS, SMALLER
from rolltop.store.extract.formats.readers import READERS, read_document
from rolltop.store.extract.record import encode, opened_request

__all__ = ["extract"]

_MORE_ENCODINGS = ("unicode_escape", "raw_unicode_escape")
"""What the readers themselves use."""
_MESSAGE = (
    b"From: =?utf-8?q?a?= <a@b.c>\nTo: d@e.f\nSubject: =?utf-8?b?YQ==?=\nDate: Mon, 16 Nov 2026 01:00:00 +0000\n"
    b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Transfer-Encoding: quoted-printable\n\na\n--x\n"
    b"Content-Disposition: attachment; filename*=utf-8''a.html\nContent-Transfer-Encoding: base64\n\nPHA+\n--x--\n"
)
"""The parser of messages loads its parts while it reads: this one makes it load them all."""


def extract(payload: bytes) -> bytes:
    """The text of a document, encoded."""
    return encode(read_document(*opened_request(payload)))


def _load_everything() -> None:
    """A worker cannot open files: what would be loaded later is loaded now."""
    for module in {*READERS.values()}:
        import_module(f"rolltop.store.extract.formats.{module}")
    with contextlib.suppress(ImportError):  # an extra; its reader says that it is missing
        import_module("pypdfium2")
    for encoding in (*ENCODINGS, *SMALLER, *_MORE_ENCODINGS):
        codecs.lookup(encoding)
    read_document(_MESSAGE, "a.eml")


_load_everything()
