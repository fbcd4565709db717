"""How date functions read their arguments: values of the four date kinds, ISO text, zone names.

Text with an offset becomes an instant in UTC; text without one becomes a date or a local date-time.
A value that carries its own offset is calculated with in that offset; where a clock is needed a date
counts as midnight UTC.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from functools import lru_cache
from zoneinfo import ZoneInfoNotFoundError

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.zone_files import zone_named
from rolltop.transform.types import DATE, DATETIME, LOCAL_DATETIME, STRING, Type

__all__ = [
    "DAY",
    "KINDS",
    "MOMENT",
    "as_clock",
    "as_day",
    "as_written",
    "clock_kind",
    "instant",
    "moment",
    "same_kind",
    "zone",
]

MOMENT = "Date | DateTime | LocalDateTime | String"
"""The parameter type of functions that take a day or a point in time."""
KINDS = "Date | DateTime | LocalDateTime"
DAY = dt.timedelta(days=1)
_SLASHED = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})")
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?", re.ASCII)


def moment(value: dt.date | str) -> dt.date:
    """A date, an instant or a local date-time; text is read as ISO 8601."""
    if type(value) is not str:
        return value  # type: ignore[return-value]
    try:
        if len(value) == 10:
            return dt.date.fromisoformat(value)
        if len(value) > 18:
            return _in_utc(dt.datetime.fromisoformat(value))
    except (ValueError, OverflowError):
        pass  # perhaps another form
    return _read(value)


def as_written(value: dt.date | str) -> dt.date:
    """The same, but a text keeps the offset that it is written with."""
    read = moment(value)
    if not isinstance(value, str) or not isinstance(read, dt.datetime):
        return read
    return dt.datetime.fromisoformat(value.strip().partition("[")[0])


def _in_utc(read: dt.datetime) -> dt.datetime:
    return read if read.tzinfo is None or read.tzinfo is dt.UTC else read.astimezone(dt.UTC)


def _read(value: str) -> dt.date:
    text = value.strip()
    if not text.isascii():
        fail(f"{_quoted(value)} is no date", hint=_HINT)
    try:
        if len(text) <= 10 and "T" not in text:
            slashed = _SLASHED.fullmatch(text)
            return dt.date(*map(int, slashed.groups())) if slashed else dt.date.fromisoformat(text)
        # A zone id in brackets only repeats what the offset before it says.
        return _in_utc(dt.datetime.fromisoformat(text.partition("[")[0]))
    except (ValueError, OverflowError):
        fail(f"{_quoted(value)} is no date", hint=_HINT)


_HINT = "Dates are written 2024-05-31, points in time 2024-05-31T10:30:00Z; give parseDate a pattern for other forms."


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")


def as_day(value: dt.date | str) -> dt.date:
    """The calendar day, in the value's own offset."""
    read = moment(value)
    return read.date() if isinstance(read, dt.datetime) else read


def as_clock(value: dt.date | str) -> dt.datetime:
    """A value with a clock: dates are midnight UTC, local date-times stay local."""
    read = moment(value)
    if isinstance(read, dt.datetime):
        return read
    return dt.datetime(read.year, read.month, read.day, tzinfo=dt.UTC)


def instant(value: dt.date | str) -> dt.datetime:
    """A point in time in UTC; dates and local date-times count as UTC.

    Python compares and subtracts two times of one zone by their clocks, which is wrong when those change.
    """
    if type(value) is dt.datetime and value.tzinfo is dt.UTC:
        return value
    clock = as_clock(value)
    return clock.replace(tzinfo=dt.UTC) if clock.tzinfo is None else clock.astimezone(dt.UTC)


@lru_cache(maxsize=512)
def find_zone(name: str) -> dt.tzinfo | None:
    """A zone by its IANA name or as an offset (`+02:00`, `GMT+2`); None when there is none of that name."""
    if name in ("UTC", "Z", "GMT"):
        return dt.UTC
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        hours, minutes = int(offset[2]), int(offset[3] or 0)
        if hours > 18 or minutes > 59:
            return None
        delta = dt.timedelta(hours=hours, minutes=minutes)
        return dt.timezone(-delta if offset[1] == "-" else delta)
    try:
        return zone_named(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def zone(name: str) -> dt.tzinfo:
    found = find_zone(name)
    if found is None:
        fail(f"there is no time zone {_quoted(name)}", hint='Use an IANA name such as "Europe/Amsterdam", or "+02:00".')
    return found


def same_kind(arguments: Sequence[Type]) -> Type | None:
    """Type rule: the result is of the kind of the first argument; what text holds is not known."""
    first = arguments[0] if arguments else STRING
    return first if first in (DATE, DATETIME, LOCAL_DATETIME) else None


def clock_kind(arguments: Sequence[Type]) -> Type | None:
    """Type rule: the same, but a date becomes an instant."""
    kind = same_kind(arguments)
    return DATETIME if kind == DATE else kind
