"""Dates, times and durations in sheets, which are numbers that a format shows as such."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

__all__ = ["BUILT_IN", "DATE", "DURATION", "iso_duration", "iso_moment", "kind_of_format", "shown_moment"]

DATE, DURATION = "date", "duration"

BUILT_IN = dict.fromkeys((*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)), DATE) | {46: DURATION}
"""What the formats show that have only a number."""

_NOT_SHOWN = re.compile(r'"[^"]*"?|\\.|_.|\*.')
"""Words as they are, a character as it is, a gap as wide as a character, a character that fills the cell."""
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]")
_BRACKETS = re.compile(r"\[[^\]]*\]|general", re.IGNORECASE)
_LETTER = re.compile("[ymdhse]")
_POWER = re.compile(r"[0#?]e[+-]")
"""A number such as 1E+05; elsewhere, an `e` is a year."""

_ISO_DURATION = re.compile(
    r"(-?)P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:[.,]\d{1,20})?)S)?)?", re.ASCII
)

_LEAP_DAY = 60
"""The number of 29 February 1900, a day that never was, but is counted."""


def kind_of_format(code: str) -> str:
    """`DATE`, `DURATION`, or nothing for a format of numbers."""
    first = _NOT_SHOWN.sub("", code.lower()).partition(";")[0]
    if _ELAPSED.search(first):
        return DURATION
    return DATE if _LETTER.search(_POWER.sub("", _BRACKETS.sub("", first))) else ""


def shown_moment(value: str, kind: str, *, since_1904: bool) -> str:
    """A number of days as the date, the time of day or the duration it stands for; what is none stays a number."""
    try:
        seconds = round(float(value) * 86400)
        if kind == DURATION:
            return _duration(seconds)
        days, time = divmod(seconds, 86400)
        if days < 0:
            return value
        clock = _duration(time)
        if days == 0:
            return clock
        day = _day(days, since_1904=since_1904)
    except (ValueError, OverflowError):
        return value
    return f"{day} {clock}" if time else day


def iso_moment(value: str) -> str:
    """A date, with a time or without, that is written as `2024-03-05T13:45:00.000`; what is none stays as it is."""
    try:
        moment = datetime.fromisoformat(value) + timedelta(microseconds=500_000)
    except (ValueError, OverflowError):
        return value
    day, clock = moment.date().isoformat(), moment.time().isoformat("seconds")
    return day if clock == "00:00:00" else f"{day} {clock}"


def iso_duration(value: str) -> str:
    """A duration or a time of day that is written as `PT13H45M00S`; what is none stays as it is."""
    match = _ISO_DURATION.fullmatch(value)
    if not match or value.endswith(("P", "T")):
        return value
    days, hours, minutes = (int(match[part] or 0) for part in (2, 3, 4))
    seconds = round(float((match[5] or "0").replace(",", ".")))
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return _duration(-total if match[1] else total)


def _duration(seconds: int) -> str:
    minutes, second = divmod(abs(seconds), 60)
    hour, minute = divmod(minutes, 60)
    return f"{'-' if seconds < 0 else ''}{hour:02}:{minute:02}:{second:02}"


def _day(days: int, *, since_1904: bool) -> str:
    if since_1904:
        begin = datetime(1904, 1, 1)
    elif days == _LEAP_DAY:
        return "1900-02-29"
    else:
        begin = datetime(1899, 12, 30 if days > _LEAP_DAY else 31)
    return (begin + timedelta(days=days)).date().isoformat()
