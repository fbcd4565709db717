"""Numbers as people write them: by pattern, and in the styles of regions."""

from __future__ import annotations

import math
import re

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._decimal_pattern import pattern_of
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import parse_number

Number = int | float
_MOST_DECIMALS = 340
_RENDER = {
    "decimals": "Digits after the decimal mark, 2 by default",
    "thousands": "Whether to group digits, true by default",
}


@function(
    "formatNumber(n: Number, pattern: String): String",
    category="math",
    params={"pattern": "0 is a digit, # a digit if needed, then , . % E and text, as in #,##0.00 (DecimalFormat)"},
    examples=[
        ('formatNumber(1234567.891, "#,##0.00")', '"1,234,567.89"'),
        ('formatNumber(0.256, "0.0%")', '"25.6%"'),
        ('formatNumber(7, "000")', '"007"'),
        ('formatNumber(-5, "0.0;(0.0)")', '"(5.0)"'),
        ('formatNumber(12345, "0.00E0")', '"1.23E4"'),
        ('formatNumber(0.5, "#.##")', '"0.5"'),
    ],
)
def format_number(n: Number, pattern: str) -> str:
    """A number written by a pattern; halves are rounded to even."""
    return pattern_of(pattern).write(n)


def render(n: Number, decimals: int, thousands: bool, style: dict[int, str]) -> str:
    """A number with so many decimals, its comma and point replaced as the style says."""
    if decimals == 2 and thousands and type(n) is float and -1e15 < n < 1e15:
        text = f"{n:,.2f}"  # what nearly every call asks for
        return text.translate(style) if style else text
    if not 0 <= decimals <= _MOST_DECIMALS:
        fail(f"the number of decimals must be from 0 to {_MOST_DECIMALS}, got {decimals}")
    if type(n) is int:
        # Not by way of a double, which holds only 53 bits.
        text = f"{n:,}" if thousands else str(n)
        text = f"{text}.{'0' * decimals}" if decimals else text
    elif math.isfinite(n):
        text = f"{n:,.{decimals}f}" if thousands else f"{n:.{decimals}f}"
    else:
        return "NaN" if math.isnan(n) else "-∞" if n < 0 else "∞"
    return text.translate(style) if style else text


_US_STYLE: dict[int, str] = {}
_EU_STYLE = {ord(","): ".", ord("."): ","}
_FRENCH_STYLE = {ord(","): "\u202f", ord("."): ","}
_SWISS_STYLE = {ord(","): "'"}


@function(
    "renderUSNumber(n: Number, decimals?: Integer, thousands?: Boolean): String",
    category="math",
    params=_RENDER,
    examples=[("renderUSNumber(1234567.891)", '"1,234,567.89"'), ("renderUSNumber(1234.5, 0, false)", '"1234"')],
)
def render_us_number(n: Number, decimals: int = 2, thousands: bool = True) -> str:
    """A number as written in the USA: 1,234.56."""
    return render(n, decimals, thousands, _US_STYLE)


@function(
    "renderEUNumber(n: Number, decimals?: Integer, thousands?: Boolean): String",
    category="math",
    params=_RENDER,
    examples=[("renderEUNumber(1234567.891)", '"1.234.567,89"'), ("renderEUNumber(-1234.5, 1, false)", '"-1234,5"')],
)
def render_eu_number(n: Number, decimals: int = 2, thousands: bool = True) -> str:
    """A number as written in much of Europe: 1.234,56."""
    return render(n, decimals, thousands, _EU_STYLE)


@function(
    "renderFrenchNumber(n: Number, decimals?: Integer, thousands?: Boolean): String",
    category="math",
    params=_RENDER,
    examples=[("renderFrenchNumber(1234.5)", '"1\u202f234,50"'), ("renderFrenchNumber(1234.5, 1, false)", '"1234,5"')],
)
def render_french_number(n: Number, decimals: int = 2, thousands: bool = True) -> str:
    """A number as written in France, with narrow no-break spaces between thousands."""
    return render(n, decimals, thousands, _FRENCH_STYLE)


@function(
    "renderSwissNumber(n: Number, decimals?: Integer, thousands?: Boolean): String",
    category="math",
    params=_RENDER,
    examples=[("renderSwissNumber(1234567.891)", "\"1'234'567.89\"")],
)
def render_swiss_number(n: Number, decimals: int = 2, thousands: bool = True) -> str:
    """A number as written in Switzerland: 1'234.56."""
    return render(n, decimals, thousands, _SWISS_STYLE)


def _shape(separators: str, mark: str) -> re.Pattern[str]:
    return re.compile(
        rf"[+-]?(?:\d{{1,3}}(?:[{separators}]\d{{3}})+|\d+)?(?:{re.escape(mark)}\d*)?(?:[eE][+-]?\d+)?", re.ASCII
    )


_US, _EU, _FRENCH, _SWISS = _shape(",", "."), _shape(".", ","), _shape(" \u00a0\u202f", ","), _shape("'\u2019", ".")
_NO_SEPARATORS = {
    _US: str.maketrans("", "", ","),
    _EU: str.maketrans(",", ".", "."),
    _FRENCH: str.maketrans(",", ".", " \u00a0\u202f"),
    _SWISS: str.maketrans("", "", "'\u2019"),
}


def _parse(name: str, s: str, shape: re.Pattern[str], sample: str) -> Number:
    text = s.strip()
    number = parse_number(text.translate(_NO_SEPARATORS[shape])) if shape.fullmatch(text) else None
    if number is None:
        fail(f"{name} requires a number written like {sample}")
    return number


@function(
    "parseUSNumber(s: String): Number",
    category="math",
    examples=[('parseUSNumber("1,234.56")', "1234.56"), ('parseUSNumber("1.234,56")', "error: like 1,234.56")],
)
def parse_us_number(s: str) -> Number:
    """The number in a text in the style of the USA: 1,234.56."""
    return _parse("parseUSNumber", s, _US, "1,234.56")


@function(
    "parseEUNumber(s: String): Number",
    category="math",
    examples=[('parseEUNumber("1.234,56")', "1234.56"), ('parseEUNumber("x")', "error: like 1.234,56")],
)
def parse_eu_number(s: str) -> Number:
    """The number in a text in the style of much of Europe: 1.234,56."""
    return _parse("parseEUNumber", s, _EU, "1.234,56")


@function(
    "parseFrenchNumber(s: String): Number",
    category="math",
    examples=[('parseFrenchNumber("1 234,56")', "1234.56"), ('parseFrenchNumber("-1\u202f234")', "-1234")],
)
def parse_french_number(s: str) -> Number:
    """The number in a text in French style: 1 234,56, with any kind of blank."""
    return _parse("parseFrenchNumber", s, _FRENCH, "1 234,56")


@function(
    "parseSwissNumber(s: String): Number",
    category="math",
    examples=[('parseSwissNumber("1\'234.56")', "1234.56"), ('parseSwissNumber("-5")', "-5")],
)
def parse_swiss_number(s: str) -> Number:
    """The number in a text in Swiss style: 1'234.56."""
    return _parse("parseSwissNumber", s, _SWISS, "1'234.56")
