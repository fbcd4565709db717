"""Canonical JSON (RFC 8785): one spelling for every value, for digests and comparisons.

Text that is the JSON of an object or array stands for that value.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

import orjson

from rolltop.transform.errors import FunctionFailure, WriteFailure, fail
from rolltop.transform.formats.plain import plain
from rolltop.transform.stdlib.crypto.hashes import algorithm
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.serialization.serialize import read_text

_SAFE = 2**53


def _number(number: int | float) -> str:
    """As JavaScript prints it: the shortest digits that mean the same double."""
    if isinstance(number, int) and -_SAFE <= number <= _SAFE:
        return str(number)
    double = float(number)
    if double == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(double)).normalize().as_tuple()
    assert isinstance(exponent, int)
    return ("-" if sign else "") + _placed("".join(map(str, digits)), len(digits) + exponent)


def _placed(digits: str, point: int) -> str:
    """Digits with the decimal point after the first `point` of them."""
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    exponent = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "") + exponent


def _written(value: Any) -> str:
    if isinstance(value, str):
        return _string(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, list):
        return f"[{','.join(map(_written, value))}]"
    ordered = sorted(value.items(), key=lambda pair: pair[0].encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{_string(key)}:{_written(item)}" for key, item in ordered) + "}"


def _string(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        fail("canonical JSON has no half surrogate pairs", hint="Repair the text first.")
    return json.dumps(text, ensure_ascii=False)


def _meant(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return read_text("json", value)
    try:
        return plain(value)
    except WriteFailure as error:
        raise FunctionFailure(error.message, hint=error.hint) from None


def _canonical(value: Any) -> str:
    if type(value) in (dict, list):
        try:
            quick = orjson.dumps(value, option=_QUICK)
        except TypeError:
            pass
        else:
            if _UNSURE.search(quick) is None:
                return quick.decode()
    return _written(_meant(value))


_QUICK = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_DATACLASS
)
_UNSURE = re.compile(rb"[0-9](?:[.eE]|[0-9]{15})|_text|[\xee-\xff]")
"""What orjson may spell otherwise: doubles, integers beyond 2^53, keys that UTF-16 sorts otherwise."""


@function(
    "canonicalizeJSON(v: Any): String",
    category="serialization",
    examples=[
        ("canonicalizeJSON({b: 1.0, a: [true, null]})", '"{\\"a\\":[true,null],\\"b\\":1}"'),
        ('canonicalizeJSON("{ \\"x\\": 1e21 }")', '"{\\"x\\":1e+21}"'),
    ],
    params={"v": "Any value; text that is a JSON object or array stands for it"},
)
def canonicalize_json(v: Any) -> str:
    """The canonical JSON of a value: keys sorted, no blanks, shortest numbers."""
    return _canonical(v)


@function("jcs(v: Any): String", category="serialization", examples=[("jcs({b: 1, a: 2})", '"{\\"a\\":2,\\"b\\":1}"')])
def jcs(v: Any) -> str:
    """The canonical JSON of a value; the same as canonicalizeJSON."""
    return _canonical(v)


@function(
    "canonicalJSONHash(v: Any, algorithm?: String): String",
    category="serialization",
    examples=[("canonicalJSONHash({b: 1, a: 2}) == canonicalJSONHash({a: 2, b: 1})", "true")],
    params={"algorithm": "SHA-256 (the default), SHA-512, SHA-1, MD5 and others"},
)
def canonical_json_hash(v: Any, name: str = "SHA-256") -> str:
    """The digest of the canonical JSON of a value, in hexadecimal."""
    return str(algorithm(name)(_canonical(v).encode()).hexdigest())


@function(
    "canonicalJSONSize(v: Any): Integer",
    category="serialization",
    examples=[("canonicalJSONSize({a: 1})", "7"), ('canonicalJSONSize("é")', "4")],
)
def canonical_json_size(v: Any) -> int:
    """How many bytes the canonical JSON of a value has."""
    return len(_canonical(v).encode())


@function(
    "jsonEquals(a: Any, b: Any): Boolean",
    category="serialization",
    examples=[
        ('jsonEquals("{\\"a\\": 1, \\"b\\": 2}", {b: 2, a: 1.0})', "true"),
        ("jsonEquals([1, 2], [2, 1])", "false"),
    ],
)
def json_equals(a: Any, b: Any) -> bool:
    """Whether two values, or JSON texts, have the same canonical JSON."""
    return _canonical(a) == _canonical(b)


@function(
    "isCanonicalJSON(v: Any): Boolean",
    category="serialization",
    examples=[
        ('isCanonicalJSON("{\\"a\\":1}")', "true"),
        ('isCanonicalJSON("{\\"b\\":1,\\"a\\":2}")', "false"),
        ("isCanonicalJSON({b: 1, a: 2})", "true"),
    ],
    params={"v": "JSON text; a value that is no text has no spelling yet, so it counts as canonical"},
)
def is_canonical_json(v: Any) -> bool:
    """Whether a JSON text is spelled canonically."""
    if not isinstance(v, str):
        return True
    try:
        return _written(read_text("json", v)) == v
    except FunctionFailure:
        return False
