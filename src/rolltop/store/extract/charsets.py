"""How a text is written, as documents say it themselves: in a header, at the top of a page, in a first line."""

from __future__ import annotations

import codecs
import re

__all__ = ["ENCODINGS", "SMALLER", "WESTERN", "codec_named", "declared_in"]

WESTERN = "windows-1252"

_NAMES = """
    utf-8 utf-7 utf-16 utf-16-le utf-16-be utf-32 utf-32-le utf-32-be cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256
    cp1257 cp1258 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14
    iso8859-15 iso8859-16 koi8-r koi8-u koi8-t kz1048 ptcp154 mac-roman mac-cyrillic cp437 cp850 cp852 cp855 cp857 cp858
    cp866 cp874 cp932 euc_jp iso2022_jp iso2022_jp_2 gbk gb18030 hz big5 big5hkscs cp949 johab iso2022_kr
"""
ENCODINGS = frozenset(_NAMES.split())
"""What texts are written in, by the names of Python. Others that it knows are no alphabets, or slow on purpose."""

SMALLER = {
    **dict.fromkeys(("ascii", "iso8859-1"), "cp1252"),
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "gb2312": "gbk",
    "euc_kr": "cp949",
}
"""Encodings of which a larger one is written under their names, as every browser reads them."""

_OTHERWISE = {"sjis": "cp932", "cp31j": "cp932", "koi8": "koi8-r", "gb-2312": "gbk"}
_NUMBERED = re.compile(r"^(?:windows|cp|ms)-?(?=\d)")
_ISO = re.compile(r"^iso(?=\d)")

_XML = re.compile(rb"\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*[\"']\s*([\w.:-]{1,40})")
_META = re.compile(rb"<meta\b[^>]{0,400}?\bcharset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_LINE = re.compile(rb"(?:[^\n]{0,200}\n)?[ \t\f]*[#%;/*<-][^\n]{0,100}?coding[:=][ \t]*([\w.-]{1,40})")
"""In the first line or the second, as editors and languages have it."""


def codec_named(label: str | None) -> str | None:
    """What decodes a text that says it is written in `label`; None where no such encoding is known."""
    label = (label or "").strip(" \t\"'").lower().replace("_", "-")
    if not label or len(label) > 40 or not label.isascii():
        return None
    plain = _NUMBERED.sub("cp", label.removeprefix("x-").removesuffix("-i").removesuffix("-e"))
    for name in (label, plain, _OTHERWISE.get(plain, "")):
        try:
            found = codecs.lookup(name).name if name else ""
        except (LookupError, ValueError):
            continue
        found = SMALLER.get(found, found)
        if found in ENCODINGS:
            return _ISO.sub("iso-", found.replace("cp125", "windows-125").replace("_", "-"))
    return None


def declared_in(head: bytes) -> str | None:
    """How the text that begins so says it is written, where that is not UTF-8."""
    found = _XML.match(head)
    if found is None and head.lstrip().startswith(b"<"):
        found = _META.search(head)
    found = found or _LINE.match(head)
    codec = codec_named(found[1].decode("ascii", "replace")) if found else None
    # A page whose bytes can be read so far is not in UTF-16, and one that says UTF-8 was asked for that already.
    return None if codec is None or codec.startswith("utf") else codec
