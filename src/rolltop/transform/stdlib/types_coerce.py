"""Conversion to a kind that is named by a value: coerce and its kin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._rules import members
from rolltop.transform.stdlib._text import quoted, text_of
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.types_convert import as_boolean, as_number, as_object, to_array
from rolltop.transform.types import BOOLEAN, NULL, NUMBER, STRING, Type, union
from rolltop.transform.values import parse_number


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
