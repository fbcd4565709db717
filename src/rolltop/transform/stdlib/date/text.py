"""Dates from text and to text."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from rolltop.transform.errors import FunctionFailure, fail
from rolltop.transform.stdlib.clock import Reading
from rolltop.transform.stdlib.date.moments import KINDS, MOMENT, moment, zone
from rolltop.transform.stdlib.date.patterns import (
    CLOCK_LETTERS,
    LONGEST,
    STYLES,
    ZONE_LETTERS,
    Names,
    Piece,
    formatter,
    names_of,
    scan,
)
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.host import host
from rolltop.transform.types import Type, parse_type
from rolltop.transform.values import iso_text

__all__ = ["read_by_pattern"]

Found = dict[str, Any]
_NUMERIC = frozenset("uyMLdDHkKhmsSnAN")


def read_by_pattern(text: str, pattern: str, locale: str = "") -> dt.date | dt.time:
    """The date, time, local date-time or instant that a text spells; a failure says both text and pattern."""
    expression, fields = _compiled(pattern, locale)
    match = expression.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        fail(f"{text[:60]!r} does not have the form {pattern!r}", hint="Check the text and the letters of the pattern.")
    found: Found = {}
    for at, (letter, convert) in enumerate(fields, start=1):
        if match[at] is not None:
            found[letter] = convert(match[at])
    try:
        return _assemble(found)
    except (ValueError, OverflowError):
        fail(f"{text[:60]!r} is no day or time that exists", hint=f"It was read by the pattern {pattern!r}.")


Field = tuple[str, Callable[[str], Any]]


@lru_cache(maxsize=512)
def _compiled(pattern: str, locale: str) -> tuple[re.Pattern[str], list[Field]]:
    names, pieces = names_of(locale), scan(pattern)
    sources: list[str] = []
    fields: list[Field] = []
    for at, (letter, count) in enumerate(pieces):
        if count == 0:
            sources.append(re.escape(letter))
        elif count == -1:
            sources.append("(?:" if letter == "[" else ")?")
        else:
            source, field = _field(letter, count, names, joined=_joined(pieces, at))
            sources.append(f"({source})")
            fields.append(field)
    try:
        return re.compile("".join(sources), re.IGNORECASE | re.ASCII), fields
    except re.error:
        fail(f"the brackets of the date pattern {pattern!r} do not match", hint="Write '[' in quotes for a bracket.")


def _joined(pieces: tuple[Piece, ...], at: int) -> bool:
    """Whether digits follow digits, as in yyyyMMdd: then each field has exactly its width."""
    after = pieces[at + 1] if at + 1 < len(pieces) else ("", 0)
    before = pieces[at - 1] if at else ("", 0)
    return any(count in (1, 2, 4) and letter in _NUMERIC for letter, count in (before, after))


def _field(letter: str, count: int, names: Names, *, joined: bool) -> tuple[str, Field]:
    if letter in "uy":
        if count == 2:
            return r"\d\d", ("y", lambda text: 2000 + int(text))
        return (rf"\d{{{count}}}" if joined else rf"\d{{{min(count, 4)},4}}"), ("y", int)
    if letter in "ML" and count >= 3:
        return _table(names.months if count >= 4 else names.short_months, "M", first=1)
    if letter == "E":
        return _table(names.days if count >= 4 else names.short_days, "E", first=0)
    if letter == "a":
        return _table(names.halves, "a", first=0)
    if letter == "S":
        return rf"\d{{{count}}}", ("S", lambda text: int(text[:6].ljust(6, "0")))
    if letter in _NUMERIC:
        most = {"D": 3, "n": 9, "A": 8, "N": 14}.get(letter, 2)
        width = rf"\d{{{count}}}" if joined or count > 1 else rf"\d{{1,{most}}}"
        return width, ("M" if letter == "L" else letter, int)
    if letter in ZONE_LETTERS:
        return r"Z|[A-Za-z_]+(?:/[A-Za-z_+\-0-9]+)*(?:[+-]\d{1,2})?|[+-]\d{2}(?::?\d{2})?", ("X", _zone)
    fail(f"the pattern letter {letter!r} can be printed but not read", hint="Read year, month, day and clock instead.")


def _zone(text: str) -> dt.tzinfo:
    return zone("UTC" if text in ("Z", "z") else text)


def _table(words: tuple[str, ...], letter: str, *, first: int) -> tuple[str, Field]:
    index = {word.casefold(): at for at, word in enumerate(words, start=first)}
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(map(re.escape, longest_first)), (letter, lambda text: index[text.casefold()])


def _assemble(found: Found) -> dt.date | dt.time:
    time = _time(found)
    if not found.keys() & {"y", "M", "d", "D", "E"}:
        return time if time is not None else fail("the pattern has neither date nor time", hint="Add yyyy-MM-dd.")
    day = _day(found)
    if time is None:
        return day
    if "X" in found:
        return dt.datetime.combine(day, time, found["X"]).astimezone(dt.UTC)
    return dt.datetime.combine(day, time)


def _day(found: Found) -> dt.date:
    if "y" not in found:
        fail("the pattern has no year", hint="Add yyyy to it.")
    if "D" in found:
        day = dt.date(found["y"], 1, 1) + dt.timedelta(days=found["D"] - 1)
        if day.year != found["y"] or found["D"] < 1:
            raise ValueError
    else:
        day = dt.date(found["y"], found.get("M", 1), found.get("d", 1))
    if found.get("E", day.weekday()) != day.weekday():
        fail(f"{day} is no such day of the week", hint="Correct the name of the day, or leave E out of the pattern.")
    return day


def _time(found: Found) -> dt.time | None:
    if not found.keys() & CLOCK_LETTERS:
        return None
    if "N" in found or "A" in found:
        micros = found["N"] // 1000 if "N" in found else found["A"] * 1000
        return (dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=micros)).time()
    micros = found["S"] if "S" in found else found.get("n", 0) // 1000
    return dt.time(_hour(found), found.get("m", 0), found.get("s", 0), micros)


def _hour(found: Found) -> int:
    if "H" in found:
        return int(found["H"])
    if "k" in found:
        return int(found["k"]) % 24 if found["k"] <= 24 else 99
    if "h" in found and not 1 <= found["h"] <= 12:
        raise ValueError
    hour = found["h"] % 12 if "h" in found else found.get("K", 0)
    return int(hour) + 12 * int(found.get("a", 0))


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
