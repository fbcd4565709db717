"""Base64, hexadecimal and URL encoding of text."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._octets import decode_base64, encode_base64, octets, utf8
from rolltop.transform.stdlib.declare import function


@function(
    "base64Encode(s: Any): String",
    category="crypto",
    examples=[('base64Encode("Hello")', '"SGVsbG8="'), ('base64Encode("")', '""')],
    params={"s": "Text (taken as UTF-8) or binary"},
)
def base64_encode(s: Any) -> str:
    """Encodes text or binary in base64."""
    return encode_base64(octets(s, "base64Encode"))


@function(
    "base64Decode(s: String): String",
    category="crypto",
    examples=[('base64Decode("SGVsbG8=")', '"Hello"'), ('base64Decode("%%%")', "error: not base64")],
)
def base64_decode(s: str) -> str:
    """Decodes base64 to text in UTF-8. fromBase64 gives binary."""
    return utf8(decode_base64(s, "base64Decode"), "base64Decode")


@function(
    "hexEncode(s: Any): String",
    category="crypto",
    examples=[('hexEncode("Hi")', '"4869"')],
    params={"s": "Text (taken as UTF-8) or binary"},
)
def hex_encode(s: Any) -> str:
    """Encodes text or binary as hexadecimal digits in lower case."""
    return octets(s, "hexEncode").hex()


@function(
    "hexDecode(s: String): String",
    category="crypto",
    examples=[('hexDecode("4869")', '"Hi"'), ('hexDecode("4x")', "error: hexadecimal")],
)
def hex_decode(s: str) -> str:
    """Decodes hexadecimal digits to text in UTF-8. fromHex gives binary."""
    try:
        return utf8(bytes.fromhex(s), "hexDecode")
    except ValueError:
        fail("hexDecode: the text is not hexadecimal", hint="It has pairs of the digits 0-9 and a-f.")


@function(
    "urlEncode(s: String): String",
    category="crypto",
    examples=[('urlEncode("a b&c")', '"a+b%26c"'), ('urlEncode("~*")', '"%7E*"')],
)
def url_encode(s: str) -> str:
    """Encodes text as HTML forms do: a blank becomes +."""
    return quote_plus(s, safe="*", errors="replace").replace("~", "%7E")


@function(
    "urlDecode(s: String): String",
    category="crypto",
    examples=[('urlDecode("a+b%26c")', '"a b&c"'), ('urlDecode("%C3%A9")', '"é"')],
)
def url_decode(s: str) -> str:
    """Decodes what urlEncode made: + becomes a blank."""
    return unquote_plus(s)


@function(
    "urlEncodeComponent(s: String): String",
    category="crypto",
    examples=[('urlEncodeComponent("a b&c")', '"a%20b%26c"')],
)
def url_encode_component(s: str) -> str:
    """Encodes text as a part of a URL path or query: a blank becomes %20."""
    return quote(s, safe="*", errors="replace").replace("~", "%7E")


@function(
    "urlDecodeComponent(s: String): String",
    category="crypto",
    examples=[('urlDecodeComponent("a%20b+c")', '"a b+c"')],
)
def url_decode_component(s: str) -> str:
    """Decodes percent signs only: + stays."""
    return unquote(s)
