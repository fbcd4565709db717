"""Number patterns such as `#,##0.00` and how a number is written by one."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._text import quoted

__all__ = ["DecimalPattern", "fixed", "grouped", "pattern_of"]

Number = int | float
_LONGEST = 2000
"""Characters of a pattern."""
_MOST_DIGITS = 340
"""More digits after the point than any double has that is not zero."""
_BODY = re.compile(r"(?P<whole>[#0,]*)(?:\.(?P<fraction>[0#]*))?(?:E(?P<exponent>0+))?")


@dataclass(frozen=True, slots=True)
class DecimalPattern:
    """The parts of a pattern; `group` is 0 when digits are not grouped."""

    prefix: str
    suffix: str
    negative: tuple[str, str]
    least_whole: int
    least_fraction: int
    most_fraction: int
    group: int
    exponent: int
    factor: int

    def write(self, number: Number) -> str:
        if math.isnan(number):
            return "NaN"
        before, after = self.negative if _is_negative(number) else (self.prefix, self.suffix)
        if math.isinf(number):
            return f"{before}∞{after}"
        size = abs(number) * self.factor
        return f"{before}{self._scientific(size) if self.exponent else self._plain(size)}{after}"

    def _plain(self, size: Number) -> str:
        whole, _, fraction = fixed(size, self.most_fraction).partition(".")
        fraction = _trimmed(fraction, self.least_fraction)
        if self.least_whole == 0 and whole == "0" and fraction:
            whole = ""
        whole = grouped(whole.zfill(self.least_whole), ",", self.group)
        return f"{whole}.{fraction}" if fraction else whole

    def _scientific(self, size: Number) -> str:
        lead = max(self.least_whole, 1)
        digits, power = f"{float(size):.{lead - 1 + self.most_fraction}e}".split("e")
        digits = digits.replace(".", "")
        fraction = _trimmed(digits[lead:], self.least_fraction)
        shown = int(power) - (lead - 1) if size else 0
        text = f"{digits[:lead]}.{fraction}" if fraction else digits[:lead]
        return f"{text}E{'-' if shown < 0 else ''}{abs(shown):0{self.exponent}d}"


def _is_negative(number: Number) -> bool:
    return number < 0 or (number == 0 and math.copysign(1, number) < 0)


def _trimmed(fraction: str, least: int) -> str:
    kept = fraction.rstrip("0")
    return fraction[:least] if len(kept) < least else kept


def fixed(number: Number, decimals: int) -> str:
    """A number with so many digits after the point, halves to even on its exact value."""
    if type(number) is int:
        return f"{number}.{'0' * decimals}" if decimals else str(number)
    return f"{number:.{decimals}f}"


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
    positive, _, negative = _split_outside_quotes(text, ";")
    prefix, body, suffix, factor = _around(positive, text)
    match = _BODY.fullmatch(body)
    if match is None or not body:
        fail(f"{quoted(text)} is not a number pattern", hint="Write for instance #,##0.00 or 0.0%.")
    whole, fraction, exponent = match["whole"] or "", match["fraction"] or "", match["exponent"] or ""
    digits = whole.replace(",", "")
    _check_order(digits, fraction, text)
    if exponent and digits.startswith("#"):
        fail(f"{quoted(text)}: a scientific pattern starts with 0", hint="Write 0.###E0.")
    before, _, after, _ = _around(negative, text) if negative else (f"-{prefix}", "", suffix, 1)
    return DecimalPattern(
        prefix,
        suffix,
        (before, after),
        digits.count("0"),
        fraction.count("0"),
        min(len(fraction), _MOST_DIGITS),
        len(whole) - whole.rindex(",") - 1 if "," in whole else 0,
        len(exponent),
        factor,
    )


def _check_order(digits: str, fraction: str, text: str) -> None:
    if "0#" in digits or "#0" in fraction:
        fail(f"{quoted(text)}: # stands outside of 0, as in ##0.0#")


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
