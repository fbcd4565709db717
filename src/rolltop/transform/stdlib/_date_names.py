"""Names of months, days and day halves, and the date styles, of a locale.

English as written in the United States is built in; every other locale comes from Babel, which is an
extra because its data is large.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rolltop.transform.errors import fail

__all__ = ["ENGLISH", "STYLES", "Names", "names_of"]

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
