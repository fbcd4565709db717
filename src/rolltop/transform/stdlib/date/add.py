"""Date arithmetic: add and subtract, and the bounds of days, weeks, months, quarters and years."""

from __future__ import annotations

import calendar
import datetime as dt
from typing import NoReturn

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.date.moments import DAY, KINDS, MOMENT, as_clock, clock_kind, moment, same_kind
from rolltop.transform.stdlib.date.zoned import InZone, on_its_clock, shown_like
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


_CALL = f"(d: {MOMENT}): DateTime | LocalDateTime"


_MIDNIGHT, _LAST = dt.time(), dt.time(23, 59, 59, 999999)


def _first(clock: dt.datetime, day: dt.date) -> dt.datetime:
    """Where clocks come to midnight twice the first time, where they skip it the moment after."""
    return _settled(clock, day, _MIDNIGHT, later=False)


def _last(clock: dt.datetime, day: dt.date) -> dt.datetime:
    return _settled(clock, day, _LAST, later=True)


def _settled(clock: dt.datetime, day: dt.date, time: dt.time, *, later: bool) -> dt.datetime:
    try:
        return on_its_clock(clock, dt.datetime.combine(day, time), later=later)
    except OverflowError:
        _out_of_range()


def _days_later(clock: dt.datetime, days: int) -> dt.date:
    try:
        return clock.date() + days * DAY
    except OverflowError:
        _out_of_range()


def _out_of_range() -> NoReturn:
    fail("the date is out of range", hint="Years go from 1 to 9999.")


@function(
    f"startOfDay{_CALL}",
    category="date",
    examples=[('startOfDay("2024-05-31T10:30:00Z")', 'parseDate("2024-05-31T00:00:00Z")')],
    infer=clock_kind,
)
def start_of_day(d: dt.date | str) -> dt.datetime:
    """Midnight at the start of the day."""
    clock = as_clock(d)
    return _first(clock, clock.date())


@function(
    f"startOfWeek{_CALL}",
    category="date",
    examples=[('startOfWeek("2024-05-31")', 'parseDate("2024-05-27T00:00:00Z")')],
    infer=clock_kind,
)
def start_of_week(d: dt.date | str) -> dt.datetime:
    """Midnight at the start of the Monday of the week."""
    clock = as_clock(d)
    return _first(clock, _days_later(clock, -clock.weekday()))


@function(
    f"startOfMonth{_CALL}",
    category="date",
    examples=[('startOfMonth("2024-05-31")', 'parseDate("2024-05-01T00:00:00Z")')],
    infer=clock_kind,
)
def start_of_month(d: dt.date | str) -> dt.datetime:
    """Midnight at the start of the first of the month."""
    clock = as_clock(d)
    return _first(clock, clock.date().replace(day=1))


@function(
    f"startOfQuarter{_CALL}",
    category="date",
    examples=[('startOfQuarter("2024-05-31")', 'parseDate("2024-04-01T00:00:00Z")')],
    infer=clock_kind,
)
def start_of_quarter(d: dt.date | str) -> dt.datetime:
    """Midnight at the start of the first day of the quarter."""
    clock = as_clock(d)
    return _first(clock, clock.date().replace(month=(clock.month - 1) // 3 * 3 + 1, day=1))


@function(
    f"startOfYear{_CALL}",
    category="date",
    examples=[('startOfYear("2024-05-31")', 'parseDate("2024-01-01T00:00:00Z")')],
    infer=clock_kind,
)
def start_of_year(d: dt.date | str) -> dt.datetime:
    """Midnight at the start of the first of January."""
    clock = as_clock(d)
    return _first(clock, clock.date().replace(month=1, day=1))


@function(
    f"endOfDay{_CALL}",
    category="date",
    examples=[('endOfDay("2024-05-31")', 'parseDate("2024-05-31T23:59:59.999999Z")')],
    infer=clock_kind,
)
def end_of_day(d: dt.date | str) -> dt.datetime:
    """The last moment of the day."""
    clock = as_clock(d)
    return _last(clock, clock.date())


@function(
    f"endOfWeek{_CALL}",
    category="date",
    examples=[('endOfWeek("2024-05-31")', 'parseDate("2024-06-02T23:59:59.999999Z")')],
    infer=clock_kind,
)
def end_of_week(d: dt.date | str) -> dt.datetime:
    """The last moment of the Sunday of the week."""
    clock = as_clock(d)
    return _last(clock, _days_later(clock, 6 - clock.weekday()))


@function(
    f"endOfMonth{_CALL}",
    category="date",
    examples=[('endOfMonth("2024-02-10")', 'parseDate("2024-02-29T23:59:59.999999Z")')],
    infer=clock_kind,
)
def end_of_month(d: dt.date | str) -> dt.datetime:
    """The last moment of the month."""
    clock = as_clock(d)
    return _last(clock, clock.date().replace(day=calendar.monthrange(clock.year, clock.month)[1]))


@function(
    f"endOfQuarter{_CALL}",
    category="date",
    examples=[('endOfQuarter("2024-05-10")', 'parseDate("2024-06-30T23:59:59.999999Z")')],
    infer=clock_kind,
)
def end_of_quarter(d: dt.date | str) -> dt.datetime:
    """The last moment of the quarter."""
    clock = as_clock(d)
    month = (clock.month - 1) // 3 * 3 + 3
    return _last(clock, clock.date().replace(month=month, day=calendar.monthrange(clock.year, month)[1]))


@function(
    f"endOfYear{_CALL}",
    category="date",
    examples=[('endOfYear("2024-05-10")', 'parseDate("2024-12-31T23:59:59.999999Z")')],
    infer=clock_kind,
)
def end_of_year(d: dt.date | str) -> dt.datetime:
    """The last moment of the year."""
    clock = as_clock(d)
    return _last(clock, clock.date().replace(month=12, day=31))
