"""Taxes, discounts and interest. Rates are fractions: 0.08 is 8 %."""

from __future__ import annotations

import math
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function

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
