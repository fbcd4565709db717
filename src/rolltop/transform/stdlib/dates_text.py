"""The clock, and dates from and to text."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from rolltop.transform.errors import FunctionFailure
from rolltop.transform.stdlib._clock import Reading
from rolltop.transform.stdlib._date_names import STYLES, names_of
from rolltop.transform.stdlib._date_patterns import formatter
from rolltop.transform.stdlib._date_reading import read_by_pattern
from rolltop.transform.stdlib._moments import KINDS, MOMENT, moment
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.host import host
from rolltop.transform.types import Type, parse_type
from rolltop.transform.values import iso_text

_PATTERN = "Letters as in Java: yyyy MM dd HH mm ss SSS a E z X; text between quotes"


@function(
    "now(): DateTime",
    category="date",
    examples=[("year(now()) >= 1970", "true"), ("isBefore(now(), addDays(now(), 1))", "true")],
    pure=False,
)
def now() -> dt.datetime:
    """The current point in time, in UTC."""
    return Reading.of(host().now())


@function("currentDate(): String", category="date", examples=[("length(currentDate())", "10")], pure=False)
def current_date() -> str:
    """Today's date in UTC as text: 2024-05-31."""
    return host().now().astimezone(dt.UTC).date().isoformat()


@function(
    "currentTime(): String",
    category="date",
    examples=[('matches(currentTime(), "[0-9]{2}:[0-9]{2}:[0-9]{2}.*")', "true")],
    pure=False,
)
def current_time() -> str:
    """The time of day in UTC as text: 10:30:00.123456."""
    return host().now().astimezone(dt.UTC).time().isoformat()


@function("timestamp(): Integer", category="date", examples=[("timestamp() > 0", "true")], pure=False)
def timestamp() -> int:
    """Milliseconds since 1970-01-01T00:00:00Z."""
    return (host().now() - _EPOCH) // dt.timedelta(milliseconds=1)


_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_READ, _UNPATTERNED = parse_type(f"{KINDS} | Time"), parse_type(KINDS)


def _read_type(arguments: Sequence[Type]) -> Type | None:
    return _UNPATTERNED if len(arguments) == 1 else None


@function(
    f"parseDate(text: {MOMENT}, pattern?: String, locale?: String): {KINDS} | Time",
    category="date",
    examples=[
        ('year(parseDate("2024-05-31"))', "2024"),
        ('parseDate("31.05.2024", "dd.MM.yyyy")', 'parseDate("2024-05-31")'),
        ('parseDate("May 31, 2024 2:05 PM", "MMM d, yyyy h:mm a")', 'parseDate("2024-05-31T14:05")'),
        ('parseDate("2024-05-31T10:30:00+02:00")', 'parseDate("2024-05-31T08:30:00Z")'),
        ('parseDate("31/05/2024")', "error: is no date"),
    ],
    params={"pattern": _PATTERN, "locale": "Language of month and day names, such as de or fr_FR; default English"},
    infer=_read_type,
)
def parse_date(text: dt.date | str, pattern: str = "", locale: str = "") -> dt.date | dt.time:
    """Reads a date, a local date-time or a point in time from text.

    Without a pattern the text is ISO 8601 (or yyyy/MM/dd): a day gives a date, text with an offset or Z a
    point in time (in UTC), text with a clock only a local date-time. With a pattern, clock letters give a
    local date-time (or a time, when there is no date), otherwise a date.
    """
    return read_by_pattern(text, pattern, locale) if pattern and isinstance(text, str) else moment(text)


@function(
    f"toDate(text: {MOMENT}): {KINDS}",
    category="date",
    examples=[('toDate("2024/05/31")', 'parseDate("2024-05-31")')],
)
def to_date(text: dt.date | str) -> dt.date:
    """Reads ISO 8601 text; the same as parseDate without a pattern."""
    return moment(text)


@function(
    f"formatDate(d: {MOMENT} | Time, pattern?: String, locale?: String): String",
    category="date",
    examples=[
        ('formatDate(parseDate("2024-05-31"), "dd.MM.yyyy")', '"31.05.2024"'),
        ('formatDate("2024-05-31T14:05:00Z", "EEE d MMM yyyy, h:mm a")', '"Fri 31 May 2024, 2:05 PM"'),
        ('formatDate(parseDate("2024-05-31"), "FULL")', '"Friday, May 31, 2024"'),
        ('formatDate(parseDate("2024-05-31"))', '"2024-05-31"'),
    ],
    params={
        "pattern": "ISO (the default), SHORT, MEDIUM, LONG, FULL, or a pattern. " + _PATTERN,
        "locale": "Language of names and of the four styles, such as de or fr_FR; default English",
    },
)
def format_date(d: dt.date | dt.time | str, pattern: str = "ISO", locale: str = "") -> str:
    """Prints a date, a time or a point in time."""
    value = d if isinstance(d, dt.time) else moment(d)
    if pattern in ("ISO", ""):
        return iso_text(value)
    if pattern in STYLES:
        pattern = names_of(locale).style(pattern)
    return formatter(pattern, locale)(value)


@function(
    "validateDate(text: String, pattern?: String): Boolean",
    category="date",
    examples=[
        ('validateDate("2024-02-30")', "false"),
        ('validateDate("2024-02-29T10:00:00Z")', "true"),
        ('validateDate("29.02.2023", "dd.MM.yyyy")', "false"),
        ('validateDate("2024-02-29T10:00:00Z", "yyyy-MM-dd")', "true"),
    ],
    params={"pattern": _PATTERN},
)
def validate_date(text: str, pattern: str = "") -> bool:
    """Whether text is a date: ISO 8601, or of the form that a pattern describes, as a whole or before its T."""
    if not pattern:
        return _is_date(text, "")
    formatter(pattern)  # a pattern that means nothing is an error, not an invalid date
    return _is_date(text, pattern) or ("T" in text and _is_date(text.partition("T")[0], pattern))


def _is_date(text: str, pattern: str) -> bool:
    try:
        parse_date(text, pattern)
    except FunctionFailure:
        return False
    return True
