"""Strict reading of numbers for totals: numeric text counts, nothing else that is no number does."""

from __future__ import annotations

from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.values import kind_of, parse_number, unwrap

__all__ = ["NUMBERS", "numbers_of"]

NUMBERS = frozenset({int, float})


def numbers_of(name: str, array: list[Any]) -> list[int | float]:
    """The elements as numbers; an error names the first that is none."""
    if NUMBERS.issuperset(map(type, array)):
        return array
    return [_number(name, at, value) for at, value in enumerate(array)]


def _number(name: str, at: int, value: Any) -> int | float:
    value = unwrap(value)
    if type(value) in NUMBERS:
        return value  # type: ignore[no-any-return]
    number = parse_number(value) if type(value) is str else None
    if number is None:
        what = "text that is no number" if type(value) is str else kind_of(value)
        fail(
            f"{name} requires numbers, but element {at} is {what}",
            hint="Filter such elements out first, or convert them with toNumber.",
        )
    return number
