"""The value model: what a UTL-X value is in Python. Plain Python values wherever possible.

=====================  =====================================================================
language               Python
=====================  =====================================================================
null, missing          ``None`` (there is no separate "undefined")
boolean                ``bool``
number                 ``int`` within 64 bits, else ``float``; ``Decimal`` from `1.5m` and `decimal(…)`
string                 ``str``
binary                 ``bytes``
date                   ``datetime.date`` (and not ``datetime``)
dateTime (instant)     aware ``datetime.datetime``
localDateTime          naive ``datetime.datetime``
time                   ``datetime.time``
array                  ``list``
object                 ``dict`` with ``str`` keys, in insertion order
object with more       `Node`, a ``dict`` that also has attributes, an element name, metadata
function               any Python callable; its arity is `arity_of`
=====================  =====================================================================

Values are never changed after they were made: every function returns new containers.
`bool` is a subclass of `int` in Python but not in the language: test ``type(v) is bool`` first,
or use `is_number`. An XML element that has only text and no attribute is read as its bare text
or number; `unwrap` does the same for one whose attributes are all ``xmlns``, and `leaf` for one
with any attributes where a text is wanted.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, overload

__all__ = [
    "INT_MAX",
    "INT_MIN",
    "Node",
    "arity_of",
    "as_decimal",
    "compare",
    "concat_text",
    "equal",
    "fit",
    "is_element",
    "is_empty_element",
    "is_number",
    "is_temporal",
    "iso_text",
    "java_double",
    "kind_of",
    "leaf",
    "number_text",
    "parse_number",
    "scalar_text",
    "truthy",
    "unwrap",
]

Value = Any
INT_MIN, INT_MAX = -(2**63), 2**63 - 1
TEXT_KEY = "_text"


class Node(dict[str, Any]):
    """An object that carries more than properties: an XML element, or one built with `@` keys.

    `attributes` maps names to text. `name` is the element name it was read under. `metadata` is
    reached by `.^name` and never written. `content` keeps the order of mixed content: pieces of
    text and (child name, child value) pairs; None when the properties alone tell the order.
    """

    __slots__ = ("attributes", "content", "metadata", "name")

    def __init__(
        self,
        properties: Mapping[str, Any] | Iterable[tuple[str, Any]] = (),
        attributes: dict[str, str] | None = None,
        name: str | None = None,
        metadata: dict[str, str] | None = None,
        content: list[str | tuple[str, Any]] | None = None,
    ) -> None:
        super().__init__(properties)
        self.attributes: dict[str, str] = attributes if attributes is not None else {}
        self.name = name
        self.metadata = metadata
        self.content = content

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, dict):
            return other == "" and is_empty_element(self)
        return dict.__eq__(self, other) and self.attributes == getattr(other, "attributes", {})

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        return f"Node({dict.__repr__(self)}, attributes={self.attributes!r}, name={self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Node, (dict(self), self.attributes, self.name, self.metadata, self.content)


def is_element(value: Value) -> bool:
    """Whether a value is an XML element that was read: where it may repeat, one of them counts as an array of one."""
    return type(value) is Node and value.name is not None


def unwrap(value: Value) -> Value:
    """The text of an element that has nothing but text (and namespace declarations), else the value."""
    if type(value) is not Node or len(value) != 1 or TEXT_KEY not in value:
        return value
    only_namespaces = all(name.startswith("xmlns") for name in value.attributes)
    return value[TEXT_KEY] if only_namespaces else value


def leaf(value: Value) -> Value:
    """What stands for an element with nothing but text where a text is wanted: its text, empty for an empty element."""
    if not isinstance(value, dict) or len(value) > 1:
        return value
    if not value:
        return "" if type(value) is Node and value.name is not None else value
    return value.get(TEXT_KEY, value)


def is_empty_element(value: Value) -> bool:
    """Whether a value is an element that was read with nothing in it, attributes apart."""
    return type(value) is Node and not value and value.name is not None


def is_number(value: Value) -> bool:
    kind = type(value)
    return kind is int or kind is float or kind is Decimal


def as_decimal(number: int | float | Decimal) -> Decimal:
    """A number as a decimal: of a double the shortest digits that stand for it, so 0.1 is a tenth."""
    return Decimal(repr(number)) if type(number) is float else Decimal(number)


def is_temporal(value: Value) -> bool:
    return isinstance(value, (dt.date, dt.time))


def kind_of(value: Value) -> str:
    """The language's word for what a value is; used in messages and by `getType`."""
    kind = _KINDS.get(type(value))
    if kind is not None:
        return kind
    if isinstance(value, dt.datetime):
        return "localDateTime" if value.tzinfo is None else "dateTime"
    return "function" if callable(value) else type(value).__name__


_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    Decimal: "number",
    str: "string",
    bytes: "binary",
    list: "array",
    dict: "object",
    Node: "object",
    dt.date: "date",
    dt.time: "time",
}


def arity_of(function: Callable[..., Any]) -> int | None:
    """How many arguments a function value takes; None when it takes what it is given."""
    arity = getattr(function, "arity", None)
    if isinstance(arity, int):
        return arity
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & 0x04:  # *args
        return None
    return int(code.co_argcount)


def truthy(value: Value) -> bool:
    """The language's truth: false are `false`, `null`, `0` and `""`; empty containers are true."""
    if value is True or value is None or value is False:
        return value is True
    if isinstance(value, (str, int, float, Decimal)):
        return bool(value)
    return True


def equal(left: Value, right: Value) -> bool:
    """`==`: by value and deep; `1 == 1.0`, but no coercion between kinds (`true != 1`, `1 != "1"`)."""
    a, b = type(left), type(right)
    if a is b and a in _FLAT:
        return bool(left == right)
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict):
        if isinstance(right, dict):
            return _equal_objects(left, right)
        return right == "" and is_empty_element(left)
    if is_number(left) or isinstance(left, bool):
        if not (is_number(left) and is_number(right)):
            return False
        left, right = _aligned(left, right)
        return bool(left == right)
    if isinstance(left, dt.datetime) and isinstance(right, dt.datetime):
        return (left.tzinfo is None) == (right.tzinfo is None) and left == right
    if left == "":
        return is_empty_element(right)
    return a is b and bool(left == right)


_FLAT = frozenset({str, int, float, bool, type(None), bytes})


_NONE: dict[str, str] = {}


def _equal_objects(left: dict[str, Any], right: dict[str, Any]) -> bool:
    if len(left) != len(right) or getattr(left, "attributes", _NONE) != getattr(right, "attributes", _NONE):
        return False
    return all(key in right and equal(value, right[key]) for key, value in left.items())


def compare(left: Value, right: Value) -> int | None:
    """Negative, zero or positive as left sorts before, with or after right; None: no order between them.

    Numbers with numbers, strings with strings, booleans with booleans, and each date kind with itself.
    """
    try:
        if is_number(left) and is_number(right):
            left, right = _aligned(left, right)
            return int(left > right) - int(left < right)
        if type(left) is type(right) and type(left) in _ORDERED:
            return int(left > right) - int(left < right)
        if isinstance(left, dt.datetime) and isinstance(right, dt.datetime):
            return int(left > right) - int(left < right)
    except TypeError:  # aware with naive
        return None
    return None


def _aligned(left: Any, right: Any) -> tuple[Any, Any]:
    """Two numbers that Python compares rightly: a double meets a decimal by its shortest digits."""
    if (type(left) is Decimal) != (type(right) is Decimal) and math.isfinite(left) and math.isfinite(right):
        return as_decimal(left), as_decimal(right)
    return left, right


_ORDERED = frozenset({str, bool, bytes, dt.date, dt.datetime, dt.time})


@overload
def fit(number: int | float) -> int | float: ...
@overload
def fit(number: int | float | Decimal) -> int | float | Decimal: ...
def fit(number: Any) -> Any:
    """An arithmetic result as the language keeps it: integers beyond 64 bits become doubles."""
    if type(number) is int and not INT_MIN <= number <= INT_MAX:
        try:
            return float(number)
        except OverflowError:
            return math.inf if number > 0 else -math.inf
    return number


def parse_number(text: str) -> int | float | None:
    """The number that a text spells in full, or None. `1_000`, `nan`, `inf` and blanks inside are no numbers."""
    digits = text.replace(".", "", 1)
    if digits.isdigit() and digits.isascii() and len(digits) < 19:
        return int(text) if len(digits) == len(text) else float(text)
    text = text.strip()
    if not text or not text.isascii() or "_" in text or len(text) > 400:
        return None
    if text[-1] not in "0123456789." or text[0] not in "+-.0123456789":
        return None
    if "." in text or "e" in text or "E" in text:
        return _parse_double(text)
    try:
        return fit(int(text))
    except ValueError:
        pass
    return _parse_double(text)


def _parse_double(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def java_double(number: float) -> str:
    """Shortest digits that round-trip; plain from 0.001 to 10^7, else `d.dddE[-]n`."""
    if math.isnan(number):
        return "NaN"
    if number in (math.inf, -math.inf):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0 or 0.001 <= abs(number) < 1e7:
        return repr(number)
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    assert isinstance(exponent, int)
    first, rest = digits[0], "".join(map(str, digits[1:])) or "0"
    return f"{'-' if sign else ''}{first}.{rest}E{exponent + len(digits) - 1}"


def number_text(number: int | float | Decimal) -> str:
    """A number as writers and `toString` print it: whole doubles without a fraction, decimals in plain digits."""
    if type(number) is Decimal:
        text = f"{number:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    if type(number) is float:
        if number.is_integer() and abs(number) < 1e18:
            return str(int(number))
        return java_double(number)
    return str(number)


def iso_text(value: dt.date | dt.time) -> str:
    """ISO 8601: seconds left out when zero in local values, `Z` for UTC, fractions in groups of three digits."""
    if isinstance(value, dt.datetime):
        if value.tzinfo is None:
            return f"{value.date().isoformat()}T{_clock(value.time(), short=True)}"
        offset = value.strftime("%z")
        zone = "Z" if offset in ("+0000", "") else f"{offset[:3]}:{offset[3:5]}"
        return f"{value.date().isoformat()}T{_clock(value.time(), short=False)}{zone}"
    if isinstance(value, dt.time):
        return _clock(value, short=True)
    return value.isoformat()


def _clock(time: dt.time, *, short: bool) -> str:
    if short and not time.second and not time.microsecond:
        return f"{time.hour:02}:{time.minute:02}"
    text = f"{time.hour:02}:{time.minute:02}:{time.second:02}"
    if not time.microsecond:
        return text
    fraction = f"{time.microsecond:06}"
    return f"{text}.{fraction[:3] if fraction.endswith('000') else fraction}"


def concat_text(value: Value) -> str | None:
    """What `+` and `concat` join: doubles keep their fraction (`108.0`). None: the value has no text form."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is float:
        return java_double(value)
    return scalar_text(value)


def scalar_text(value: Value) -> str | None:
    """The text of a scalar, or of an element with only text, as `toString` gives it.

    None for arrays, other objects, binary and functions.
    """
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is float or kind is Decimal:
        return number_text(value)
    if value is None:
        return "null"
    if isinstance(value, (dt.date, dt.time)):
        return iso_text(value)
    if isinstance(value, dict):
        inner = leaf(value)
        return None if isinstance(inner, dict) else scalar_text(inner)
    return None
