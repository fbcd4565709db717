"""Binary values, and their encodings as text: base64, hex."""

from __future__ import annotations

import hmac
import struct
from typing import Any
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.serialization.octets import decode_base64, decoded, encode_base64, encoded, octets, utf8

_BINARY = {"data": "Binary, or base64 text"}


def data_of(value: bytes | str, name: str) -> bytes:
    return value if isinstance(value, bytes) else decode_base64(value, name)


@function(
    "toBinary(s: String, encoding?: String): Binary",
    category="crypto",
    examples=[
        ('toHex(toBinary("é"))', '"c3a9"'),
        ('toHex(toBinary("é", "ISO-8859-1"))', '"e9"'),
        ('toHex(toBinary("A", "UTF-16"))', '"feff0041"'),
    ],
    params={"encoding": "Default UTF-8"},
)
def to_binary(s: str, encoding: str = "UTF-8") -> bytes:
    """The bytes of a text in an encoding."""
    try:
        return encoded(s, encoding)
    except UnicodeEncodeError as error:
        fail(f"{encoding} has no {s[error.start]!r}", hint="Use UTF-8, which has every character.")


@function(
    "fromBytes(numbers: Array<Integer>): Binary",
    category="crypto",
    examples=[("toHex(fromBytes([72, 105, 255, -1]))", '"4869ffff"'), ("fromBytes([300])", "error: no byte")],
    params={"numbers": "Numbers from -128 to 255"},
)
def from_bytes(numbers: list[Any]) -> bytes:
    """Binary from an array of byte values."""
    for number in numbers:
        if not isinstance(number, (int, float)) or isinstance(number, bool) or not -128 <= number <= 255:
            fail(f"{str(number)[:40]} is no byte", hint="Bytes are numbers from -128 to 255.")
    return bytes(int(number) % 256 for number in numbers)


@function(
    "fromBase64(s: String): Binary",
    category="crypto",
    examples=[('binaryToString(fromBase64("SGk="))', '"Hi"'), ('fromBase64("?")', "error: not base64")],
)
def from_base64(s: str) -> bytes:
    """Binary from base64 text."""
    return decode_base64(s, "fromBase64")


@function(
    "fromHex(s: String): Binary",
    category="crypto",
    examples=[('binaryToString(fromHex("4869"))', '"Hi"'), ('fromHex("4")', "error: hexadecimal")],
)
def from_hex(s: str) -> bytes:
    """Binary from hexadecimal digits; blanks and colons between bytes are allowed."""
    try:
        return bytes.fromhex(s.replace(":", " "))
    except ValueError:
        fail("fromHex: the text is not hexadecimal", hint="It has pairs of the digits 0-9 and a-f.")


@function(
    "binaryToString(data: Binary | String, encoding?: String): String",
    category="crypto",
    examples=[('binaryToString(toBinary("é"))', '"é"'), ('binaryToString("SGk=")', '"Hi"')],
    params=_BINARY | {"encoding": "Default UTF-8"},
)
def binary_to_string(data: bytes | str, encoding: str = "UTF-8") -> str:
    """The text that bytes are in an encoding."""
    try:
        return decoded(data_of(data, "binaryToString"), encoding)
    except UnicodeDecodeError:
        fail(f"the bytes are not {encoding}", hint="Give the encoding that the text was written in.")


@function(
    "toBytes(data: Binary | String): Array<Integer>",
    category="crypto",
    examples=[('toBytes(toBinary("Hi"))', "[72, 105]"), ('toBytes(fromHex("ff"))', "[-1]")],
    params=_BINARY,
)
def to_bytes(data: bytes | str) -> list[int]:
    """The bytes as numbers from -128 to 127."""
    return list(memoryview(data_of(data, "toBytes")).cast("b"))


@function(
    "toBase64(data: Binary | String): String",
    category="crypto",
    examples=[('toBase64(toBinary("Hi"))', '"SGk="')],
    params=_BINARY,
)
def to_base64(data: bytes | str) -> str:
    """Binary as base64 text."""
    return encode_base64(data_of(data, "toBase64"))


@function(
    "toHex(data: Binary | String): String",
    category="crypto",
    examples=[('toHex(toBinary("Hi"))', '"4869"')],
    params=_BINARY,
)
def to_hex(data: bytes | str) -> str:
    """Binary as hexadecimal digits in lower case."""
    return data_of(data, "toHex").hex()


@function(
    "binaryLength(data: Binary | String): Integer",
    category="crypto",
    examples=[('binaryLength(toBinary("é"))', "2")],
    params=_BINARY,
)
def binary_length(data: bytes | str) -> int:
    """How many bytes there are."""
    return len(data_of(data, "binaryLength"))


@function(
    "binaryConcat(first: Binary | String, second: Binary | String, ...more: Binary | String): Binary",
    category="crypto",
    examples=[('toHex(binaryConcat(fromHex("01"), fromHex("02"), fromHex("03")))', '"010203"')],
)
def binary_concat(*data: bytes | str) -> bytes:
    """Binaries joined in order."""
    return b"".join(data_of(item, "binaryConcat") for item in data)


@function(
    "binarySlice(data: Binary | String, from: Integer, to: Integer): Binary",
    category="crypto",
    examples=[('toHex(binarySlice(fromHex("00010203"), 1, 3))', '"0102"')],
    params=_BINARY | {"from": "From 0", "to": "The first byte that is left out"},
)
def binary_slice(data: bytes | str, start: int, end: int) -> bytes:
    """A part of a binary; positions outside are cut to its ends."""
    return data_of(data, "binarySlice")[max(start, 0) : max(end, 0)]


@function(
    "binaryEquals(a: Binary | String, b: Binary | String): Boolean",
    category="crypto",
    examples=[('binaryEquals(toBinary("Hi"), "SGk=")', "true")],
)
def binary_equals(a: bytes | str, b: bytes | str) -> bool:
    """Whether two binaries are the same; takes the same time wherever they differ."""
    return hmac.compare_digest(data_of(a, "binaryEquals"), data_of(b, "binaryEquals"))


@function(
    "equalsBinary(a: Any, b: Any): Boolean",
    category="crypto",
    examples=[('equalsBinary(toBinary("a"), toBinary("a"))', "true"), ('equalsBinary("a", "a")', "false")],
)
def equals_binary(a: Any, b: Any) -> bool:
    """Whether both are binary values, and the same."""
    return isinstance(a, bytes) and isinstance(b, bytes) and hmac.compare_digest(a, b)


def _read(data: bytes | str, offset: int, form: str) -> Any:
    given, size = data_of(data, "read"), struct.calcsize(form)
    if not 0 <= offset <= len(given) - size:
        fail(f"there are no {size} bytes at {offset} in {len(given)}", hint="Offsets are counted from 0.")
    return struct.unpack_from(form, given, offset)[0]


_AT = _BINARY | {"offset": "Where it starts, from 0"}
_DATA = "(data: Binary | String, offset: Integer)"
_BYTES = 'fromHex("ff00fffe00000001")'


@function(f"readByte{_DATA}: Integer", category="crypto", examples=[(f"readByte({_BYTES}, 0)", "255")], params=_AT)
def read_byte(data: bytes | str, offset: int) -> int:
    """One byte, 0 to 255."""
    return int(_read(data, offset, ">B"))


@function(f"readInt16{_DATA}: Integer", category="crypto", examples=[(f"readInt16({_BYTES}, 2)", "-2")], params=_AT)
def read_int16(data: bytes | str, offset: int) -> int:
    """A signed number of two bytes, the high one first."""
    return int(_read(data, offset, ">h"))


@function(f"readInt32{_DATA}: Integer", category="crypto", examples=[(f"readInt32({_BYTES}, 4)", "1")], params=_AT)
def read_int32(data: bytes | str, offset: int) -> int:
    """A signed number of four bytes, the high one first."""
    return int(_read(data, offset, ">i"))


@function(
    f"readInt64{_DATA}: Integer",
    category="crypto",
    examples=[("readInt64(writeInt64(-5), 0)", "-5"), (f"readInt64({_BYTES}, 1)", "error: no 8 bytes")],
    params=_AT,
)
def read_int64(data: bytes | str, offset: int) -> int:
    """A signed number of eight bytes, the high one first."""
    return int(_read(data, offset, ">q"))


@function(
    f"readFloat{_DATA}: Number", category="crypto", examples=[("readFloat(writeFloat(1.5), 0)", "1.5")], params=_AT
)
def read_float(data: bytes | str, offset: int) -> float:
    """A floating-point number of four bytes, the high one first."""
    return float(_read(data, offset, ">f"))


@function(
    f"readDouble{_DATA}: Number", category="crypto", examples=[("readDouble(writeDouble(0.1), 0)", "0.1")], params=_AT
)
def read_double(data: bytes | str, offset: int) -> float:
    """A floating-point number of eight bytes, the high one first."""
    return float(_read(data, offset, ">d"))


def _write(number: int | float, form: str) -> bytes:
    try:
        return struct.pack(form, number)
    except (struct.error, OverflowError):
        fail(f"{number} does not fit in {struct.calcsize(form)} bytes", hint="Use a wider form.")


@function(
    "writeByte(n: Integer): Binary",
    category="crypto",
    examples=[("toHex(writeByte(255))", '"ff"'), ("toHex(writeByte(-1))", '"ff"'), ("writeByte(256)", "error: fit")],
)
def write_byte(n: int) -> bytes:
    """One byte from a number from -128 to 255."""
    return _write(n + 256 if -128 <= n < 0 else n, ">B")


@function("writeInt16(n: Integer): Binary", category="crypto", examples=[("toHex(writeInt16(-2))", '"fffe"')])
def write_int16(n: int) -> bytes:
    """A signed number as two bytes, the high one first."""
    return _write(n, ">h")


@function("writeInt32(n: Integer): Binary", category="crypto", examples=[("toHex(writeInt32(258))", '"00000102"')])
def write_int32(n: int) -> bytes:
    """A signed number as four bytes, the high one first."""
    return _write(n, ">i")


@function(
    "writeInt64(n: Integer): Binary", category="crypto", examples=[("toHex(writeInt64(1))", '"0000000000000001"')]
)
def write_int64(n: int) -> bytes:
    """A signed number as eight bytes, the high one first."""
    return _write(n, ">q")


@function("writeFloat(n: Number): Binary", category="crypto", examples=[("toHex(writeFloat(1))", '"3f800000"')])
def write_float(n: float) -> bytes:
    """A number as four bytes of floating point, the high one first."""
    return _write(n, ">f")


@function(
    "writeDouble(n: Number): Binary", category="crypto", examples=[("toHex(writeDouble(1))", '"3ff0000000000000"')]
)
def write_double(n: float) -> bytes:
    """A number as eight bytes of floating point, the high one first."""
    return _write(n, ">d")


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
