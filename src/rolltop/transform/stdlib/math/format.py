"""Numbers as text, by the patterns of Java's DecimalFormat with US symbols."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.texts import quoted
from rolltop.transform.values import parse_number

__all__ = ["DecimalPattern", "pattern_of"]

Number = int | float
_LONGEST = 2000
"""Characters of a pattern."""
_MOST_DIGITS = 340
"""More digits after the point than any double has that is not zero."""
_BODY = re.compile(r"(?P<whole>[#0,]*)(?P<point>\.?)(?P<fraction>[#0]*)(?:E(?P<exponent>0+))?")


@dataclass(frozen=True, slots=True)
class DecimalPattern:
    """The parts of a pattern; `group` is 0 when digits are not grouped, `exponent` when there is none."""

    prefix: str
    suffix: str
    negative: tuple[str, str]
    least_whole: int
    most_whole: int
    """Of a number with exponent; else there may be as many as there are."""
    least_fraction: int
    most_fraction: int
    point: bool
    """Whether the point is there without digits after it."""
    group: int
    exponent: int
    factor: int

    def write(self, number: Number) -> str:
        if math.isnan(number):
            return "NaN"
        before, after = self.negative if _is_negative(number) else (self.prefix, self.suffix)
        size = abs(number) * self.factor
        if math.isinf(size):
            return f"{before}∞{after}"
        return f"{before}{self._scientific(size) if self.exponent else self._plain(size)}{after}"

    def _plain(self, size: Number) -> str:
        whole, _, fraction = _fixed(size, self.most_fraction).partition(".")
        fraction = _trimmed(fraction, self.least_fraction)
        whole = ("" if whole == "0" else whole).zfill(self.least_whole)
        if not whole and not fraction:
            whole = "0"
        whole = grouped(whole, ",", self.group)
        return f"{whole}.{fraction}" if fraction or self.point else whole

    def _scientific(self, size: Number) -> str:
        digits, place = _significant(size, self.most_whole + self.most_fraction)
        lead, power = self.least_whole, place - self.least_whole
        if 1 < self.most_whole > self.least_whole:
            # Engineers' notation: the exponent is a multiple of the most digits before the point.
            power = (place - 1) // self.most_whole * self.most_whole
            lead = 1
        if size:
            lead = place - power
        else:
            power = 0
        digits = digits.ljust(max(self.least_whole + self.least_fraction, lead), "0")
        text = f"{digits[:lead]}.{digits[lead:]}" if self.point or len(digits) > lead else digits
        return f"{text}E{'-' if power < 0 else ''}{abs(power):0{self.exponent}d}"


def _is_negative(number: Number) -> bool:
    return number < 0 or (number == 0 and math.copysign(1, number) < 0)


def _trimmed(fraction: str, least: int) -> str:
    return fraction.rstrip("0").ljust(least, "0")


def _fixed(number: Number, decimals: int) -> str:
    """A number with at most so many digits after the point: its shortest, else halves to even on its exact value."""
    if type(number) is int:
        return str(number)
    text = repr(number)
    if "e" in text:
        text = f"{Decimal(text):f}"
    return text if len(text) - text.find(".") - 1 <= decimals or "." not in text else f"{number:.{decimals}f}"


def _significant(number: Number, most: int) -> tuple[str, int]:
    """The digits of a number, at most so many, without zeros at their end, and where the point is among them."""
    exact = Decimal(repr(number))
    if len(exact.as_tuple().digits) > most:
        exact = Decimal(f"{Decimal(number):.{most - 1}e}")
    digits = "".join(map(str, exact.as_tuple().digits)).rstrip("0")
    return digits, exact.adjusted() + 1


def grouped(digits: str, separator: str, size: int = 3) -> str:
    """Digits (with an optional minus) cut into groups from the right."""
    if not size or len(digits) <= size:
        return digits
    if size == 3:
        sign, digits = ("-", digits[1:]) if digits[0] == "-" else ("", digits)
        lead = digits[: len(digits) % 3]
        rest = [digits[at : at + 3] for at in range(len(lead), len(digits), 3)]
        return sign + separator.join([lead, *rest] if lead else rest)
    lead_length = len(digits) % size or size
    return separator.join(
        [digits[:lead_length], *(digits[at : at + size] for at in range(lead_length, len(digits), size))]
    )


@lru_cache(maxsize=256)
def pattern_of(text: str) -> DecimalPattern:
    """Read a pattern: `[prefix]#,##0.00[suffix]`, optionally `;` and the form of negative numbers."""
    if len(text) > _LONGEST:
        fail(f"a number pattern of {len(text)} characters is too long", hint="Write for instance #,##0.00.")
    if not text:
        return _NO_PATTERN
    positive, _, negative = _split_outside_quotes(text, ";")
    prefix, body, suffix, factor = _around(positive, text)
    match = _BODY.fullmatch(body)
    if match is None:
        fail(f"{quoted(text)} is not a number pattern", hint="Write for instance #,##0.00 or 0.0%.")
    whole, fraction, exponent = match["whole"], match["fraction"], match["exponent"] or ""
    digits = whole.replace(",", "")
    _check(digits, fraction, whole, text)
    least_whole, least_fraction = digits.count("0"), fraction.count("0")
    if match["point"] and not least_whole and not least_fraction and (digits or fraction):
        # Without any 0 one digit is shown all the same: before the point if there may be one, else after it.
        least_whole, least_fraction = (1, 0) if digits else (0, 1)
    before, _, after, _ = _around(negative, text) if negative else (prefix, "", suffix, 1)
    return DecimalPattern(
        prefix=prefix,
        suffix=suffix,
        negative=(before, after) if (before, after) != (prefix, suffix) else (f"-{prefix}", suffix),
        least_whole=least_whole,
        most_whole=len(digits),
        least_fraction=least_fraction,
        most_fraction=min(len(fraction), _MOST_DIGITS),
        point=bool(match["point"]) and not fraction,
        group=len(whole) - whole.rindex(",") - 1 if "," in whole else 0,
        exponent=len(exponent),
        factor=factor,
    )


_NO_PATTERN = DecimalPattern("", "", ("-", ""), 0, 0, 0, _MOST_DIGITS, point=False, group=3, exponent=0, factor=1)
"""What no pattern at all means: every digit there is, in groups of three."""


def _check(digits: str, fraction: str, whole: str, text: str) -> None:
    if "0#" in digits or "#0" in fraction:
        fail(f"{quoted(text)}: # stands outside of 0, as in ##0.0#")
    if whole.endswith(","):
        fail(f"{quoted(text)} is not a number pattern: no digit follows the comma", hint="Write for instance #,##0.")


def _split_outside_quotes(text: str, mark: str) -> tuple[str, str, str]:
    inside = False
    for at, char in enumerate(text):
        inside ^= char == "'"
        if char == mark and not inside:
            return text[:at], mark, text[at + 1 :]
    return text, "", ""


_AFFIX = re.compile(r"'((?:[^']|'')*)'|(.)", re.DOTALL)
_CORE = re.compile(r"(?P<before>(?:'[^']*'|[^#0,.'])*)(?P<body>[#0,.]+(?:E0+)?)(?P<after>(?:'[^']*'|[^#0,.'])*)")


def _around(part: str, text: str) -> tuple[str, str, str, int]:
    match = _CORE.fullmatch(part)
    if match is None:
        fail(f"{quoted(text)} is not a number pattern", hint="Write for instance #,##0.00 or 0.0%.")
    before, factor_before = _affix(match["before"])
    after, factor_after = _affix(match["after"])
    return before, match["body"], after, factor_before * factor_after


def _affix(text: str) -> tuple[str, int]:
    """An affix as it is printed, and what its % or ‰ multiplies the number by."""
    shown, factor = [], 1
    for literal, plain in _AFFIX.findall(text):
        if plain:
            factor *= {"%": 100, "‰": 1000}.get(plain, 1)
            shown.append("$" if plain == "¤" else plain)
        else:
            shown.append(literal.replace("''", "'") or "'")
    return "".join(shown), factor


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
