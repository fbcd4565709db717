"""Totals carried from piece to piece, equal to the last bit to what the library makes of everything at once."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from rolltop.transform.stdlib.array.totals import NUMBERS, numbers_of
from rolltop.transform.stream.folds import Total
from rolltop.transform.values import fit

__all__ = ["Unfoldable", "accumulator"]

_COMPENSATED = sys.version_info >= (3, 12)


class Unfoldable(Exception):
    """Values that only the library's function, with all of them at hand, knows what to do with."""


class Sum:
    """The sum as Python's `sum` gives it: from 3.12 on with the lost low digits of doubles made good."""

    def __init__(self) -> None:
        self.total: int | float = 0
        self.count = 0
        self._lost = 0.0

    def add(self, values: list[Any]) -> None:
        if not NUMBERS.issuperset(map(type, values)):
            values = numbers_of("sum", values)
        self.count += len(values)
        if _COMPENSATED:
            self._add_compensated(values)
        else:
            self.total = sum(values, self.total)

    def _add_compensated(self, values: list[Any]) -> None:
        total = self.total
        for value in values:
            if type(total) is int:
                total = total + value
                continue
            number = float(value)
            raised = total + number
            larger, smaller = (total, number) if abs(total) >= abs(number) else (number, total)
            self._lost += (larger - raised) + smaller
            total = raised
        self.total = total

    def exact(self) -> int | float:
        if type(self.total) is float and self._lost and math.isfinite(self._lost):
            return self.total + self._lost
        return self.total

    def result(self) -> int | float:
        total = self.exact()
        return total if type(total) is float else fit(total)


class Average(Sum):
    def result(self) -> Any:
        return self.exact() / self.count if self.count else None


class Count:
    def __init__(self) -> None:
        self.count = 0

    def add(self, count: int) -> None:
        self.count += count

    def result(self) -> int:
        return self.count


class Extreme:
    """The first of the smallest, or of the largest."""

    def __init__(self, choose: Callable[..., Any]) -> None:
        self._choose = choose
        self._found: Any = None

    def add(self, values: list[Any]) -> None:
        if not NUMBERS.issuperset(map(type, values)):
            raise Unfoldable
        if values:
            best = self._choose(values)
            self._found = best if self._found is None else self._choose(self._found, best)

    def result(self) -> Any:
        return self._found


class Groups:
    """Totals for every key, in the order in which the keys first came."""

    def __init__(self, parts: tuple[Total, ...]) -> None:
        self._parts = parts
        self._groups: dict[str, list[Any]] = {}

    def add(self, groups: dict[str, list[Any]]) -> None:
        for key, contributions in groups.items():
            kept = self._groups.get(key)
            if kept is None:
                kept = self._groups[key] = [accumulator(part) for part in self._parts]
            for total, contribution in zip(kept, contributions, strict=True):
                total.add(contribution)

    def result(self) -> dict[str, list[Any]]:
        return {key: [total.result() for total in kept] for key, kept in self._groups.items()}


def accumulator(total: Total) -> Any:
    """An accumulator for one total."""
    if total.name == "groupBy":
        return Groups(total.parts)
    if total.name in ("min", "max"):
        return Extreme(min if total.name == "min" else max)
    return {"sum": Sum, "avg": Average, "count": Count, "size": Count}[total.name]()
