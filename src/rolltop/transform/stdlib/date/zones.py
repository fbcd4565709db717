"""Time zones: the same moment on another clock, and clocks without a zone put into one."""

from __future__ import annotations

import datetime as dt

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.date.moments import MOMENT, as_written, find_zone, moment, zone
from rolltop.transform.stdlib.date.patterns import formatter
from rolltop.transform.stdlib.date.zoned import placed, shown_in
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.host import host
from rolltop.transform.values import iso_text

_ZONE = {"zone": "An IANA name such as Europe/Amsterdam, or an offset such as +02:00"}


def _placed(d: dt.date | str, where: dt.tzinfo) -> dt.datetime:
    """A point in time: local values are clock readings in the zone, others know theirs."""
    read = moment(d)
    if isinstance(read, dt.datetime) and read.tzinfo is not None:
        return read
    local = read if isinstance(read, dt.datetime) else dt.datetime(read.year, read.month, read.day)
    try:
        return placed(local, where)
    except OverflowError:
        fail("the date is out of range", hint="Years go from 1 to 9999.")


def _shown(point: dt.datetime, where: dt.tzinfo) -> dt.datetime:
    try:
        return shown_in(point, where)
    except OverflowError:
        fail("the date is out of range", hint="Years go from 1 to 9999.")


def _offset(d: dt.date | str, name: str) -> int:
    where = zone(name)
    delta = _shown(_placed(d, where), where).utcoffset()
    return int(delta.total_seconds()) if delta is not None else 0


@function(
    f"convertTimezone(d: {MOMENT}, from: String, to: String): DateTime",
    category="date",
    examples=[
        (
            'formatDate(convertTimezone("2024-07-01T12:00", "Europe/Amsterdam", "America/New_York"), "HH:mm")',
            '"06:00"',
        ),
        ('convertTimezone("2024-01-01T12:00", "UTC", "Asia/Tokyo")', 'parseDate("2024-01-01T12:00:00Z")'),
    ],
    params={"from": "Zone of a value that has none of its own", "to": "Zone of the result"},
)
def convert_timezone(d: dt.date | str, source: str, target: str) -> dt.datetime:
    """The same moment as the clocks of another zone show it.

    A date or local date-time is a clock reading in `from`; a value with an offset keeps its moment.
    """
    return _shown(_placed(d, zone(source)), zone(target))


@function(
    f"toUTC(d: {MOMENT}, zone: String): DateTime",
    category="date",
    examples=[('toUTC("2024-07-01T12:00", "Europe/Amsterdam")', 'parseDate("2024-07-01T10:00:00Z")')],
    params=_ZONE,
)
def to_utc(d: dt.date | str, name: str) -> dt.datetime:
    """A clock reading in a zone as a point in time in UTC."""
    return _shown(_placed(d, zone(name)), dt.UTC)


@function(
    f"fromUTC(d: {MOMENT}, zone: String): DateTime",
    category="date",
    examples=[('toString(fromUTC("2024-07-01T10:00:00Z", "Europe/Amsterdam"))', '"2024-07-01T12:00:00+02:00"')],
    params=_ZONE,
)
def from_utc(d: dt.date | str, name: str) -> dt.datetime:
    """A point in time as the clocks of a zone show it; local values are UTC."""
    return _shown(_placed(d, dt.UTC), zone(name))


@function(
    f"parseDateTimeWithTimezone(text: {MOMENT}, zone: String): DateTime",
    category="date",
    examples=[
        ('parseDateTimeWithTimezone("2024-01-15T09:00:00", "America/New_York")', 'parseDate("2024-01-15T14:00:00Z")')
    ],
    params=_ZONE,
)
def parse_date_time_with_timezone(text: dt.date | str, name: str) -> dt.datetime:
    """Reads ISO text as a clock reading in a zone; the result is the point in time, in UTC."""
    return to_utc(text, name)


@function(
    f"formatDateTimeInTimezone(d: {MOMENT}, zone: String, pattern?: String): String",
    category="date",
    examples=[
        ('formatDateTimeInTimezone("2024-01-15T14:00:00Z", "America/New_York")', '"2024-01-15T09:00"'),
        (
            'formatDateTimeInTimezone("2024-01-15T14:00:00Z", "Asia/Tokyo", "yyyy-MM-dd HH:mm XXX")',
            '"2024-01-15 23:00 +09:00"',
        ),
    ],
    params={**_ZONE, "pattern": "Letters as in Java; the local ISO form when left out"},
)
def format_date_time_in_timezone(d: dt.date | str, name: str, pattern: str = "") -> str:
    """Prints a point in time as the clocks of a zone show it."""
    local = from_utc(d, name)
    return formatter(pattern)(local) if pattern else iso_text(local.replace(tzinfo=None))


@function(
    f"getTimezoneOffsetSeconds(d: {MOMENT}, zone: String): Integer",
    category="date",
    examples=[('getTimezoneOffsetSeconds("2024-07-01T00:00:00Z", "Europe/Amsterdam")', "7200")],
    params=_ZONE,
)
def get_timezone_offset_seconds(d: dt.date | str, name: str) -> int:
    """Seconds by which a zone was ahead of UTC at a date."""
    return _offset(d, name)


@function(
    f"getTimezoneOffsetHours(d: {MOMENT}, zone: String): Number",
    category="date",
    examples=[('getTimezoneOffsetHours("2024-07-01T00:00:00Z", "Asia/Kolkata")', "5.5")],
    params=_ZONE,
)
def get_timezone_offset_hours(d: dt.date | str, name: str) -> float:
    """Hours by which a zone was ahead of UTC at a date."""
    return _offset(d, name) / 3600


@function(
    f"getTimezone(d: {MOMENT}): String",
    category="date",
    examples=[
        ('getTimezone(fromUTC("2024-07-01T10:00:00Z", "Asia/Tokyo"))', '"+09:00"'),
        ('getTimezone("2024-07-01T10:00:00+09:00")', '"+09:00"'),
    ],
    pure=False,
)
def get_timezone(d: dt.date | str) -> str:
    """The offset of a value as +hh:mm; of the machine's zone when the value has none."""
    read = as_written(d)
    if not isinstance(read, dt.datetime):
        read = dt.datetime(read.year, read.month, read.day)
    return formatter("xxx")(read if read.tzinfo is not None else read.replace(tzinfo=host().local_zone))


@function("getTimezoneName(): String", category="date", examples=[("isString(getTimezoneName())", "true")], pure=False)
def get_timezone_name() -> str:
    """The name of the machine's zone."""
    return str(host().local_zone)


@function(
    "isValidTimezone(zone: String): Boolean",
    category="date",
    examples=[('isValidTimezone("Europe/Amsterdam")', "true"), ('isValidTimezone("Europe/Atlantis")', "false")],
)
def is_valid_timezone(name: str) -> bool:
    """Whether there is a zone of that name."""
    return find_zone(name) is not None
