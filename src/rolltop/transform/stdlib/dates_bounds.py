"""The first and last moment of the day, week, month, quarter or year that a date lies in.

A date gives points in time in UTC; a value with its own offset stays in it. Last moments are one
microsecond before the next period.
"""

from __future__ import annotations

import calendar
import datetime as dt
from typing import NoReturn

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._moments import DAY, MOMENT, as_clock, clock_kind
from rolltop.transform.stdlib._zoned import on_its_clock
from rolltop.transform.stdlib.declare import function

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
