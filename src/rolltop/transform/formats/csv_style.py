"""How a CSV text is written: delimiter, quotes, and the way a region writes its numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform.formats.text import typed

__all__ = ["MOST_DECIMALS", "Style", "Styled", "number_reader", "region_of", "regional", "style_of"]

MOST_DECIMALS = 100
_WIDE = Context(prec=420 + MOST_DECIMALS)
"""Digits for any double written out in full."""
Region = tuple[str, str]
"""What stands between thousands and what before decimals."""
_REGIONS: dict[str, Region] = {
    "usa": (",", "."), "us": (",", "."),
    "european": (".", ","), "eu": (".", ","), "europe": (".", ","),
    "french": ("\u202f", ","), "fr": ("\u202f", ","),
    "swiss": ("'", "."), "ch": ("'", "."),
}  # fmt: skip
_SPELLINGS = {"\u202f": "\u202f\u00a0 ", "'": "'\u2019"}
"""Characters that people write for a region's thousands separator."""


@dataclass(frozen=True, slots=True)
class Style:
    """One character each; `quote` is None where cells are never quoted."""

    delimiter: str = ","
    quote: str | None = '"'


def style_of(options: Mapping[str, Any]) -> Style:
    """The style that options ask for."""
    delimiter = options.get("delimiter", ",")
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise InvalidInput(
            "the delimiter must be one character, not a quote or line break", hint='For example delimiter: ";".'
        )
    quote = options.get("quote", '"')
    if quote in ("", "none"):
        return Style(delimiter, None)
    if not isinstance(quote, str) or len(quote) != 1 or quote in "\r\n" or quote == delimiter:
        raise InvalidInput(
            "the quote must be one character other than the delimiter and line breaks",
            hint='For example quote: "\'"; "none" means that no cell is quoted.',
        )
    return Style(delimiter, quote)


def region_of(options: Mapping[str, Any]) -> Region | None:
    """How numbers are written; None for the way that programs write them."""
    name = str(options.get("regionalFormat", "none")).lower()
    if name not in _REGIONS and name != "none":
        raise InvalidInput(f"unknown regionalFormat {name[:40]!r}", hint=f"Known are {', '.join(_REGIONS)} and none.")
    return _REGIONS.get(name)


def number_reader(region: Region | None) -> Callable[[str], Any]:
    """What makes a number, where it is one, of the text of a cell."""
    if region is None:
        return typed
    group, point = region
    separators = re.escape(_SPELLINGS.get(group, group))
    mark, whole = re.escape(point), rf"\d{{1,3}}(?:[{separators}]\d{{3}})+|\d+"
    number = re.compile(rf"-?(?:(?:{whole})(?:{mark}\d*)?|{mark}\d+)", re.ASCII)
    table = {**dict.fromkeys(map(ord, _SPELLINGS.get(group, group))), ord(point): "."}

    def read(text: str) -> Any:
        if number.fullmatch(text) is None:
            return text
        found = typed(text.translate(table))
        return text if isinstance(found, str) else found

    return read


@dataclass(frozen=True, slots=True)
class Styled:
    """How numbers are printed in a region's style."""

    region: Region
    decimals: int = 2
    grouped: bool = True

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Styled | None:
        region = region_of(options)
        if region is None:
            return None
        decimals = options.get("decimals", 2)
        if isinstance(decimals, bool) or not isinstance(decimals, (int, float)) or not 0 <= decimals <= MOST_DECIMALS:
            raise InvalidInput(f"decimals must be a number from 0 to {MOST_DECIMALS}")
        return cls(region, int(decimals), options.get("useThousands") is not False)

    def text(self, number: float) -> str:
        return regional(number, *self.region, self.decimals, grouped=self.grouped)


def regional(number: float, group: str, point: str, decimals: int, *, grouped: bool) -> str:
    """A number with exactly so many decimals, rounded half to even, in a region's style; none for infinities."""
    if not math.isfinite(number):
        return ""
    exact = Decimal(number).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN, _WIDE)
    text = f"{exact:,f}" if grouped else f"{exact:f}"
    return text.translate({ord(","): group, ord("."): point})
