"""What kind a value is of."""

from __future__ import annotations

from typing import Any

from rolltop.transform.stdlib.clock import Reading
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import kind_of


@function(
    "getType(value: Any): String",
    category="type",
    aliases=("typeOf", "typeof"),
    examples=[
        ('getType("a")', '"string"'),
        ("typeOf(1.5)", '"number"'),
        ("typeof([])", '"array"'),
        ("getType(null)", '"null"'),
        ("getType(now())", '"string"'),
        ("[isString(now()), isDateTime(now())]", "[false, true]"),
        ("getType(addDays(now(), 1))", '"datetime"'),
        ('getType(parseDate("2024-05-01"))', '"date"'),
    ],
)
def get_type(value: Any) -> str:
    """The kind of a value.

    One of string, number, boolean, null, array, object, date, datetime, localdatetime, time, binary, function.
    What `now` gives is called a string until something is calculated from it; isDateTime knows better.
    """
    return "string" if type(value) is Reading else kind_of(value).lower()


@function(
    "isString(value: Any): Boolean", category="type", examples=[('isString("1")', "true"), ("isString(1)", "false")]
)
def is_string(value: Any) -> bool:
    """Whether a value is a text."""
    return type(value) is str


@function(
    "isNumber(value: Any): Boolean", category="type", examples=[("isNumber(1)", "true"), ('isNumber("1")', "false")]
)
def is_number(value: Any) -> bool:
    """Whether a value is a number."""
    return type(value) is int or type(value) is float


@function(
    "isBoolean(value: Any): Boolean",
    category="type",
    examples=[("isBoolean(false)", "true"), ("isBoolean(0)", "false")],
)
def is_boolean(value: Any) -> bool:
    """Whether a value is true or false."""
    return type(value) is bool


@function("isArray(value: Any): Boolean", category="type", examples=[("isArray([])", "true"), ("isArray({})", "false")])
def is_array(value: Any) -> bool:
    """Whether a value is an array."""
    return type(value) is list


@function(
    "isObject(value: Any): Boolean", category="type", examples=[("isObject({})", "true"), ("isObject([])", "false")]
)
def is_object(value: Any) -> bool:
    """Whether a value is an object."""
    return isinstance(value, dict)


@function("isNull(value: Any): Boolean", category="type", examples=[("isNull(null)", "true"), ('isNull("")', "false")])
def is_null(value: Any) -> bool:
    """Whether a value is null."""
    return value is None


@function(
    "isDefined(value: Any): Boolean", category="type", examples=[("isDefined(0)", "true"), ("isDefined({}.a)", "false")]
)
def is_defined(value: Any) -> bool:
    """Whether a value is not null."""
    return value is not None


@function("isDate(value: Any): Boolean", category="type", examples=[('isDate("2024-05-01")', "false")])
def is_date(value: Any) -> bool:
    """Whether a value is a date without time; texts that look like dates are not."""
    return kind_of(value) == "date"


@function(
    "isDateTime(value: Any): Boolean", category="type", examples=[('isDateTime("2024-05-01T10:00:00Z")', "false")]
)
def is_date_time(value: Any) -> bool:
    """Whether a value is an instant, a date and time in a known zone; texts are not."""
    return kind_of(value) == "dateTime"


@function(
    "isLocalDateTime(value: Any): Boolean", category="type", examples=[('isLocalDateTime("2024-05-01T10:00")', "false")]
)
def is_local_date_time(value: Any) -> bool:
    """Whether a value is a date and time without zone; texts are not."""
    return kind_of(value) == "localDateTime"


@function("isTime(value: Any): Boolean", category="type", examples=[('isTime("10:00")', "false")])
def is_time(value: Any) -> bool:
    """Whether a value is a time of day; texts are not."""
    return kind_of(value) == "time"
