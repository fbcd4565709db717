"""Date patterns as Java's DateTimeFormatter writes them, and the names of days and months."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from rolltop.transform.errors import fail

__all__ = ["CLOCK_LETTERS", "ENGLISH", "STYLES", "Names", "Piece", "formatter", "names_of", "scan"]

STYLES = ("SHORT", "MEDIUM", "LONG", "FULL")


@dataclass(frozen=True, slots=True)
class Names:
    """January and Monday come first; styles are patterns by SHORT, MEDIUM, LONG, FULL."""

    months: tuple[str, ...]
    short_months: tuple[str, ...]
    days: tuple[str, ...]
    short_days: tuple[str, ...]
    halves: tuple[str, str]
    eras: tuple[str, str]
    quarters: tuple[str, ...]
    styles: tuple[tuple[str, str], ...]

    def style(self, name: str) -> str:
        return dict(self.styles)[name]


_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

ENGLISH = Names(
    months=_MONTHS,
    short_months=tuple(name[:3] for name in _MONTHS),
    days=_DAYS,
    short_days=tuple(name[:3] for name in _DAYS),
    halves=("AM", "PM"),
    eras=("BC", "AD"),
    quarters=("1st quarter", "2nd quarter", "3rd quarter", "4th quarter"),
    styles=(("SHORT", "M/d/yy"), ("MEDIUM", "MMM d, y"), ("LONG", "MMMM d, y"), ("FULL", "EEEE, MMMM d, y")),
)


@lru_cache(maxsize=64)
def names_of(locale: str) -> Names:
    """The names of a locale such as `de`, `pt-BR` or `en_US`."""
    tag = locale.strip().replace("-", "_")
    if tag in ("", "en", "en_US"):
        return ENGLISH
    try:
        from babel import Locale, UnknownLocaleError  # noqa: PLC0415 - an extra
    except ImportError:
        from rolltop.base.installation import add_extra  # noqa: PLC0415 - only a failure needs it

        fail(f"the locale {tag!r} is not installed", hint=f"Install the extra: {add_extra('locales')}")
    try:
        found = Locale.parse(tag)
    except (ValueError, UnknownLocaleError):
        fail(f"there is no locale {tag[:40]!r}", hint="Use a language and a country, such as de_DE.")
    months, days = found.months["format"], found.days["format"]
    halves = found.day_periods["format"]["abbreviated"]
    return Names(
        months=tuple(months["wide"][at] for at in range(1, 13)),
        short_months=tuple(months["abbreviated"][at] for at in range(1, 13)),
        days=tuple(days["wide"][at] for at in range(7)),
        short_days=tuple(days["abbreviated"][at] for at in range(7)),
        halves=(halves.get("am", "AM"), halves.get("pm", "PM")),
        eras=(found.eras["abbreviated"][0], found.eras["abbreviated"][1]),
        quarters=tuple(found.quarters["format"]["wide"][at] for at in range(1, 5)),
        styles=tuple((style.upper(), found.date_formats[style].pattern) for style in map(str.lower, STYLES)),
    )


LETTERS = frozenset("GuyYDMLdQqwWEecFaHkKhmsSAnNVzOXxZ")
CLOCK_LETTERS = frozenset("aHkKhmsSAnN")
ZONE_LETTERS = frozenset("VzOXxZ")
LONGEST = 200

Piece = tuple[str, int]
"""A letter and how often it stands there; literal text has count 0; `[` and `]` bound optional parts."""
Formatter = Callable[[dt.date | dt.time], str]


@lru_cache(maxsize=512)
def scan(pattern: str) -> tuple[Piece, ...]:
    """The pieces of a pattern, or a message about what is wrong with it."""
    if len(pattern) > LONGEST:
        fail(f"a date pattern of {len(pattern)} characters is too long", hint=f"The limit is {LONGEST}.")
    pieces: list[Piece] = []
    for match in _PIECE.finditer(pattern):
        text = match[0]
        if text[0] == "'":
            if len(text) == 1:
                fail(f"a quote is left open in the date pattern {pattern!r}", hint="Write '' for one quote.")
            pieces.append((text[1:-1].replace("''", "'") or "'", 0))
        elif text in "[]":
            pieces.append((text, -1))
        elif text[0].isascii() and text[0].isalpha():
            if text[0] not in LETTERS:
                fail(f"{text[0]!r} means nothing in the date pattern {pattern!r}", hint=_HINT)
            pieces.append((text[0], len(text)))
        else:
            pieces.append((text, 0))
    return tuple(pieces)


_PIECE = re.compile(r"'(?:[^']|'')*'|'|([A-Za-z])\1*|[\[\]]|[^A-Za-z'\[\]]+")
_HINT = "Put plain text between quotes: \"d 'of' MMMM\". Letters: y M d E H h m s S a z X and others."


@lru_cache(maxsize=512)
def formatter(pattern: str, locale: str = "") -> Formatter:
    """A function that prints values by the pattern."""
    names = names_of(locale)
    template = _template(scan(pattern))
    if template is not None:
        return _by_template(template)
    parts = [_part(letter, count, names) for letter, count in scan(pattern) if count >= 0]
    letters = {letter for letter, count in scan(pattern) if count > 0}
    wants_zone, wants_day = bool(letters & ZONE_LETTERS), bool(letters - CLOCK_LETTERS - ZONE_LETTERS)

    def run(value: dt.date | dt.time) -> str:
        moment = _whole(value, wants_day=wants_day)
        if wants_zone and moment.tzinfo is None:
            fail("a local value has no time zone to print", hint="Give it one with toUTC(value, zone).")
        return "".join([part(moment) for part in parts])

    return run


_ATTRIBUTES = {
    ("y", 4): "{0.year:04}", ("M", 2): "{0.month:02}", ("M", 1): "{0.month}", ("d", 2): "{0.day:02}",
    ("d", 1): "{0.day}", ("H", 2): "{0.hour:02}", ("m", 2): "{0.minute:02}", ("s", 2): "{0.second:02}",
}  # fmt: skip


def _template(pieces: tuple[Piece, ...]) -> str | None:
    """The most common patterns as one template of `str.format`, which is three times as quick."""
    if not all(piece in _ATTRIBUTES or (piece[1] == 0 and not set(piece[0]) & set("{}")) for piece in pieces):
        return None
    if not any(letter in "yMd" and count for letter, count in pieces):
        return None
    return "".join(_ATTRIBUTES.get(piece, piece[0]) for piece in pieces)


def _by_template(template: str) -> Formatter:
    show = template.format
    dates_only = not any(field in template for field in (".hour", ".minute", ".second"))

    def run(value: dt.date | dt.time) -> str:
        if isinstance(value, dt.datetime) or (dates_only and not isinstance(value, dt.time)):
            return show(value)
        return show(_whole(value, wants_day=True))

    return run


def _whole(value: dt.date | dt.time, *, wants_day: bool) -> dt.datetime:
    if isinstance(value, dt.datetime):
        return value
    if isinstance(value, dt.time):
        if wants_day:
            fail("a time has no date to print", hint="Use a pattern of clock letters only, such as HH:mm.")
        return dt.datetime.combine(dt.date(1970, 1, 1), value)
    return dt.datetime(value.year, value.month, value.day, tzinfo=dt.UTC)


Part = Callable[[dt.datetime], str]


def _part(letter: str, count: int, names: Names) -> Part:
    if count == 0:
        return lambda _: letter
    if letter in _NUMBERS and not (letter in "MLQqec" and count > 2):
        return _number(letter, count)
    if letter in "ML":
        return _choice(names.months, names.short_months, count, lambda d: d.month - 1)
    if letter in "Eec":
        return _choice(names.days, names.short_days, count, lambda d: d.weekday())
    if letter in "Qq":
        short = tuple(f"Q{at}" for at in range(1, 5))
        return _choice(names.quarters, short, count, lambda d: (d.month - 1) // 3)
    if letter == "a":
        return lambda d: names.halves[d.hour // 12]
    if letter == "G":
        return lambda _: "Anno Domini" if count == 4 and names is ENGLISH else names.eras[1]
    if letter == "S":
        return lambda d: f"{d.microsecond:06}".ljust(count, "0")[:count]
    return _zone_part(letter, count)


def _choice(full: tuple[str, ...], short: tuple[str, ...], count: int, index: Callable[[dt.datetime], int]) -> Part:
    if count == 5:
        return lambda d: full[index(d)][:1]
    table = full if count >= 4 else short
    return lambda d: table[index(d)]


_NUMBERS: dict[str, Callable[[dt.datetime], int]] = {
    "u": lambda d: d.year,
    "y": lambda d: d.year,
    "Y": lambda d: d.isocalendar().year,
    "M": lambda d: d.month,
    "L": lambda d: d.month,
    "d": lambda d: d.day,
    "D": lambda d: d.timetuple().tm_yday,
    "Q": lambda d: (d.month + 2) // 3,
    "q": lambda d: (d.month + 2) // 3,
    "w": lambda d: d.isocalendar().week,
    "W": lambda d: (d.day + d.replace(day=1).weekday() - 1) // 7 + 1,
    "e": lambda d: d.isoweekday(),
    "c": lambda d: d.isoweekday(),
    "F": lambda d: (d.day - 1) // 7 + 1,
    "H": lambda d: d.hour,
    "k": lambda d: d.hour or 24,
    "K": lambda d: d.hour % 12,
    "h": lambda d: d.hour % 12 or 12,
    "m": lambda d: d.minute,
    "s": lambda d: d.second,
    "n": lambda d: d.microsecond * 1000,
    "A": lambda d: _since_midnight(d) // 1000,
    "N": lambda d: _since_midnight(d) * 1000,
}


def _since_midnight(d: dt.datetime) -> int:
    return ((d.hour * 60 + d.minute) * 60 + d.second) * 1_000_000 + d.microsecond


def _number(letter: str, count: int) -> Part:
    value = _NUMBERS[letter]
    if letter in "uyY" and count == 2:
        return lambda d: f"{value(d) % 100:02}"
    if count == 1:
        return lambda d: str(value(d))
    return lambda d: f"{value(d):0{count}}"


def _zone_part(letter: str, count: int) -> Part:
    if letter == "V":
        return lambda d: str(d.tzinfo) if d.tzinfo is not dt.UTC else "Z"
    if letter == "z":
        return lambda d: str(d.tzinfo) if count >= 4 else d.tzname() or ""
    if letter == "O" or (letter == "Z" and count == 4):
        return lambda d: _localized(d, short=letter == "O" and count < 4)
    with_z = letter == "X" or (letter == "Z" and count == 5)
    colon = (count in (3, 5) and letter in "Xx") or (letter == "Z" and count == 5)
    bare_hours = count == 1 and letter in "Xx"
    return lambda d: _offset(d, with_z=with_z, colon=colon, bare_hours=bare_hours)


def _offset(d: dt.datetime, *, with_z: bool, colon: bool, bare_hours: bool) -> str:
    delta = d.utcoffset() or dt.timedelta()
    if with_z and not delta:
        return "Z"
    minutes = abs(int(delta.total_seconds())) // 60
    sign = "-" if delta < dt.timedelta() else "+"
    if bare_hours and minutes % 60 == 0:
        return f"{sign}{minutes // 60:02}"
    return f"{sign}{minutes // 60:02}{':' if colon else ''}{minutes % 60:02}"


def _localized(d: dt.datetime, *, short: bool) -> str:
    if not d.utcoffset():
        return "GMT"
    hours, minutes = _offset(d, with_z=False, colon=True, bare_hours=False).split(":")
    if not short:
        return f"GMT{hours}:{minutes}"
    return f"GMT{hours[0]}{int(hours[1:])}" + (f":{minutes}" if minutes != "00" else "")
