"""The parts of a date: year, month, day, clock, and what follows from them."""

from __future__ import annotations

import calendar
import datetime as dt

from rolltop.transform.stdlib._date_names import ENGLISH
from rolltop.transform.stdlib._moments import MOMENT, as_clock, moment
from rolltop.transform.stdlib.declare import function

_D = f"(d: {MOMENT})"


@function(f"year{_D}: Integer", category="date", examples=[('year("2024-05-31")', "2024")])
def year(d: dt.date | str) -> int:
    """The year."""
    return d.year if type(d) is dt.date else moment(d).year


@function(f"month{_D}: Integer", category="date", examples=[('month("2024-05-31")', "5")])
def month(d: dt.date | str) -> int:
    """The month, 1 to 12."""
    return d.month if type(d) is dt.date else moment(d).month


@function(f"day{_D}: Integer", category="date", examples=[('day("2024-05-31")', "31")], aliases=("dayOfMonth",))
def day(d: dt.date | str) -> int:
    """The day of the month, 1 to 31."""
    return d.day if type(d) is dt.date else moment(d).day


@function(f"hours{_D}: Integer", category="date", examples=[('hours("2024-05-31T10:30:15Z")', "10")])
def hours(d: dt.date | str) -> int:
    """The hour, 0 to 23; 0 for a date."""
    return as_clock(d).hour


@function(f"minutes{_D}: Integer", category="date", examples=[('minutes("2024-05-31T10:30:15Z")', "30")])
def minutes(d: dt.date | str) -> int:
    """The minute, 0 to 59; 0 for a date."""
    return as_clock(d).minute


@function(f"seconds{_D}: Integer", category="date", examples=[('seconds("2024-05-31T10:30:15Z")', "15")])
def seconds(d: dt.date | str) -> int:
    """The second, 0 to 59; 0 for a date."""
    return as_clock(d).second


@function(f"quarter{_D}: Integer", category="date", examples=[('quarter("2024-05-31")', "2")])
def quarter(d: dt.date | str) -> int:
    """The quarter of the year, 1 to 4."""
    return (moment(d).month + 2) // 3


@function(f"dayOfWeek{_D}: Integer", category="date", examples=[('dayOfWeek("2024-05-31")', "5")])
def day_of_week(d: dt.date | str) -> int:
    """The day of the week; Monday is 1, Sunday 7."""
    return moment(d).isoweekday()


@function(f"dayOfWeekName{_D}: String", category="date", examples=[('dayOfWeekName("2024-05-31")', '"Friday"')])
def day_of_week_name(d: dt.date | str) -> str:
    """The English name of the day of the week."""
    return ENGLISH.days[moment(d).weekday()]


@function(f"monthName{_D}: String", category="date", examples=[('monthName("2024-05-31")', '"May"')])
def month_name(d: dt.date | str) -> str:
    """The English name of the month."""
    return ENGLISH.months[moment(d).month - 1]


@function(f"dayOfYear{_D}: Integer", category="date", examples=[('dayOfYear("2024-12-31")', "366")])
def day_of_year(d: dt.date | str) -> int:
    """The day of the year, 1 to 366."""
    return moment(d).timetuple().tm_yday


@function(f"daysInMonth{_D}: Integer", category="date", examples=[('daysInMonth("2024-02-01")', "29")])
def days_in_month(d: dt.date | str) -> int:
    """How many days the month of a date has."""
    read = moment(d)
    return calendar.monthrange(read.year, read.month)[1]


@function(f"daysInYear{_D}: Integer", category="date", examples=[('daysInYear("2023-02-01")', "365")])
def days_in_year(d: dt.date | str) -> int:
    """How many days the year of a date has."""
    return 365 + calendar.isleap(moment(d).year)


@function(
    f"weekOfYear{_D}: Integer",
    category="date",
    examples=[('weekOfYear("2024-01-01")', "1"), ('weekOfYear("2023-01-01")', "52")],
)
def week_of_year(d: dt.date | str) -> int:
    """The ISO 8601 week: weeks start on Monday, week 1 holds the first Thursday of the year."""
    return moment(d).isocalendar().week


@function(f"isLeapYear{_D}: Boolean", category="date", examples=[('isLeapYear("2024-05-31")', "true")])
def is_leap_year(d: dt.date | str) -> bool:
    """Whether the year of a date has a 29th of February."""
    return calendar.isleap(moment(d).year)


@function(f"isWeekend{_D}: Boolean", category="date", examples=[('isWeekend("2024-06-01")', "true")])
def is_weekend(d: dt.date | str) -> bool:
    """Whether a date is a Saturday or a Sunday."""
    return moment(d).weekday() >= 5


@function(f"isWeekday{_D}: Boolean", category="date", examples=[('isWeekday("2024-06-01")', "false")])
def is_weekday(d: dt.date | str) -> bool:
    """Whether a date is a day from Monday to Friday."""
    return moment(d).weekday() < 5
