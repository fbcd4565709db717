"""Conversions between kinds of values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.rules import members, pair_values, without_null
from rolltop.transform.stdlib.texts import key_text, quoted, text_of
from rolltop.transform.types import ANY, BOOLEAN, NULL, NUMBER, STRING, ArrayType, ObjectType, Type, union
from rolltop.transform.values import is_element, kind_of, leaf, parse_number, unwrap

_ORNAMENT = re.compile(r"[\s,$€£¥%]+")
_TRUE = frozenset({"true", "yes", "y", "1", "on", "enabled"})
_FALSE = frozenset({"false", "no", "n", "0", "off", "disabled"})


def as_number(value: Any) -> int | float | None:
    """The number in a value: numbers, and texts with currency signs, blanks, commas or % around it."""
    kind = type(value)
    if kind is str:
        number = parse_number(value)
        return parse_number(_ORNAMENT.sub("", value)) if number is None else number
    if kind is int or kind is float:
        return value  # type: ignore[no-any-return]
    inner = leaf(value)
    return None if inner is value or isinstance(inner, dict) else as_number(inner)


def as_boolean(value: Any) -> bool | None:
    """The truth that a value spells out, or None."""
    kind = type(value)
    if kind is bool:
        return bool(value)
    if kind is int or kind is float:
        return bool(value != 0)
    word = text_of(unwrap(value)).strip().lower() if kind is str or isinstance(value, dict) else ""
    return True if word in _TRUE else False if word in _FALSE else None


def _with_default(arguments: Sequence[Type], kind: Type) -> Type:
    if arguments[0] == kind:
        return kind
    return union((kind, arguments[1] if len(arguments) > 1 else NULL))


def _number_or_default(arguments: Sequence[Type]) -> Type | None:
    return arguments[0] if str(arguments[0]) == "Integer" else _with_default(arguments, NUMBER)


@function(
    "toString(value: Any): String",
    category="type",
    examples=[
        ("toString(5.0)", '"5"'),
        ("toString(null)", '""'),
        ("toString([1, null, true])", '"[1, null, true]"'),
        ("toString({ a: 1 })", '"{a: 1}"'),
    ],
)
def to_string(value: Any) -> str:
    """Converts a value to text; dates in ISO form, null as empty text."""
    return text_of(value)


_PARSE_PARAMS = {"fallback": "What to give when it is no number; null by default"}


@function(
    "parseNumber(value: Any, fallback?: Any): Number?",
    category="type",
    infer=_number_or_default,
    params=_PARSE_PARAMS,
    examples=[
        ('parseNumber("$ 1,234.50")', "1234.5"),
        ('parseNumber("n/a")', "null"),
        ('parseNumber("n/a", 0)', "0"),
        ('parseNumber("12 %")', "12"),
    ],
)
def parse_number_(value: Any, fallback: Any = None) -> Any:
    """The number in a text; blanks, commas, currency signs and % are ignored."""
    number = as_number(value)
    return fallback if number is None else number


@function(
    "parseFloat(value: Any, fallback?: Any): Number?",
    category="type",
    infer=_number_or_default,
    params=_PARSE_PARAMS,
    examples=[('parseFloat("2.50")', "2.5"), ("parseFloat(true)", "null")],
)
def parse_float(value: Any, fallback: Any = None) -> Any:
    """The number in a text; the same as parseNumber."""
    return parse_number_(value, fallback)


@function(
    "parseDouble(value: Any, fallback?: Any): Number?",
    category="type",
    infer=_number_or_default,
    params=_PARSE_PARAMS,
    examples=[('parseDouble("1e3")', "1000"), ('parseDouble("x", -1)', "-1")],
)
def parse_double(value: Any, fallback: Any = None) -> Any:
    """The number in a text; the same as parseNumber."""
    return parse_number_(value, fallback)


@function(
    "numberOrDefault(value: Any, fallback: Any): Any",
    category="type",
    infer=_number_or_default,
    examples=[('numberOrDefault("7", 0)', "7"), ("numberOrDefault(null, 0)", "0")],
)
def number_or_default(value: Any, fallback: Any) -> Any:
    """The number in a text, or the fallback when there is none."""
    return parse_number_(value, fallback)


@function(
    "toNumber(value: Any): Number",
    category="type",
    infer=lambda arguments: arguments[0] if str(arguments[0]) == "Integer" else NUMBER,
    examples=[
        ('toNumber("42")', "42"),
        ('toNumber("€9.99")', "9.99"),
        ('toNumber("abc")', "error: cannot make a number"),
    ],
)
def to_number(value: Any) -> int | float:
    """Converts a text to a number; anything that is no number is an error."""
    number = parse_number(value) if type(value) is str else as_number(value)
    if number is None:
        number = as_number(value)
    if number is None:
        what = "this text" if type(value) is str else kind_of(value)
        fail(f"toNumber cannot make a number of {what}", hint="Use parseNumber(value, fallback) where it may be none.")
    return number


@function(
    "parseBoolean(value: Any, fallback?: Any): Boolean?",
    category="type",
    infer=lambda arguments: union((BOOLEAN, arguments[1] if len(arguments) > 1 else NULL)),
    params={"fallback": "What to give when it is neither; null by default"},
    examples=[
        ('parseBoolean("Yes")', "true"),
        ('parseBoolean("off")', "false"),
        ('parseBoolean("maybe", false)', "false"),
    ],
)
def parse_boolean(value: Any, fallback: Any = None) -> Any:
    """The truth that a text spells: true, yes, y, 1, on, enabled or false, no, n, 0, off, disabled."""
    truth = as_boolean(value)
    return fallback if truth is None else truth


@function(
    "toBoolean(value: Any): Boolean",
    category="type",
    examples=[
        ('toBoolean("yes")', "true"),
        ("toBoolean(0)", "false"),
        ('toBoolean("maybe")', "error: cannot make a boolean"),
    ],
)
def to_boolean(value: Any) -> bool:
    """Converts a text to true or false as parseBoolean does; anything else is an error."""
    truth = as_boolean(value)
    if truth is None:
        what = "this text" if type(value) is str else kind_of(value)
        fail(
            f"toBoolean cannot make a boolean of {what}", hint="Use parseBoolean(value, fallback) where it may be none."
        )
    return truth


@function(
    "stringOrDefault(value: Any, fallback: String): String",
    category="type",
    examples=[('stringOrDefault(null, "-")', '"-"'), ('stringOrDefault(5, "-")', '"5"')],
)
def string_or_default(value: Any, fallback: str) -> str:
    """The text of a value, or the fallback when it is null."""
    return fallback if value is None else text_of(value)


def _array_type(arguments: Sequence[Type]) -> Type | None:
    kinds = members(without_null(arguments[0]))
    if ANY in kinds or any(isinstance(kind, ObjectType) for kind in kinds):
        return None
    return ArrayType(union(kind.item if isinstance(kind, ArrayType) else kind for kind in kinds))


@function(
    "toArray(value: Any): Array",
    category="type",
    infer=_array_type,
    examples=[
        ("toArray([1])", "[1]"),
        ('toArray("a")', '["a"]'),
        ("toArray({ a: 1 })", '[["a", 1]]'),
        ("toArray(null)", "[]"),
    ],
)
def to_array(value: Any) -> list[Any]:
    """Converts to an array: null to an empty one, an object to [key, value] pairs, any other value (also one element of
    XML) to an array of one."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and not is_element(value):
        return [[name, item] for name, item in value.items()]
    return [] if value is None else [value]


@function(
    "toObject(value: Any): Object",
    category="type",
    infer=lambda arguments: arguments[0] if isinstance(arguments[0], ObjectType) else pair_values(arguments),
    examples=[('toObject([["a", 1]])', "{ a: 1 }"), ("toObject(5)", "error: cannot make an object")],
)
def to_object(value: Any) -> dict[str, Any]:
    """Converts an array of [key, value] pairs to an object."""
    made = as_object(value)
    if made is None:
        fail(f"toObject cannot make an object of {kind_of(value)}", hint='Give [key, value] pairs: [["a", 1]].')
    return made


def as_object(value: Any) -> dict[str, Any] | None:
    if isinstance(value, dict):
        return value
    if not isinstance(value, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        return None
    return {key_text(name): item for name, item in value}


def _as_string(value: Any) -> str | None:
    return None if value is None else text_of(value)


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "number": as_number,
    "string": _as_string,
    "boolean": as_boolean,
    "array": to_array,
    "object": as_object,
}
_TYPE = {"type": "number, string, boolean, array or object"}


def _convert(value: Any, kind: str) -> Any:
    converter = _CONVERTERS.get(kind.strip().lower())
    if converter is None:
        fail(f"there is no type {quoted(kind)} to convert to", hint=f"Use one of {', '.join(_CONVERTERS)}.")
    return converter(value)


@function(
    "coerce(value: Any, type: String, fallback?: Any): Any",
    category="type",
    params=_TYPE | {"fallback": "What to give when it cannot be converted; the value itself by default"},
    examples=[
        ('coerce("5", "number")', "5"),
        ('coerce("x", "number")', '"x"'),
        ('coerce("x", "number", 0)', "0"),
        ('coerce(1, "color")', "error: no type"),
    ],
)
def coerce(value: Any, kind: str, *fallback: Any) -> Any:
    """Converts a value to a type; when that is impossible gives the fallback, or the value as it is."""
    made = _convert(value, kind)
    if made is not None:
        return made
    return fallback[0] if fallback else value


@function(
    "tryCoerce(value: Any, type: String): Any",
    category="type",
    params=_TYPE,
    examples=[('tryCoerce("yes", "boolean")', "true"), ('tryCoerce("x", "number")', "null")],
)
def try_coerce(value: Any, kind: str) -> Any:
    """Converts a value to a type, or gives null when that is impossible."""
    return _convert(value, kind)


@function(
    "canCoerce(value: Any, type: String): Boolean",
    category="type",
    params=_TYPE,
    examples=[('canCoerce("5", "number")', "true"), ('canCoerce([], "number")', "false")],
)
def can_coerce(value: Any, kind: str) -> bool:
    """Whether a value can be converted to a kind."""
    return _convert(value, kind) is not None


@function(
    "coerceAll(array: Array, type: String, fallback?: Any): Array",
    category="type",
    params=_TYPE | {"fallback": "Stands for elements that cannot be converted; they are dropped without it"},
    examples=[('coerceAll(["1", "x", 2], "number")', "[1, 2]"), ('coerceAll(["1", "x"], "number", 0)', "[1, 0]")],
)
def coerce_all(array: list[Any], kind: str, *fallback: Any) -> list[Any]:
    """The elements as another kind; those that cannot be converted are dropped or replaced by the fallback."""
    made = [_convert(item, kind) for item in array]
    if fallback:
        return [fallback[0] if item is None else item for item in made]
    return [item for item in made if item is not None]


def _spelled(arguments: Sequence[Type]) -> Type | None:
    kinds = members(arguments[0])
    return union([*kinds, NUMBER, BOOLEAN, NULL]) if STRING in kinds else arguments[0]


_WORDS: dict[str, Any] = {"true": True, "yes": True, "false": False, "no": False, "null": None}


@function(
    "smartCoerce(value: T): Any",
    category="type",
    infer=_spelled,
    examples=[
        ('smartCoerce("42")', "42"),
        ('smartCoerce("Yes")', "true"),
        ('smartCoerce("null")', "null"),
        ('smartCoerce("abc")', '"abc"'),
    ],
)
def smart_coerce(value: Any) -> Any:
    """What a text spells: a number, true or yes, false or no, null; else the value as it is."""
    if type(value) is not str:
        return value
    word = value.strip().lower()
    if word in _WORDS:
        return _WORDS[word]
    number = parse_number(value)
    return value if number is None else number
