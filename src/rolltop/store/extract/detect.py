"""What a document is, by its content; its name only breaks ties between kinds of text."""

from __future__ import annotations

import re

from rolltop.store.extract.charsets import declared_in
from rolltop.store.extract.plain import CODE as _CODE_NAMES
from rolltop.store.extract.plain import codec_of
from rolltop.store.extract.zip_names import zip_names
from rolltop.store.file_types import extension_of, is_text

__all__ = ["FOREIGN", "HEAD", "LEGIBLE", "format_of", "is_plain", "whole_characters"]

FOREIGN = frozenset(
    {"pdf", "docx", "xlsx", "pptx", "odf", "epub", "html", "mail", "notebook", "rtf", "zip", "tar", "packed", "ole"}
)
"""Formats that are read in a worker."""

LEGIBLE = frozenset({"html", "mail", "notebook"})
"""Those whose source is text that a person can read."""

_HTML_NAMES = frozenset({".html", ".htm", ".xhtml"})
_PACKED = re.compile(rb"\x1f\x8b|BZh[1-9](?:1AY&SY|\x17rE8P\x90)|\xfd7zXZ\x00|\x28\xb5\x2f\xfd")
_PDF = re.compile(rb"(?:\xef\xbb\xbf)?[\x00-\x20]*%PDF-")
_PDF_WITHIN = re.compile(rb"[\r\n]%PDF-\d\.\d[^\r\n]{0,80}[\r\n]\s*(?:%[^\r\n]*[\r\n]\s*)*\d+\s+\d+\s+obj\b")
"""A PDF with other lines before it, such as the header of the answer it came with: its first object follows."""

_PDF_BEGINS = 1024
"""A PDF begins within so many bytes."""

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML = re.compile(
    rb"\s*(?:(?:<\?[^>]{0,200}>|<!--(?:(?!-->).){0,2000}-->)\s*){0,3}<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_HEADERS = rb"(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)"
_PARTING = rb"(?:>?From [^\n]*\n)?"
"""The line before the headers that parts messages in a mailbox."""
_HEADER = re.compile(_PARTING + _HEADERS + rb"{3,}")
_NAMED_HEADER = re.compile(_PARTING + _HEADERS + rb"+")
"""What is a message by its name may have few headers."""
_TELLING = re.compile(
    rb"^(?:From|Subject|Date|Message-ID|Received|MIME-Version|Return-Path):", re.MULTILINE | re.IGNORECASE
)
_MAIL_NAMES = frozenset({".eml", ".msg", ".mbox", ".mbx"})
_OFFICE = ((b"word/", "docx"), (b"xl/", "xlsx"), (b"ppt/", "pptx"))
_OPEN = (
    ({b"mimetype", b"META-INF/container.xml"}, "epub"),
    ({b"mimetype", b"META-INF/manifest.xml", b"content.xml"}, "odf"),
)
"""What they hold, for those that were packed in another order than they should be."""
_SAYING = frozenset({b"[Content_Types].xml"}.union(*(names for names, _ in _OPEN)))
_NO_CONTROLS = bytes(byte for byte in range(256) if byte >= 0x20 or byte in b"\t\n\r\f\x1b")
_ASCII = bytes(range(128))
_PLAIN = _CODE_NAMES | {
    *(".txt", ".md", ".markdown", ".rst", ".rmd", ".qmd", ".tex", ".csv", ".tsv", ".json", ".jsonl", ".log", ".yaml"),
    *(".yml", ".toml", ".ini", ".cfg", ".conf", ".xml", ".svg", ".css", ".scss", ".po", ".diff", ".patch", ".lock"),
}
HEAD = 4096
"""So much of the beginning is looked at."""


def is_plain(*, text: bool, extension: str) -> bool:
    """Whether a text is nothing else by its name: such a one is never sent to a worker."""
    return text and extension in _PLAIN


def format_of(data: bytes, name: str) -> str:
    """One of `FOREIGN`, "text", or "" for what no text is read from. `data` may be the beginning and the end only."""
    head = data[:HEAD]
    if (form := _binary(data, head)) is not None:
        return form
    if is_text(whole_characters(head)):
        return _text(head, extension_of(name))
    if _begins_late(head):
        return "pdf"
    return _otherwise_written(head, extension_of(name))


def _otherwise_written(head: bytes, extension: str) -> str:
    """What a text is in another encoding than UTF-8; nothing for what is no text."""
    codec, mark = codec_of(head)
    if mark:
        return _text(head[mark:].decode(codec, "replace").encode("utf-8", "replace"), extension)
    if not _has_few_controls(head):
        return ""
    form = _text(head, extension)
    return form if form in LEGIBLE or declared_in(head) or _mostly_ascii(head) else ""


def _has_few_controls(head: bytes) -> bool:
    return b"\0" not in head and len(head.translate(None, _NO_CONTROLS)) * 100 < len(head)


def _mostly_ascii(head: bytes) -> bool:
    """Where nothing says how a text is written, one byte is a character, and few of them are beyond ASCII."""
    return len(head.translate(None, _ASCII)) * 4 < len(head)


def _binary(data: bytes, head: bytes) -> str | None:
    if _PDF.match(head, 0, _PDF_BEGINS):
        return "pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zipped(data)
    if _PACKED.match(head):
        return "packed"
    if head.startswith(b"{\\rtf"):
        return "rtf"
    if head[257:262] == b"ustar":
        return "tar"
    return "ole" if head.startswith(_OLE) else None


def _begins_late(head: bytes) -> bool:
    """Whether a PDF begins after other lines. Texts about PDF look so too: those are told by their name."""
    found = _PDF_WITHIN.search(head)
    return found is not None and found.start() < _PDF_BEGINS


def _zipped(data: bytes) -> str:
    """Office documents, OpenDocument and EPUB are zip archives that say so."""
    if data[30:38] == b"mimetype":
        if b"application/epub+zip" in data[38:120]:
            return "epub"
        if b"application/vnd.oasis.opendocument" in data[38:120]:
            return "odf"
    folders, telling = set(), set()
    for name in zip_names(data):
        folders.add(name[: name.find(b"/") + 1])
        if name in _SAYING:
            telling.add(name)
    if b"[Content_Types].xml" in telling:
        return next((form for folder, form in _OFFICE if folder in folders), "zip")
    return next((form for names, form in _OPEN if names <= telling), "zip")


def _text(head: bytes, extension: str) -> str:
    head = head.removeprefix(b"\xef\xbb\xbf")
    if extension == ".pdf" and _begins_late(head):
        return "pdf"
    if _HTML.match(head) or (extension in _HTML_NAMES and b"<" in head):
        return "html"
    if extension == ".ipynb" or (head.lstrip().startswith(b"{") and b'"nbformat"' in head and b'"cells"' in head):
        return "notebook"
    return "mail" if _is_mail(head.replace(b"\r\n", b"\n"), named=extension in _MAIL_NAMES) else "text"


def _is_mail(head: bytes, *, named: bool) -> bool:
    header = (_NAMED_HEADER if named else _HEADER).match(head)
    return header is not None and len(_TELLING.findall(header[0])) >= (1 if named else 3)


def whole_characters(head: bytes) -> bytes:
    """Without the beginning of a character at the end."""
    for cut in range(1, min(4, len(head)) + 1):
        if head[-cut] >= 0xC0:
            return head[:-cut]
        if head[-cut] < 0x80:
            break
    return head
