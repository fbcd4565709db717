"""Escaping, CDATA sections and SOAP envelopes."""

from __future__ import annotations

import re
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.xml.canonical_form import parse_tree, xml_text
from rolltop.transform.values import Node

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"})
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_NAMED = re.compile(r"&(amp|lt|gt|quot|apos);")
_ANY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_OPEN, _CLOSE = "<![CDATA[", "]]>"
_SECTION = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)


@function(
    "xmlEscape(s: String): String",
    category="serialization",
    examples=[('xmlEscape("a < \\"b\\" & c")', '"a &lt; &quot;b&quot; &amp; c"')],
)
def xml_escape(s: str) -> str:
    """Text with the five special characters as entities."""
    return s.translate(_ESCAPES)


@function(
    "xmlUnescape(s: String): String",
    category="serialization",
    examples=[('xmlUnescape("a &lt; b &amp;lt; &#65;")', '"a < b &lt; &#65;"')],
)
def xml_unescape(s: str) -> str:
    """Text with the five entities as characters; numeric references stay."""
    return _NAMED.sub(lambda match: _ENTITIES[match[1]], s)


@function(
    "escapeXML(s: String): String",
    category="serialization",
    examples=[('escapeXML("<a>")', '"&lt;a&gt;"')],
)
def escape_xml(s: str) -> str:
    """Text with the five special characters as entities."""
    return s.translate(_ESCAPES)


@function(
    "unescapeXML(s: String): String",
    category="serialization",
    examples=[('unescapeXML("&lt;&#65;&#x42;")', '"<AB"')],
)
def unescape_xml(s: str) -> str:
    """Text with the five entities and numeric references as characters."""
    return _ANY.sub(_character, s)


def _character(match: re.Match[str]) -> str:
    name, decimal, hexadecimal = match.groups()
    if name:
        return _ENTITIES[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else match[0]


@function(
    "createCDATA(s: String): String",
    category="serialization",
    examples=[('createCDATA("a < b")', '"<![CDATA[a < b]]>"'), ('createCDATA("]]>")', "error: cannot hold")],
)
def create_cdata(s: str) -> str:
    """A CDATA section around text."""
    if _CLOSE in s:
        fail("a CDATA section cannot hold ]]>", hint="Use wrapIfNeeded, which makes two sections, or xmlEscape.")
    return f"{_OPEN}{s}{_CLOSE}"


@function(
    "isCDATA(s: String): Boolean",
    category="serialization",
    examples=[('isCDATA("<![CDATA[x]]>")', "true"), ('isCDATA("x")', "false")],
)
def is_cdata(s: str) -> bool:
    """Whether a text is one or more CDATA sections and nothing else."""
    text = s.strip()
    return text.startswith(_OPEN) and not _SECTION.sub("", text)


@function(
    "extractCDATA(s: String): String",
    category="serialization",
    examples=[('extractCDATA("<a><![CDATA[x < y]]></a>")', '"x < y"'), ('extractCDATA("<a/>")', '""')],
)
def extract_cdata(s: str) -> str:
    """What the CDATA sections of a text contain, joined; empty when it has none."""
    return "".join(_SECTION.findall(s))


@function(
    "unwrapCDATA(s: String): String",
    category="serialization",
    examples=[('unwrapCDATA("<![CDATA[x]]>")', '"x"'), ('unwrapCDATA("x")', '"x"')],
)
def unwrap_cdata(s: str) -> str:
    """The content of a text that is a CDATA section; other text as it is."""
    return extract_cdata(s) if is_cdata(s) else s


@function(
    "shouldUseCDATA(s: String, threshold?: Integer): Boolean",
    category="serialization",
    examples=[('shouldUseCDATA("<b>bold</b>")', "true"), ('shouldUseCDATA("a & b")', "false")],
    params={"threshold": "How many special characters are enough; default 3"},
)
def should_use_cdata(s: str, threshold: int = 3) -> bool:
    """Whether text reads better in a CDATA section: it has tags, or many special characters."""
    return _MARKUP.search(s) is not None or sum(map(s.count, "&<>\"'")) >= threshold


_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>|[\x00-\x08\x0b\x0c\x0e-\x1f]")


@function(
    "wrapIfNeeded(s: String, force?: Boolean, threshold?: Integer): String",
    category="serialization",
    examples=[
        ('wrapIfNeeded("<b>")', '"<![CDATA[<b>]]>"'),
        ('wrapIfNeeded("plain")', '"plain"'),
        ('wrapIfNeeded("a]]>b", true)', '"<![CDATA[a]]]]><![CDATA[>b]]>"'),
    ],
    params={"force": "Wrap in any case", "threshold": "How many special characters are enough; default 3"},
)
def wrap_if_needed(s: str, force: bool = False, threshold: int = 3) -> str:
    """Text in a CDATA section where shouldUseCDATA says so; ]]> inside is split over two sections."""
    if not force and not should_use_cdata(s, threshold):
        return s
    return f"{_OPEN}{s.replace(_CLOSE, ']]]]><![CDATA[>')}{_CLOSE}"


_SOAP = {"1.1": "http://schemas.xmlsoap.org/soap/envelope/", "1.2": "http://www.w3.org/2003/05/soap-envelope"}


@function(
    "createSOAPEnvelope(body: Any, version?: String): String",
    category="serialization",
    examples=[
        (
            'createSOAPEnvelope("<q/>")',
            '"<?xml version=\\"1.0\\" encoding=\\"UTF-8\\"?>\\n<soap:Envelope '
            'xmlns:soap=\\"http://schemas.xmlsoap.org/soap/envelope/\\"><soap:Body><q/></soap:Body></soap:Envelope>"',
        ),
        ('contains(createSOAPEnvelope({q: {id: 1}}, "1.2"), "<q><id>1</id></q>")', "true"),
    ],
    params={"body": "XML text, an element, or an object that names it", "version": "1.1 (the default) or 1.2"},
)
def create_soap_envelope(body: Any, version: str = "1.1") -> str:
    """A SOAP message around a body."""
    uri = _SOAP.get(version.strip())
    if uri is None:
        fail(f"there is no SOAP {version[:20]}", hint="Use 1.1 or 1.2.")
    inner = _body(body)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<soap:Envelope xmlns:soap="{uri}">'
        f"<soap:Body>{inner}</soap:Body></soap:Envelope>"
    )


def _body(body: Any) -> str:
    if isinstance(body, dict) and not isinstance(body, Node) and len(body) != 1:
        inner: str | None = "".join(xml_text({name: item}) or "" for name, item in body.items())
    else:
        inner = "" if body is None else xml_text(body)
    if inner is None:
        fail("the body of the message is no XML", hint="Give XML text, an element, or an object that names it.")
    inner = re.sub(r"^\ufeff?\s*<\?xml .*?\?>\s*", "", inner, flags=re.DOTALL)
    if parse_tree(f"<body>{inner}</body>") is None:
        fail("the body of the message is not well-formed", hint="Check it with parseXml.")
    return inner
