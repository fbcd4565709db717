"""Bytes from the arguments of encoding, hash and binary functions, and back to text."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.values import kind_of, scalar_text

__all__ = [
    "check_encoding",
    "decode_base64",
    "decode_base64url",
    "decoded",
    "encode_base64",
    "encode_base64url",
    "encoded",
    "is_encoding",
    "octets",
    "utf8",
]

_BLANKS = re.compile(r"\s+")


def octets(value: Any, name: str) -> bytes:
    """Binary as it is, scalars as the UTF-8 of their text; null is empty."""
    if type(value) is str:
        return value.encode("utf-8", "surrogatepass")
    if type(value) is bytes:
        return value
    text = "" if value is None else scalar_text(value)
    if text is None:
        fail(f"{name} takes text or binary, not {kind_of(value)}", hint="Make it text first, with renderJson(value).")
    return text.encode()


def utf8(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        fail(f"{name}: the bytes are no UTF-8 text", hint="Use fromBase64 or fromHex to get them as binary.")


def encode_base64(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode()


def decode_base64(text: str, name: str) -> bytes:
    """Standard or URL alphabet; white space and missing padding are forgiven, anything else is not."""
    try:
        return binascii.a2b_base64(text, strict_mode=True)
    except (binascii.Error, ValueError):
        pass  # perhaps with blanks, without padding, or in the other alphabet
    plain = _BLANKS.sub("", text).translate(_STANDARD).rstrip("=")
    try:
        return binascii.a2b_base64(plain + "=" * (-len(plain) % 4), strict_mode=True)
    except (binascii.Error, ValueError):
        fail(f"{name}: the text is not base64", hint="Base64 has letters, digits, + and /, padded with =.")


_STANDARD = str.maketrans("-_", "+/")


def encode_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_base64url(text: str) -> bytes:
    """Without padding; `ValueError` when the text is anything else."""
    if not text.isascii() or set(text) & set("+/=") or len(text) % 4 == 1:
        raise ValueError("not base64url")
    return binascii.a2b_base64(text.translate(_STANDARD) + "=" * (-len(text) % 4), strict_mode=True)


_ENCODING_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._:-]{0,39}")
_NO_CHARSETS = frozenset({"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"})


def is_encoding(name: str) -> bool:
    """Whether a name is that of a character encoding, not of another of Python's codecs."""
    if _ENCODING_NAME.fullmatch(name) is None or name.lower().replace("-", "_") in _NO_CHARSETS:
        return False
    try:
        "".encode(name)
    except (LookupError, ValueError):
        return False
    return True


def encoded(text: str, encoding: str) -> bytes:
    """The bytes of a text; UTF-16 and UTF-32 without an order of bytes are big-endian, UTF-16 with a mark."""
    name = codecs.lookup(check_encoding(encoding)).name
    if name == "utf-16":
        return codecs.BOM_UTF16_BE + text.encode("utf-16-be")
    return text.encode("utf-32-be" if name == "utf-32" else encoding)


def decoded(data: bytes, encoding: str) -> str:
    """The text that bytes are; those of UTF-16 and UTF-32 without a mark are big-endian."""
    name = codecs.lookup(check_encoding(encoding)).name
    marks = {"utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)}
    if name in marks and not data.startswith(marks[name]):
        return data.decode(f"{name}-be")
    return data.decode(encoding)


def check_encoding(name: str) -> str:
    if not is_encoding(name):
        fail(f"there is no encoding {name[:40]!r}", hint="Use for example UTF-8, UTF-16 or ISO-8859-1.")
    return name
