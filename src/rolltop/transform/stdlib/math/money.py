"""Currencies, taxes, discounts, interest and loans."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import parse_number, unwrap

__all__ = ["SIGNS", "decimals_of"]

_TWO = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE "
    "CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL "
    "HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR "
    "MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK "
    "SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD "
    "XCG YER ZAR ZMW ZWG"
)
_NONE = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THREE = "BHD IQD JOD KWD LYD OMR TND"
_FOUR = "CLF UYW"
_UNITS = "XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XUA"
"""Metals, drawing rights and units of account: ISO 4217 gives them no decimals to speak of, people write two."""
_DECIMALS = {
    code: places
    for codes, places in ((_TWO, 2), (_UNITS, 2), (_NONE, 0), (_THREE, 3), (_FOUR, 4))
    for code in codes.split()
}

SIGNS = {
    "AUD": "A$", "BRL": "R$", "CAD": "CA$", "CNY": "CN¥", "EUR": "€", "GBP": "£", "HKD": "HK$", "ILS": "₪",
    "INR": "₹", "JPY": "¥", "KRW": "₩", "MXN": "MX$", "NZD": "NZ$", "PHP": "₱", "TWD": "NT$", "USD": "$",
    "VND": "₫", "XAF": "FCFA", "XCD": "EC$", "XPF": "CFPF",
}  # fmt: skip
"""As CLDR has them for English; other currencies show their code."""


def decimals_of(code: str) -> int | None:
    """How many decimals amounts of a currency have; None when there is no such currency."""
    return _DECIMALS.get(code.strip().upper())


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


_RATE = {"rate": "A fraction: 0.08 is 8 %"}


def _growth(rate: float, periods: float) -> float:
    """What one unit becomes."""
    try:
        grown: Any = (1.0 + rate) ** periods
    except (OverflowError, ZeroDivisionError):
        grown = math.inf
    if type(grown) is float and 0 < abs(grown) < math.inf:
        return grown
    fail("the result is not a number of any use", hint="Check the rate (0.05 is 5 %) and the number of periods.")


@function(
    "calculateTax(amount: Number, rate: Number): Number",
    category="math",
    examples=[("calculateTax(200, 0.08)", "16")],
    params=_RATE,
)
def calculate_tax(amount: float, rate: float) -> float:
    """The tax on an amount."""
    return amount * rate


@function(
    "addTax(amount: Number, rate: Number): Number",
    category="math",
    examples=[("addTax(200, 0.08)", "216")],
    params=_RATE,
)
def add_tax(amount: float, rate: float) -> float:
    """An amount with the tax on it."""
    return amount + amount * rate


@function(
    "removeTax(amount: Number, rate: Number): Number",
    category="math",
    examples=[("removeTax(216, 0.08)", "200"), ("removeTax(1, -1)", "error: of -1")],
    params=_RATE,
)
def remove_tax(amount: float, rate: float) -> float:
    """An amount that has tax in it, without the tax."""
    if rate == -1:
        fail("no amount has a tax of -1 in it", hint="Rates are fractions: 0.08 is 8 %.")
    return amount / (1 + rate)


@function(
    "calculateDiscount(price: Number, rate: Number): Number",
    category="math",
    examples=[("calculateDiscount(80, 0.25)", "60"), ("calculateDiscount(80, 25)", "error: from 0 to 1")],
    params={"rate": "A fraction from 0 to 1: 0.25 is 25 % off"},
)
def calculate_discount(price: float, rate: float) -> float:
    """A price after a discount."""
    if not 0 <= rate <= 1:
        fail(f"a discount goes from 0 to 1, not to {rate}", hint="Write 25 % as 0.25.")
    return price - price * rate


@function(
    "percentageChange(from: Number, to: Number): Number",
    category="math",
    examples=[("percentageChange(80, 100)", "25"), ("percentageChange(0, 5)", "error: from zero")],
)
def percentage_change(start: float, end: float) -> float:
    """How much larger the second number is than the first, in percent."""
    if start == 0:
        fail("there is no percentage of a change from zero", hint="Treat a start of zero apart.")
    return (end - start) / start * 100


@function(
    "presentValue(futureValue: Number, rate: Number, periods: Number): Number",
    category="math",
    examples=[("round(presentValue(1102.5, 0.05, 2))", "1000")],
    params={"rate": "Per period, as a fraction: 0.05 is 5 %"},
)
def present_value(future: float, rate: float, periods: float) -> float:
    """What an amount in the future is worth now."""
    return future / _growth(rate, periods)


@function(
    "futureValue(presentValue: Number, rate: Number, periods: Number): Number",
    category="math",
    examples=[("futureValue(1000, 0.05, 2)", "1102.5")],
    params={"rate": "Per period, as a fraction: 0.05 is 5 %"},
)
def future_value(present: float, rate: float, periods: float) -> float:
    """What an amount becomes with interest on interest."""
    return present * _growth(rate, periods)


@function(
    "compoundInterest(principal: Number, rate: Number, years: Number, perYear?: Number): Number",
    category="math",
    examples=[("compoundInterest(1000, 0.05, 2)", "1102.5"), ("compoundInterest(1, 1, 1, 0)", "error: per year")],
    params={"rate": "Per year, as a fraction: 0.05 is 5 %", "perYear": "How often interest is added; default 1"},
)
def compound_interest(principal: float, rate: float, years: float, per_year: float = 1) -> float:
    """The amount, interest included, after some years."""
    if per_year <= 0:
        fail("interest is added at least once per year", hint="12 is monthly.")
    return principal * _growth(rate / per_year, per_year * years)


@function(
    "simpleInterest(principal: Number, rate: Number, time: Number): Number",
    category="math",
    examples=[("simpleInterest(1000, 0.05, 2)", "100")],
    params={"rate": "Per unit of time, as a fraction: 0.05 is 5 %"},
)
def simple_interest(principal: float, rate: float, time: float) -> float:
    """The interest alone, without interest on it."""
    return principal * rate * time
