"""Points in time as people and agents write them: `7d`, `2026-11-15`, `2026-11-15T10:00:00Z`, seconds, `yesterday`."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta

from rolltop.errors import InvalidInput

__all__ = ["format_time", "now", "parse_time", "time_ahead"]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "mo": 2_592_000, "y": 31_536_000}
_RELATIVE = re.compile(r"(\d+(?:\.\d+)?)\s*(mo|[smhdwy])[a-z]*(?:\s+ago)?", re.IGNORECASE)
_SECOND = 1_000_000_000
_MOST = (1 << 63) - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_SECOND = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(seconds=1)
_DAYS = {"today": 0, "yesterday": 1}


def now() -> int:
    return time.time_ns()


def parse_time(text: str | int | float, *, at: int | None = None) -> int:
    """Nanoseconds since 1970. A length of time such as `7d` is that long ago.

    What is before or after all times that the store can keep is the first or the last of them.
    """
    moment = now() if at is None else at
    if isinstance(text, (int, float)):
        return _of_seconds(text)
    text = text.strip()
    if match := _RELATIVE.fullmatch(text):
        past = min(float(match[1]) * _UNITS[match[2].lower()], _LAST_SECOND)
        return _kept(moment - int(past * _SECOND))
    if text.lower() == "now":
        return moment
    if text.lower() in _DAYS:
        return _start_of_day(moment, _DAYS[text.lower()])
    return _absolute(text)


def time_ahead(value: object, *, at: int) -> int:
    """Nanoseconds since 1970 of a moment to come. A length of time such as `7d` is counted from `at`."""
    if not isinstance(value, str):
        raise InvalidInput(f"{str(value)[:40]} is not understood as a time to come", hint="Write 2h, 7d or 2026-12-31.")
    if match := _RELATIVE.fullmatch(value.strip()):
        length = min(float(match[1]) * _UNITS[match[2].lower()], _LAST_SECOND)
        return min(at + int(length * _SECOND), _LAST_SECOND * _SECOND, _MOST)
    return parse_time(value, at=at)


def _start_of_day(moment: int, days_before: int) -> int:
    day = datetime.fromtimestamp(moment / 1e9, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return int((day - timedelta(days=days_before)).timestamp() * 1_000_000_000)


def _absolute(text: str) -> int:
    if re.fullmatch(r"\d{9,}(\.\d+)?", text):
        return _of_seconds(float(text))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"{text[:40]!r} is not understood as a time",
            hint="Write 7d, 12h, yesterday, 2026-11-15 or 2026-11-15T10:00:00Z.",
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    whole = (moment.replace(microsecond=0) - _EPOCH) // timedelta(seconds=1)
    return _kept(whole * _SECOND + moment.microsecond * 1000)


def _of_seconds(seconds: float) -> int:
    if not -_LAST_SECOND <= seconds <= _LAST_SECOND:  # nor is it where it is no number
        raise InvalidInput(
            f"{str(seconds)[:40]} is no time: seconds since 1970 up to the year 9999 are",
            hint="Divide milliseconds by 1000, or write a date, as in 2026-11-15.",
        )
    return _kept(int(seconds * _SECOND))


def _kept(moment: int) -> int:
    """The moment, or the first or last that fits into the catalogue."""
    return max(-_MOST, min(moment, _MOST))


def format_time(moment: int) -> str:
    """ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(moment // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
