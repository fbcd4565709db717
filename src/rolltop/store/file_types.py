"""Names, extensions, MIME types and kinds of documents, from their path and first bytes."""

from __future__ import annotations

import mimetypes
import re

__all__ = ["KINDS", "UNKNOWN", "extension_of", "is_text", "kind_of", "mime_of", "name_and_extension", "storable_path"]

KINDS = ("text", "image", "audio", "video", "archive", "document", "binary")
UNKNOWN = "application/octet-stream"

_CODE = {
    ".c": "text/x-c", ".h": "text/x-c", ".cc": "text/x-c++", ".cpp": "text/x-c++", ".hpp": "text/x-c++",
    ".py": "text/x-python", ".pyi": "text/x-python", ".r": "text/x-r", ".rs": "text/x-rust", ".go": "text/x-go",
    ".java": "text/x-java", ".kt": "text/x-kotlin", ".rb": "text/x-ruby", ".sh": "text/x-shellscript",
    ".ts": "text/x-typescript", ".tsx": "text/x-typescript", ".js": "text/javascript", ".mjs": "text/javascript",
    ".md": "text/markdown", ".markdown": "text/markdown", ".rmd": "text/x-r-markdown", ".rst": "text/x-rst",
    ".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml", ".json": "application/json",
    ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".sql": "application/sql", ".log": "text/plain",
    ".txt": "text/plain", ".ini": "text/plain", ".cfg": "text/plain", ".ipynb": "application/x-ipynb+json",
    ".utlx": "text/x-utlx", ".org": "text/x-org", ".tex": "text/x-tex",
}  # fmt: skip

_SIGNATURES = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\x7fELF", "application/x-executable"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
)

_ARCHIVES = ("zip", "gzip", "x-bzip2", "x-xz", "zstd", "x-tar", "x-7z-compressed", "vnd.rar")
_DOCUMENTS = ("pdf", "msword", "rtf", "epub+zip", "postscript")
_SNIFFED = 8 << 10
_LONE = re.compile("[\ud800-\udfff]")
"""What Python puts where a file name or an argument holds bytes that are not UTF-8, and halves of pairs."""

mimetypes.init()


def storable_path(path: str) -> str:
    """The path as valid Unicode: bytes of a file name that are not UTF-8 become escapes, as in `caf\\xe9.txt`."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return _LONE.sub(_escaped, path)
    return path


def _escaped(lone: re.Match[str]) -> str:
    code = ord(lone[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def name_and_extension(path: str) -> tuple[str, str]:
    name = path.rstrip("/").rpartition("/")[2]
    return name, extension_of(name)


def extension_of(name: str) -> str:
    """With its dot, in lower case; empty for `Makefile` and `.profile`."""
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


def is_text(data: bytes) -> bool:
    """UTF-8 without NUL in its beginning."""
    if b"\0" in data[:_SNIFFED]:
        return False
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def mime_of(extension: str, head: bytes, *, text: bool) -> str:
    """By extension, else by signature; never a text type for bytes that are not text."""
    guess = _CODE.get(extension) or mimetypes.types_map.get(extension)
    if guess and (text or not guess.startswith("text/")):
        return guess
    if text:
        return "text/plain"
    return next((mime for magic, mime in _SIGNATURES if head.startswith(magic)), UNKNOWN)


def kind_of(mime: str, *, text: bool) -> str:
    """One of `KINDS`: what the type filter of a listing asks for."""
    if text:
        return "text"
    family, _, rest = mime.partition("/")
    if family in ("image", "audio", "video"):
        return family
    if rest in _ARCHIVES:
        return "archive"
    return "document" if rest in _DOCUMENTS or rest.startswith("vnd.o") or "word" in rest else "binary"
