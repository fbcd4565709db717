"""Amounts of money: printing, reading, rounding, and what is known of currencies."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._currencies import SIGNS, decimals_of
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import parse_number, unwrap

_EXACT = Context(prec=700)
"""Room for every double to any number of decimals."""


def _decimal(n: int | float) -> Decimal:
    """The number that its shortest text says: 2.675 is 2.675 here, not 2.67499…"""
    if isinstance(n, float) and not math.isfinite(n):
        fail(f"{n} is no amount", hint="Check the calculation that it comes from.")
    return Decimal(repr(n))


def _places(code: str) -> int:
    places = decimals_of(code)
    if places is None:
        fail(f"there is no currency {code[:20]!r}", hint="Use a code of ISO 4217, such as EUR.")
    return places


def _is_plain_english(locale: str) -> bool:
    return locale.strip().replace("-", "_") in ("", "en", "en_US")


def _babel(locale: str) -> tuple[Any, Any]:
    """Babel's number functions and the locale."""
    try:
        from babel import Locale, UnknownLocaleError, numbers  # noqa: PLC0415 - an extra
    except ImportError:
        from rolltop.base.installation import add_extra  # noqa: PLC0415 - only a failure needs it

        fail(f"the locale {locale[:20]!r} is not installed", hint=f"Install the extra: {add_extra('locales')}")
    try:
        return numbers, Locale.parse(locale.strip().replace("-", "_"))
    except (ValueError, UnknownLocaleError):
        fail(f"there is no locale {locale[:40]!r}", hint="Use a language and a country, such as de_DE.")


_LOCALE = {"locale": "How the amount is written, such as de_DE; default en_US"}


@function(
    "formatCurrency(n: Number, code?: String, locale?: String): String",
    category="math",
    examples=[
        ("formatCurrency(1234.5)", '"$1,234.50"'),
        ('formatCurrency(-1234.5, "JPY")', '"-¥1,234"'),
        ('formatCurrency(5, "CHF")', '"CHF5.00"'),
        ("formatCurrency(2.675)", '"$2.67"'),
        ('formatCurrency(5, "XXX")', "error: no currency"),
    ],
    params={"code": "A code of ISO 4217; default USD", **_LOCALE},
)
def format_currency(n: int | float, code: str = "USD", locale: str = "en_US") -> str:
    """An amount as people write it, with as many decimals as the currency has.

    A half goes to the even digit; 2.675 is no half, because the number nearest to it is a little less.
    """
    name = code.strip().upper()
    places = _places(name)
    _decimal(n)  # refuses what is no amount
    amount = Decimal(n).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN, _EXACT)
    if not _is_plain_english(locale):
        numbers, found = _babel(locale)
        return str(numbers.format_currency(amount, name, locale=found))
    sign = "-" if amount < 0 else ""
    return f"{sign}{SIGNS.get(name, name)}{abs(amount):,f}"


@function(
    "parseCurrency(s: String, locale?: String): Number",
    category="math",
    examples=[
        ('parseCurrency("$1,234.56")', "1234.56"),
        ('parseCurrency("1.234,56 €")', "1234.56"),
        ('parseCurrency("($5.00)")', "-5"),
        ('parseCurrency("1.234", "de_DE")', "1234"),
        ('parseCurrency("free")', "error: no amount"),
    ],
    params={"locale": "How the amount is written; without it, both 1,234.56 and 1.234,56 are understood"},
)
def parse_currency(s: str, locale: str = "") -> int | float:
    """The number in an amount of money; parentheses or a minus sign make it negative."""
    digits = re.sub(r"[^\d.,]", "", s, flags=re.ASCII).strip(".,")
    if not digits:
        fail(f"{s[:40]!r} is no amount", hint='An amount looks like "$1,234.56".')
    point = _point(digits) if not locale.strip() else _point_of(locale)
    group = "," if point == "." else "."
    number = parse_number(digits.replace(group, "").replace(point, "."))
    if number is None:
        fail(f"{s[:40]!r} is no amount", hint='An amount looks like "$1,234.56".')
    return -number if _is_negative(s) else number


def _is_negative(s: str) -> bool:
    text = s.strip()
    return (text.startswith("(") and text.endswith(")")) or "-" in text or "\u2212" in text


def _point(digits: str) -> str:
    """Which sign is the decimal point: the last of two kinds, or one that cannot group thousands."""
    last_comma, last_dot = digits.rfind(","), digits.rfind(".")
    if last_comma >= 0 and last_dot >= 0:
        return "," if last_comma > last_dot else "."
    if last_comma < 0:
        return "." if digits.count(".") <= 1 else ","
    groups = digits.split(",")
    grouped = 1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])
    return "." if grouped else ","


def _point_of(locale: str) -> str:
    if _is_plain_english(locale):
        return "."
    numbers, found = _babel(locale)
    return "," if numbers.get_decimal_symbol(found) == "," else "."


def _rounded(n: int | float, places: int, mode: str) -> int | float:
    if not -15 <= places <= 300:
        fail(f"cannot round to {places} decimals", hint="Use 0 to 15.")
    exact = _decimal(n)
    if exact.as_tuple().exponent >= -places:  # type: ignore[operator]
        return n
    rounded = exact.quantize(Decimal(1).scaleb(-places), mode, _EXACT)
    return int(rounded) if isinstance(n, int) else float(rounded)


@function(
    "roundToDecimalPlaces(n: Number, places: Integer): Number",
    category="math",
    examples=[("roundToDecimalPlaces(2.345, 2)", "2.34"), ("roundToDecimalPlaces(2.355, 2)", "2.36")],
)
def round_to_decimal_places(n: int | float, places: int) -> int | float:
    """A number rounded to some decimals; halves go to the even digit."""
    return _rounded(n, places, ROUND_HALF_EVEN)


@function(
    "roundToCents(n: Number): Number",
    category="math",
    examples=[("roundToCents(2.345)", "2.35"), ("roundToCents(1.005)", "1.01")],
)
def round_to_cents(n: int | float) -> int | float:
    """A number rounded to two decimals; halves go away from zero."""
    return _rounded(n, 2, ROUND_HALF_UP)


@function(
    "isValidCurrency(code: String): Boolean",
    category="math",
    examples=[('isValidCurrency("EUR")', "true"), ('isValidCurrency("EURO")', "false")],
)
def is_valid_currency(code: str) -> bool:
    """Whether a text is a currency code of ISO 4217, in capital letters."""
    return code.isupper() and decimals_of(code) is not None


@function(
    "getCurrencyDecimals(code: String): Integer",
    category="math",
    examples=[('getCurrencyDecimals("JPY")', "0"), ('getCurrencyDecimals("KWD")', "3")],
)
def get_currency_decimals(code: str) -> int:
    """How many decimals amounts of a currency have."""
    return _places(code)


@function(
    "isValidAmount(n: Any, min?: Number, max?: Number): Boolean",
    category="math",
    examples=[("isValidAmount(5, 0, 10)", "true"), ("isValidAmount(-5, 0)", "false"), ('isValidAmount("x")', "false")],
)
def is_valid_amount(n: Any, least: int | float = -math.inf, most: int | float = math.inf) -> bool:
    """Whether a value is a number (or its text) within bounds."""
    value = unwrap(n)
    number = parse_number(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number):
        return False
    return least <= number <= most
