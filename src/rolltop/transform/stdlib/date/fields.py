"""Fields of a date, and the distance between two dates."""

from __future__ import annotations

import calendar
import datetime as dt

from rolltop.transform.stdlib.date.moments import DAY, MOMENT, as_clock, as_day, instant, moment
from rolltop.transform.stdlib.date.patterns import ENGLISH
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.host import host

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


_PAIR = f"(from: {MOMENT}, to: {MOMENT})"


def _whole(a: dt.date | str, b: dt.date | str, unit: dt.timedelta) -> int:
    """Whole units from a to b, cut toward zero."""
    if type(a) is type(b) is dt.date:
        return (b - a) // unit
    delta = instant(b) - instant(a)
    return delta // unit if delta >= dt.timedelta() else -(-delta // unit)


@function(
    f"diffDays{_PAIR}: Integer",
    category="date",
    examples=[
        ('diffDays("2024-02-28", "2024-03-01")', "2"),
        ('diffDays("2024-03-01T00:00:00Z", "2024-02-29T01:00:00Z")', "0"),
    ],
    aliases=("daysBetween",),
)
def diff_days(a: dt.date | str, b: dt.date | str) -> int:
    """Whole days from one date to another; negative when the second is earlier."""
    if type(a) is type(b) is dt.date:
        return (b - a).days
    return _whole(a, b, DAY)


@function(
    f"diffHours{_PAIR}: Number",
    category="date",
    examples=[('diffHours("2024-05-31T10:00:00Z", "2024-05-31T11:30:00Z")', "1.5")],
)
def diff_hours(a: dt.date | str, b: dt.date | str) -> float:
    """Hours between two points in time, with the minutes as a fraction."""
    return _whole(a, b, dt.timedelta(minutes=1)) / 60


@function(
    f"diffMinutes{_PAIR}: Integer",
    category="date",
    examples=[('diffMinutes("2024-05-31T10:00:00Z", "2024-05-31T10:05:59Z")', "5")],
)
def diff_minutes(a: dt.date | str, b: dt.date | str) -> int:
    """Whole minutes between two points in time."""
    return _whole(a, b, dt.timedelta(minutes=1))


@function(
    f"diffSeconds{_PAIR}: Integer",
    category="date",
    examples=[('diffSeconds("2024-05-31T10:00:00Z", "2024-05-31T09:59:00Z")', "-60")],
)
def diff_seconds(a: dt.date | str, b: dt.date | str) -> int:
    """Whole seconds between two points in time."""
    return _whole(a, b, dt.timedelta(seconds=1))


@function(f"diffWeeks{_PAIR}: Number", category="date", examples=[('diffWeeks("2024-05-01", "2024-05-15")', "2")])
def diff_weeks(a: dt.date | str, b: dt.date | str) -> float:
    """Whole days between two dates, divided by seven."""
    return _whole(a, b, DAY) / 7


@function(
    f"diffMonths{_PAIR}: Number",
    category="date",
    examples=[('diffMonths("2024-01-15", "2024-03-15")', "2"), ('diffMonths("2024-01-01", "2024-01-16")', "0.5")],
)
def diff_months(a: dt.date | str, b: dt.date | str) -> float:
    """Calendar months between two dates; days left over count as thirtieths."""
    start, end = as_day(a), as_day(b)
    return (end.year - start.year) * 12 + end.month - start.month + (end.day - start.day) / 30


@function(
    f"diffYears{_PAIR}: Number",
    category="date",
    examples=[('diffYears("2020-01-01", "2024-07-01")', "4.5")],
)
def diff_years(a: dt.date | str, b: dt.date | str) -> float:
    """Calendar years between two dates; months left over count as twelfths."""
    start, end = as_day(a), as_day(b)
    return end.year - start.year + (end.month - start.month) / 12


@function(
    f"age(birth: {MOMENT}, on?: {MOMENT}): Integer",
    category="date",
    examples=[('age("2000-05-31", "2024-05-30")', "23"), ('age("2000-02-29", "2023-03-01")', "23")],
    params={"on": "The day to count to; today when left out"},
    pure=False,
)
def age(birth: dt.date | str, on: dt.date | str | None = None) -> int:
    """Completed years since a birthday."""
    born = as_day(birth)
    today = as_day(on) if on is not None else host().now().astimezone(dt.UTC).date()
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


@function(
    f"compareDates(a: {MOMENT}, b: {MOMENT}): Integer",
    category="date",
    examples=[('compareDates("2024-05-31", "2024-06-01")', "-1"), ('compareDates("2024-05-31", "2024-05-31")', "0")],
)
def compare_dates(a: dt.date | str, b: dt.date | str) -> int:
    """-1, 0 or 1 as the first date is before, the same as or after the second."""
    left, right = instant(a), instant(b)
    return (left > right) - (left < right)


@function(
    f"isBefore(a: {MOMENT}, b: {MOMENT}): Boolean",
    category="date",
    examples=[('isBefore("2024-05-31", "2024-06-01")', "true")],
)
def is_before(a: dt.date | str, b: dt.date | str) -> bool:
    """Whether the first date is earlier than the second."""
    if type(a) is type(b) is dt.date or (type(a) is type(b) is dt.datetime and a.tzinfo is b.tzinfo is dt.UTC):
        return a < b  # of kinds that Python compares as we do
    return instant(a) < instant(b)


@function(
    f"isAfter(a: {MOMENT}, b: {MOMENT}): Boolean",
    category="date",
    examples=[('isAfter("2024-05-31", "2024-06-01")', "false")],
)
def is_after(a: dt.date | str, b: dt.date | str) -> bool:
    """Whether the first date is later than the second."""
    if type(a) is type(b) is dt.date or (type(a) is type(b) is dt.datetime and a.tzinfo is b.tzinfo is dt.UTC):
        return a > b  # of kinds that Python compares as we do
    return instant(a) > instant(b)


@function(
    f"isSameDay(a: {MOMENT}, b: {MOMENT}): Boolean",
    category="date",
    examples=[('isSameDay("2024-05-31T01:00:00Z", "2024-05-31T23:00:00Z")', "true")],
)
def is_same_day(a: dt.date | str, b: dt.date | str) -> bool:
    """Whether two points in time fall on the same day."""
    return as_day(a) == as_day(b)


@function(
    f"isBetween(d: {MOMENT}, from: {MOMENT}, to: {MOMENT}): Boolean",
    category="date",
    examples=[('isBetween("2024-05-31", "2024-05-01", "2024-05-31")', "true")],
)
def is_between(d: dt.date | str, start: dt.date | str, end: dt.date | str) -> bool:
    """Whether a date lies between two others or is one of them."""
    return instant(start) <= instant(d) <= instant(end)


@function(f"isToday(d: {MOMENT}): Boolean", category="date", examples=[("isToday(now())", "true")], pure=False)
def is_today(d: dt.date | str) -> bool:
    """Whether a date is the current day in UTC."""
    return instant(d).astimezone(dt.UTC).date() == host().now().astimezone(dt.UTC).date()
