"""The job that workers do: a document in, its text out. Everything it may need is loaded before it starts."""

from __future__ import annotations

import codecs
import contextlib
from importlib import import_module

from rolltop.store.extract.formats.reading import READERS, read_document
from rolltop.store.extract.record import encode, opened_request

__all__ = ["extract"]

_ENCODINGS = """
    ascii utf-8 utf-7 utf-16 utf-16-le utf-16-be utf-32 latin-1 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6
    iso8859-7 iso8859-8 iso8859-9 iso8859-10 iso8859-13 iso8859-14 iso8859-15 iso8859-16 cp437 cp850 cp866 cp874
    cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 koi8-r koi8-u mac-roman shift_jis cp932 euc-jp
    iso2022_jp gb2312 gbk gb18030 big5 euc-kr cp949 unicode_escape raw_unicode_escape
"""
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
    for encoding in _ENCODINGS.split():
        codecs.lookup(encoding)
    read_document(_MESSAGE, "a.eml")


_load_everything()
