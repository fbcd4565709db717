"""Dates against dateutil, zoneinfo and Babel, and at their edges."""

from __future__ import annotations

import datetime as dt
import sys
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from babel.dates import format_date, format_datetime
from dateutil.relativedelta import relativedelta
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.errors import RolltopError
from rolltop.transform.stdlib import Host, find, installed
from rolltop.transform.values import Node

DAYS = st.dates(dt.date(1600, 1, 1), dt.date(2400, 1, 1))
MOMENTS = st.datetimes(dt.datetime(1600, 1, 1), dt.datetime(2400, 1, 1), timezones=st.just(dt.UTC))
QUICK = settings(max_examples=25, deadline=None)


def call(name: str, *arguments: Any) -> Any:
    declared = find(name)
    assert declared is not None
    return declared.call(*arguments)


def refusal(name: str, *arguments: Any) -> str:
    with pytest.raises(RolltopError) as caught:
        call(name, *arguments)
    return caught.value.message


@QUICK
@given(DAYS, st.integers(-2000, 2000))
def test_months_years_and_quarters_are_added_as_dateutil_adds_them(day: dt.date, n: int) -> None:
    assert call("addMonths", day, n) == day + relativedelta(months=n)
    assert call("addYears", day, n // 12) == day + relativedelta(years=n // 12)
    assert call("addQuarters", day, n // 3) == day + relativedelta(months=3 * (n // 3))


@QUICK
@given(MOMENTS, st.integers(-100_000, 100_000))
def test_hours_are_elapsed_time(moment: dt.datetime, n: int) -> None:
    assert call("diffHours", moment, call("addHours", moment, n)) == n


def test_an_hour_is_an_hour_when_clocks_change() -> None:
    before = dt.datetime(2024, 3, 31, 1, 30, tzinfo=ZoneInfo("Europe/Amsterdam"))
    after = call("addHours", before, 1)
    assert (after.hour, after.utcoffset()) == (3, dt.timedelta(hours=2))


def test_clocks_that_go_back_do_not_turn_time_around() -> None:
    first = call("fromUTC", "2024-10-27T00:30:00Z", "Europe/Amsterdam")
    second = call("fromUTC", "2024-10-27T01:15:00Z", "Europe/Amsterdam")
    assert (first.hour, second.hour) == (2, 2)
    assert call("isBefore", first, second) is True
    assert call("diffMinutes", first, second) == 45


@QUICK
@given(DAYS, DAYS)
def test_days_between_are_those_of_python(a: dt.date, b: dt.date) -> None:
    assert call("diffDays", a, b) == (b - a).days
    assert call("compareDates", a, b) == (a > b) - (a < b)
    assert call("isBefore", a, b) == (a < b)


@QUICK
@given(MOMENTS, MOMENTS)
def test_whole_units_are_cut_toward_zero(a: dt.datetime, b: dt.datetime) -> None:
    assert call("diffSeconds", a, b) == int((b - a) / dt.timedelta(seconds=1))
    assert call("diffDays", a, b) == -call("diffDays", b, a)


@QUICK
@given(DAYS)
def test_fields_are_those_of_the_calendar(day: dt.date) -> None:
    assert call("weekOfYear", day) == day.isocalendar().week
    assert call("dayOfYear", day) == day.timetuple().tm_yday
    assert call("dayOfWeekName", day) == day.strftime("%A")
    assert call("monthName", day) == day.strftime("%B")
    assert call("isWeekend", day) is not call("isWeekday", day)


@QUICK
@given(DAYS)
def test_periods_begin_before_and_end_after(day: dt.date) -> None:
    for period in ("Day", "Week", "Month", "Quarter", "Year"):
        start, end = call(f"startOf{period}", day), call(f"endOf{period}", day)
        assert start.date() <= day <= end.date()
        assert call(f"startOf{period}", end) == start
        assert call(f"endOf{period}", start) == end


PATTERNS = [
    "yyyy-MM-dd",
    "dd.MM.yy",
    "d MMM yyyy",
    "EEEE, MMMM d, yyyy",
    "HH:mm:ss",
    "h:mm a",
    "D",
    "QQQ yyyy",
    "yyyyMMdd",
]


@pytest.mark.parametrize("pattern", [*PATTERNS, "EEE d.M.yyyy HH:mm:ss", "'at' HH 'o''clock'", "K:mm a", "kk"])
@QUICK
@given(MOMENTS)
def test_patterns_print_as_babel_prints_them(pattern: str, moment: dt.datetime) -> None:
    assert call("formatDate", moment, pattern) == format_datetime(moment, pattern, locale="en_US")


@pytest.mark.parametrize("locale", ["de", "fr_FR", "es", "ja", "pt-BR", "ar", "en_GB"])
@pytest.mark.parametrize("style", ["SHORT", "MEDIUM", "LONG", "FULL"])
def test_styles_are_those_of_the_locale(locale: str, style: str) -> None:
    day = dt.date(2024, 5, 31)
    wanted = format_date(day, style.lower(), locale=locale.replace("-", "_"))
    digits = str.maketrans("".join(map(chr, range(0x660, 0x66A))), "0123456789")
    assert call("formatDate", day, style, locale) == wanted.translate(digits)


@pytest.mark.parametrize(
    "pattern",
    ["yyyy-MM-dd'T'HH:mm:ss", "dd/MM/yyyy h:mm:ss a", "EEEE d MMMM yyyy HH:mm:ss", "yyyyMMddHHmmss", "yyyy-D H:m:s"],
)
@QUICK
@given(st.datetimes(dt.datetime(1000, 1, 1), dt.datetime(9999, 1, 1)))
def test_what_was_printed_reads_back(pattern: str, moment: dt.datetime) -> None:
    whole = moment.replace(microsecond=0)
    assert call("parseDate", call("formatDate", whole, pattern), pattern) == whole


@QUICK
@given(MOMENTS)
def test_iso_text_reads_back(moment: dt.datetime) -> None:
    assert call("parseDate", call("formatDate", moment)) == moment
    assert call("parseDate", moment.isoformat()) == moment


def test_without_the_extra_other_languages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "babel", None)
    assert "is not installed" in refusal("formatDate", dt.date(2024, 5, 31), "FULL", "cy")
    assert "is not installed" in refusal("formatCurrency", 5, "EUR", "cy")


def test_names_of_other_languages_are_read() -> None:
    assert call("parseDate", "31. Mai 2024", "d. MMMM yyyy", "de") == dt.date(2024, 5, 31)
    assert call("parseDate", "31 MAY 2024", "dd MMM yyyy") == dt.date(2024, 5, 31)


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("10:30", "HH:mm", dt.time(10, 30)),
        ("2024-05-31 10:30 +02:00", "yyyy-MM-dd HH:mm XXX", dt.datetime(2024, 5, 31, 8, 30, tzinfo=dt.UTC)),
        ("2024-05-31 10:30 Europe/Paris", "yyyy-MM-dd HH:mm VV", dt.datetime(2024, 5, 31, 8, 30, tzinfo=dt.UTC)),
        ("12:05 AM", "h:mm a", dt.time(0, 5)),
        ("2024-05", "yyyy-MM[-dd]", dt.date(2024, 5, 1)),
        ("2024-05-31", "yyyy-MM[-dd]", dt.date(2024, 5, 31)),
        ("00:00:00.123456789", "HH:mm:ss.SSSSSSSSS", dt.time(0, 0, 0, 123456)),
    ],
)
def test_patterns_decide_what_is_read(text: str, pattern: str, expected: object) -> None:
    assert call("parseDate", text, pattern) == expected


@pytest.mark.parametrize(
    "text",
    ["", "today", "2024-13-01", "2023-02-29", "2024-05-31T25:00", "\u0662\u0660\u0662\u0664-05-31", "x" * 100_000],
)
def test_what_is_no_date_is_refused_and_invalid(text: str) -> None:
    assert "is no date" in refusal("parseDate", text)
    assert call("validateDate", text) is False


@pytest.mark.parametrize("pattern", ["yyyy-bb", "yyyy 'x", "y" * 300, "[yyyy", "Q yyyy"])
def test_wrong_patterns_are_named(pattern: str) -> None:
    assert "pattern" in refusal("parseDate", "2024", pattern)


def test_a_day_name_must_fit_the_day() -> None:
    assert "day of the week" in refusal("parseDate", "Mon 31 May 2024", "EEE dd MMM yyyy")


@pytest.mark.parametrize("value", [None, 5, True, [], {}, b"2024"])
def test_other_kinds_are_refused(value: object) -> None:
    assert "year requires a date" in refusal("year", value)


def test_elements_count_as_their_text() -> None:
    assert call("year", Node({"_text": "2024-05-31"}, {"xmlns:x": "urn:x"})) == 2024


def test_dates_do_not_leave_the_calendar() -> None:
    for name in ("addDays", "addMonths", "addYears", "addWeeks", "addHours"):
        assert "out of range" in refusal(name, "9999-12-31", 2**62)


def test_hostile_text_does_not_take_long() -> None:
    assert call("validateDate", "1" * 200, "yMdHmsyMdHmsyMdHms") is False


@QUICK
@given(
    st.datetimes(dt.datetime(1980, 1, 1), dt.datetime(2030, 1, 1)), st.sampled_from(["Asia/Tokyo", "America/New_York"])
)
def test_zones_are_those_of_zoneinfo(moment: dt.datetime, zone: str) -> None:
    wanted = moment.replace(tzinfo=ZoneInfo(zone))
    assert call("toUTC", moment, zone) == wanted
    assert call("toUTC", moment, zone).tzinfo is dt.UTC
    assert call("convertTimezone", moment, zone, "UTC").utcoffset() == dt.timedelta()
    assert call("getTimezoneOffsetSeconds", moment, zone) == wanted.utcoffset().total_seconds()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "name", ["", "Mars/Olympus", "../../etc/passwd", "/etc/passwd", "Europe", "a\0b", "+25:00", "x" * 9999]
)
def test_there_are_no_other_zones(name: str) -> None:
    assert call("isValidTimezone", name) is False
    assert "no time zone" in refusal("toUTC", "2024-01-01", name)


def test_the_clock_is_the_hosts() -> None:
    moment = dt.datetime(2024, 5, 31, 10, 30, 15, tzinfo=dt.UTC)
    with installed(Host.fixed(moment)):
        assert call("now") == moment
        assert call("currentDate") == "2024-05-31"
        assert call("timestamp") == 1717151415000
        assert call("age", "2000-05-31") == 24
        assert call("isToday", "2024-05-31") is True


def test_stop_watches_belong_to_their_host() -> None:
    ticks = iter([1.0, 1.5, 10.0, 10.25])
    with installed(Host(elapsed=lambda: next(ticks))):
        call("timerStart", "a")
        assert call("timerStop", "a") == {"name": "a", "elapsed": 500.0, "unit": "ms"}
        call("timerStart", "a")
        call("timerStop", "a")
        assert call("timerStats", "a")["avg"] == 375.0
    with installed(Host()):
        assert call("timerList") == []
        assert "no timer" in refusal("timerStop", "a")


@pytest.mark.parametrize(
    ("text", "pattern", "valid"),
    [
        ("2024-02-29T10:00:00Z", "yyyy-MM-dd", True),
        ("2023-02-29T10:00:00Z", "yyyy-MM-dd", False),
        ("2024-02-29T10:00", "yyyy-MM-dd'T'HH:mm", True),
        ("29 Oct 2024", "dd MMM yyyy", True),
        ("T", "yyyy", False),
    ],
)
def test_a_pattern_may_describe_the_day_alone(text: str, pattern: str, valid: bool) -> None:
    assert call("validateDate", text, pattern) is valid


@pytest.mark.parametrize(
    ("text", "offset"),
    [("2024-07-01T10:00:00+09:00", "+09:00"), ("2024-07-01T10:00:00-03:30[America/St_Johns]", "-03:30"),
     ("2024-07-01T10:00:00Z", "+00:00"), ("2024-07-01", "+00:00"), (" 2024-07-01T10:00+01:00 ", "+01:00")],
)  # fmt: skip
def test_the_offset_of_a_text_is_the_one_it_is_written_with(text: str, offset: str) -> None:
    assert call("getTimezone", text) == offset
