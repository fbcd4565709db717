"""The first and last moment of the day, week, month, quarter or year that a date lies in.

A date gives points in time in UTC; a value with its own offset stays in it. Last moments are one
microsecond before the next period.
"""

from __future__ import annotations

import calendar
import datetime as dt

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._moments import DAY, MOMENT, as_clock, clock_kind
from rolltop.transform.stdlib.declare import function

_CALL = f"(d: {MOMENT}): DateTime | LocalDateTime"


def _first(clock: dt.datetime) -> dt.datetime:
    return clock.replace(hour=0, minute=0, second=0, microsecond=0)


def _last(clock: dt.datetime) -> dt.datetime:
    return clock.replace(hour=23, minute=59, second=59, microsecond=999999)


def _days_later(clock: dt.datetime, days: int) -> dt.datetime:
    try:
        return clock + days * DAY
    except OverflowError:
        fail("the date is out of range", hint="Years go from 1 to 9999.")


@function(
    f"startOfDay{_CALL}",
    category="date",
    examples=[('startOfDay("2024-05-31T10:30:00Z")', 'parseDate("2024-05-31T00:00:00Z")')],
    infer=clock_kind,
)
def start_of_day(d: dt.date | str) -> dt.datetime:
    """Midnight at the start of the day."""
    return _first(as_clock(d))


@function(
    f"startOfWeek{_CALL}",
    category="date",
    examples=[('startOfWeek("2024-05-31")', 'parseDate("2024-05-27T00:00:00Z")')],
    infer=clock_kind,
)
def start_of_week(d: dt.date | str) -> dt.datetime:
    """Midnight at the start of the Monday of the week."""
    clock = as_clock(d)
    return _first(_days_later(clock, -clock.weekday()))


@function(
    f"startOfMonth{_CALL}",
    category="date",
    examples=[('startOfMonth("2024-05-31")', 'parseDate("2024-05-01T00:00:00Z")')],
    infer=clock_kind,
)
def start_of_month(d: dt.date | str) -> dt.datetime:
    """Midnight at the start of the first of the month."""
    return _first(as_clock(d).replace(day=1))


@function(
    f"startOfQuarter{_CALL}",
    category="date",
    examples=[('startOfQuarter("2024-05-31")', 'parseDate("2024-04-01T00:00:00Z")')],
    infer=clock_kind,
)
def start_of_quarter(d: dt.date | str) -> dt.datetime:
    """Midnight at the start of the first day of the quarter."""
    clock = as_clock(d)
    return _first(clock.replace(month=(clock.month - 1) // 3 * 3 + 1, day=1))


@function(
    f"startOfYear{_CALL}",
    category="date",
    examples=[('startOfYear("2024-05-31")', 'parseDate("2024-01-01T00:00:00Z")')],
    infer=clock_kind,
)
def start_of_year(d: dt.date | str) -> dt.datetime:
    """Midnight at the start of the first of January."""
    return _first(as_clock(d).replace(month=1, day=1))


@function(
    f"endOfDay{_CALL}",
    category="date",
    examples=[('endOfDay("2024-05-31")', 'parseDate("2024-05-31T23:59:59.999999Z")')],
    infer=clock_kind,
)
def end_of_day(d: dt.date | str) -> dt.datetime:
    """The last moment of the day."""
    return _last(as_clock(d))


@function(
    f"endOfWeek{_CALL}",
    category="date",
    examples=[('endOfWeek("2024-05-31")', 'parseDate("2024-06-02T23:59:59.999999Z")')],
    infer=clock_kind,
)
def end_of_week(d: dt.date | str) -> dt.datetime:
    """The last moment of the Sunday of the week."""
    clock = as_clock(d)
    return _last(_days_later(clock, 6 - clock.weekday()))


@function(
    f"endOfMonth{_CALL}",
    category="date",
    examples=[('endOfMonth("2024-02-10")', 'parseDate("2024-02-29T23:59:59.999999Z")')],
    infer=clock_kind,
)
def end_of_month(d: dt.date | str) -> dt.datetime:
    """The last moment of the month."""
    clock = as_clock(d)
    return _last(clock.replace(day=calendar.monthrange(clock.year, clock.month)[1]))


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
    return _last(clock.replace(month=month, day=calendar.monthrange(clock.year, month)[1]))


@function(
    f"endOfYear{_CALL}",
    category="date",
    examples=[('endOfYear("2024-05-10")', 'parseDate("2024-12-31T23:59:59.999999Z")')],
    infer=clock_kind,
)
def end_of_year(d: dt.date | str) -> dt.datetime:
    """The last moment of the year."""
    return _last(as_clock(d).replace(month=12, day=31))
