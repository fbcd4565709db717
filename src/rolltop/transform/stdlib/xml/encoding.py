"""Encodings of XML: what a document declares, another declaration, byte order marks."""

from __future__ import annotations

import codecs
import re
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.serialization.octets import check_encoding, decoded, is_encoding, octets
from rolltop.transform.stdlib.xml.tokens import Token, tokens
from rolltop.transform.values import Node

_DECLARATION = re.compile(r"\s*<\?xml\s[^>]*?\?>")
_ENCODING = re.compile(r"""\sencoding\s*=\s*("[^"]*"|'[^']*')""", re.IGNORECASE)
_MARKS = (
    ("UTF-8", codecs.BOM_UTF8),
    ("UTF-32LE", codecs.BOM_UTF32_LE),  # before UTF-16LE, which it starts with
    ("UTF-32BE", codecs.BOM_UTF32_BE),
    ("UTF-16LE", codecs.BOM_UTF16_LE),
    ("UTF-16BE", codecs.BOM_UTF16_BE),
)


def _declared(text: str) -> str | None:
    declaration = _DECLARATION.match(text.removeprefix("\ufeff"))
    found = _ENCODING.search(declaration[0]) if declaration else None
    return found[1][1:-1] if found else None


@function(
    "detectXMLEncoding(xml: Any): String",
    category="serialization",
    examples=[
        ('detectXMLEncoding("<?xml version=\\"1.0\\" encoding=\\"iso-8859-1\\"?><a/>")', '"ISO-8859-1"'),
        ('detectXMLEncoding("<a/>")', '"UTF-8"'),
    ],
    params={"xml": "A document that was read, XML text, or binary"},
)
def detect_xml_encoding(xml: Any) -> str:
    """The encoding that a document declares, in upper case; UTF-8 when it declares none."""
    if isinstance(xml, Node):
        return ((xml.metadata or {}).get("xmlEncoding") or "UTF-8").upper()
    if isinstance(xml, bytes):
        marked = detect_bom(xml)
        if marked is not None:
            return marked
        xml = xml[:1000].decode("latin-1")
    declared = _declared(xml) if isinstance(xml, str) else None
    return (declared or "UTF-8").upper()


@function(
    "updateXMLEncoding(xml: String, encoding: String): String",
    category="serialization",
    examples=[
        ('updateXMLEncoding("<a/>", "UTF-8")', '"<?xml version=\\"1.0\\" encoding=\\"UTF-8\\"?>\\n<a/>"'),
        (
            'updateXMLEncoding("<?xml version=\\"1.0\\"?><a/>", "UTF-16")',
            '"<?xml version=\\"1.0\\" encoding=\\"UTF-16\\"?><a/>"',
        ),
    ],
)
def update_xml_encoding(xml: str, encoding: str) -> str:
    """XML text with another encoding in its declaration; a missing declaration is added."""
    check_encoding(encoding)
    text = xml.removeprefix("\ufeff")
    declaration = _DECLARATION.match(text)
    if declaration is None:
        return f'<?xml version="1.0" encoding="{encoding}"?>\n{text}'
    old = declaration[0]
    if _ENCODING.search(old):
        new = _ENCODING.sub(f' encoding="{encoding}"', old)
    else:
        # The encoding stands after the version and before standalone.
        new = re.sub(r"""(\sversion\s*=\s*("[^"]*"|'[^']*'))""", rf'\1 encoding="{encoding}"', old, count=1)
    return new + text[len(old) :]


@function(
    "convertXMLEncoding(xml: String | Binary, from: String, to: String): String",
    category="serialization",
    examples=[
        (
            'convertXMLEncoding("<?xml version=\\"1.0\\" encoding=\\"UTF-8\\"?><a>€</a>", "UTF-8", "ISO-8859-1")',
            '"<?xml version=\\"1.0\\" encoding=\\"ISO-8859-1\\"?><a>&#8364;</a>"',
        ),
        ('parseXml(convertXMLEncoding("<a><![CDATA[<€>]]></a>", "UTF-8", "ISO-8859-1")).a', '"<€>"'),
        ('convertXMLEncoding("<имя/>", "UTF-8", "ISO-8859-1")', "error: lacks the character"),
    ],
    params={"from": "The encoding of binary; text is Unicode already", "to": "The encoding to declare"},
)
def convert_xml_encoding(xml: str | bytes, source: str, target: str) -> str:
    """XML text that can be stored in another encoding: declared, and what it lacks as references."""
    check_encoding(source)
    if isinstance(xml, bytes):
        try:
            xml = decoded(xml, source)
        except UnicodeDecodeError:
            fail(f"the bytes are not {source}", hint="Find out with detectXMLEncoding(binary).")
    return _storable(update_xml_encoding(xml, target), target)


def _storable(text: str, encoding: str) -> str:
    """The text with references for what the encoding lacks. They mean something in texts and attributes alone."""
    if _lacks(text, encoding) is None:
        return text
    return "".join(_storable_token(token, encoding) for token in tokens(text, "convertXMLEncoding"))


def _storable_token(token: Token, encoding: str) -> str:
    if token.kind == "text":
        return _referred(token.text, encoding)
    if token.kind == "cdata":
        parts = re.split("([^\x00-\x7f]+)", token.text)
        return "".join(f"]]>{_referred(part, encoding)}<![CDATA[" if _lacks(part, encoding) else part for part in parts)
    parts = _QUOTED.split(token.text) if token.kind in ("start", "empty") else [token.text]
    for bare in parts[::2]:
        lacking = _lacks(bare, encoding)
        if lacking is not None:
            where = "a name" if token.kind != "other" else "a comment, an instruction or the document type"
            fail(
                f"{encoding[:40]} lacks the character {lacking!r}, which {where} has",
                hint="References stand for characters in texts and attributes only; use UTF-8, or rename it.",
            )
    return "".join(_referred(part, encoding) if at % 2 else part for at, part in enumerate(parts))


_QUOTED = re.compile(r"""("[^"]*"|'[^']*')""")
_BEYOND = re.compile("[^\x00-\x7f]")


def _lacks(text: str, encoding: str) -> str | None:
    """The first character that the encoding has not."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError as error:
        return text[error.start]
    return None


def _referred(text: str, encoding: str) -> str:
    return _BEYOND.sub(lambda found: f"&#{ord(found[0])};" if _lacks(found[0], encoding) else found[0], text)


@function(
    "normalizeXMLEncoding(xml: String, encoding: String): String",
    category="serialization",
    examples=[
        (
            'normalizeXMLEncoding("<?xml version=\\"1.0\\" encoding=\\"utf-8\\"?><a/>", "UTF-8")',
            '"<?xml version=\\"1.0\\" encoding=\\"utf-8\\"?><a/>"',
        )
    ],
)
def normalize_xml_encoding(xml: str, encoding: str) -> str:
    """The same as convertXMLEncoding, unless the text declares that encoding already."""
    declared = detect_xml_encoding(xml)
    if is_encoding(declared) and codecs.lookup(declared) == codecs.lookup(check_encoding(encoding)):
        return xml
    return convert_xml_encoding(xml, declared if is_encoding(declared) else "UTF-8", encoding)


@function(
    "validateEncoding(name: String): Boolean",
    category="serialization",
    examples=[('validateEncoding("windows-1252")', "true"), ('validateEncoding("no-such-code")', "false")],
)
def validate_encoding(name: str) -> bool:
    """Whether there is an encoding of that name."""
    return is_encoding(name)


@function(
    "stripBOM(s: String): String",
    category="serialization",
    examples=[('stripBOM("\\uFEFFtext")', '"text"')],
)
def strip_bom(s: str) -> str:
    """Text without a leading byte order mark."""
    return s.removeprefix("\ufeff")


@function(
    "detectBOM(data: Any): String?",
    category="serialization",
    examples=[('detectBOM(addBOM("x", "UTF-16BE"))', '"UTF-16BE"'), ('detectBOM("x")', "null")],
)
def detect_bom(data: Any) -> str | None:
    """The encoding that a byte order mark at the start stands for, or null."""
    start = octets(data, "detectBOM")[:4]
    return next((name for name, mark in _MARKS if start.startswith(mark)), None)


@function(
    "hasBOM(data: Any): Boolean",
    category="serialization",
    examples=[('hasBOM("\\uFEFFx")', "true"), ('hasBOM("x")', "false")],
)
def has_bom(data: Any) -> bool:
    """Whether binary (or text as UTF-8) starts with a byte order mark."""
    return detect_bom(data) is not None


@function(
    "getBOMBytes(encoding: String): Binary",
    category="serialization",
    examples=[('hexEncode(getBOMBytes("UTF-8"))', '"efbbbf"'), ('getBOMBytes("ASCII")', "error: no byte order mark")],
)
def get_bom_bytes(encoding: str) -> bytes:
    """The byte order mark of an encoding."""
    name = encoding.strip().upper().replace("_", "-").replace("-LE", "LE").replace("-BE", "BE")
    found = dict(_MARKS).get({"UTF8": "UTF-8", "UTF-16": "UTF-16BE", "UTF-32": "UTF-32BE"}.get(name, name))
    if found is None:
        fail(f"{encoding[:40]!r} has no byte order mark", hint="UTF-8, UTF-16LE, UTF-16BE, UTF-32LE and UTF-32BE have.")
    return found


@function(
    "addBOM(data: Any, encoding: String): Binary",
    category="serialization",
    examples=[
        ('hexEncode(addBOM("x", "UTF-8"))', '"efbbbf78"'),
        ('binaryToString(addBOM("hi", "UTF-16LE"), "UTF-16")', '"hi"'),
    ],
)
def add_bom(data: Any, encoding: str) -> bytes:
    """Binary with a byte order mark in front, unless it has one; text is encoded first."""
    if isinstance(data, str):
        return get_bom_bytes(encoding) + _in_order(strip_bom(data), encoding)
    given = octets(data, "addBOM")
    return given if has_bom(given) else get_bom_bytes(encoding) + given


def _in_order(text: str, encoding: str) -> bytes:
    """Text in one of the encodings that have a mark, without it."""
    name = next(name for name, mark in _MARKS if mark == get_bom_bytes(encoding))
    return text.encode(name, "replace")


@function(
    "removeBOM(data: Any): Binary",
    category="serialization",
    examples=[('hexEncode(removeBOM("\\uFEFFx"))', '"78"')],
)
def remove_bom(data: Any) -> bytes:
    """Binary without the byte order mark at its start."""
    given = octets(data, "removeBOM")
    found = detect_bom(given)
    return given if found is None else given[len(dict(_MARKS)[found]) :]


@function(
    "normalizeBOM(data: Any, encoding: String, add: Boolean): Binary",
    category="serialization",
    examples=[
        ('hexEncode(normalizeBOM("\\uFEFFx", "UTF-16LE", true))', '"fffe7800"'),
        ('hexEncode(normalizeBOM("\\uFEFFx", "UTF-8", false))', '"78"'),
    ],
    params={"add": "Whether the result starts with the mark of the encoding"},
)
def normalize_bom(data: Any, encoding: str, add: bool) -> bytes:
    """Binary with exactly the wanted byte order mark, or with none. Only the mark changes; text is encoded first."""
    if isinstance(data, str):
        return (get_bom_bytes(encoding) if add else b"") + _in_order(strip_bom(data), encoding)
    bare, mark = remove_bom(data), get_bom_bytes(encoding)
    return mark + bare if add else bare
