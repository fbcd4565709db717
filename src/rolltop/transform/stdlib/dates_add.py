"""Moving dates. The kind stays: a date plus a month is a date; hours turn a date into a point in time."""

from __future__ import annotations

import calendar
import datetime as dt

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._moments import KINDS, MOMENT, as_clock, clock_kind, moment, same_kind
from rolltop.transform.stdlib._zoned import InZone, on_its_clock, shown_like
from rolltop.transform.stdlib.declare import function

_CLOCKED = "DateTime | LocalDateTime"


def _plus(start: dt.date, delta: dict[str, int]) -> dt.date:
    try:
        if isinstance(start, dt.datetime) and isinstance(start.tzinfo, InZone):
            return on_its_clock(start, start.replace(tzinfo=None) + dt.timedelta(**delta))
        return start + dt.timedelta(**delta)
    except OverflowError:
        fail("the date is out of range", hint="Years go from 1 to 9999.")


def _plus_clock(d: dt.date | str, **delta: int) -> dt.date:
    """Elapsed time: across a change to summer time an hour is an hour."""
    start = as_clock(d)
    if start.tzinfo is None or start.tzinfo is dt.UTC:
        return _plus(start, delta)
    try:
        return shown_like(start.astimezone(dt.UTC) + dt.timedelta(**delta), start)
    except OverflowError:
        fail("the date is out of range", hint="Years go from 1 to 9999.")


def _plus_months(d: dt.date | str, months: int) -> dt.date:
    start = moment(d)
    years, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    if not 1 <= years <= 9999:
        fail("the date is out of range", hint="Years go from 1 to 9999.")
    last = calendar.monthrange(years, month + 1)[1]
    changes = {"year": years, "month": month + 1, "day": min(start.day, last)}
    if not isinstance(start, dt.datetime) or not isinstance(start.tzinfo, InZone):
        return start.replace(**changes)
    try:
        return on_its_clock(start, start.replace(tzinfo=None, **changes))
    except OverflowError:
        fail("the date is out of range", hint="Years go from 1 to 9999.")


@function(
    f"addDays(d: {MOMENT}, n: Integer): {KINDS}",
    category="date",
    examples=[('addDays(parseDate("2024-02-28"), 2)', 'parseDate("2024-03-01")')],
    infer=same_kind,
)
def add_days(d: dt.date | str, n: int) -> dt.date:
    """The same time of day n days later; earlier when n is negative. A time that clocks skip is after the gap."""
    return _plus(moment(d), {"days": n})


@function(
    f"addHours(d: {MOMENT}, n: Integer): {_CLOCKED}",
    category="date",
    examples=[('addHours(parseDate("2024-05-31T23:30:00Z"), 2)', 'parseDate("2024-06-01T01:30:00Z")')],
    infer=clock_kind,
)
def add_hours(d: dt.date | str, n: int) -> dt.date:
    """n hours later; a date counts as midnight UTC."""
    return _plus_clock(d, hours=n)


@function(
    f"addMinutes(d: {MOMENT}, n: Integer): {_CLOCKED}",
    category="date",
    examples=[('addMinutes(parseDate("2024-05-31T10:00:00Z"), 90)', 'parseDate("2024-05-31T11:30:00Z")')],
    infer=clock_kind,
)
def add_minutes(d: dt.date | str, n: int) -> dt.date:
    """n minutes later; a date counts as midnight UTC."""
    return _plus_clock(d, minutes=n)


@function(
    f"addSeconds(d: {MOMENT}, n: Integer): {_CLOCKED}",
    category="date",
    examples=[('addSeconds(parseDate("2024-05-31"), 1)', 'parseDate("2024-05-31T00:00:01Z")')],
    infer=clock_kind,
)
def add_seconds(d: dt.date | str, n: int) -> dt.date:
    """n seconds later; a date counts as midnight UTC."""
    return _plus_clock(d, seconds=n)


@function(
    f"addWeeks(d: {MOMENT}, n: Integer): {KINDS}",
    category="date",
    examples=[('addWeeks(parseDate("2024-05-31"), -1)', 'parseDate("2024-05-24")')],
    infer=same_kind,
)
def add_weeks(d: dt.date | str, n: int) -> dt.date:
    """n weeks later."""
    return _plus(moment(d), {"weeks": n})


@function(
    f"addMonths(d: {MOMENT}, n: Integer): {KINDS}",
    category="date",
    examples=[('addMonths(parseDate("2024-01-31"), 1)', 'parseDate("2024-02-29")')],
    infer=same_kind,
)
def add_months(d: dt.date | str, n: int) -> dt.date:
    """The same day n months later, or the last day of a month that is shorter."""
    return _plus_months(d, n)


@function(
    f"addQuarters(d: {MOMENT}, n: Integer): {KINDS}",
    category="date",
    examples=[('addQuarters(parseDate("2024-11-30"), 1)', 'parseDate("2025-02-28")')],
    infer=same_kind,
)
def add_quarters(d: dt.date | str, n: int) -> dt.date:
    """The same day n quarters later, or the last day of a month that is shorter."""
    return _plus_months(d, 3 * n)


@function(
    f"addYears(d: {MOMENT}, n: Integer): {KINDS}",
    category="date",
    examples=[('addYears(parseDate("2024-02-29"), 1)', 'parseDate("2025-02-28")')],
    infer=same_kind,
)
def add_years(d: dt.date | str, n: int) -> dt.date:
    """The same day n years later; the 29th of February becomes the 28th in other years."""
    return _plus_months(d, 12 * n)
