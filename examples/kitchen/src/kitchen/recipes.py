"""Recipes (Google and NumPy docstrings)."""

from __future__ import annotations

import csv
from typing import Literal

from kitchen.units import Unit


def mcp_tool_recipe_scale(amounts: list[float], servings: int, base: int = 4) -> list[float]:
    """Scale the amounts of a recipe.

    Use it when a recipe is written for another number of people.

    Args:
        amounts: Amounts as written in the recipe.
        servings: For how many people. Example values: `2`, `6`.
        base: For how many people it is written.

    Returns:
        The amounts for that many people, in the same order.

    Examples:
        >>> mcp_tool_recipe_scale([200, 3], servings=6)
        [300.0, 4.5]

    Keywords: mcp-category-recipes
    """
    if servings < 1 or base < 1:
        raise ValueError("a recipe is for at least one person")
    return [amount * servings / base for amount in amounts]


def convert(amount: float, unit: Unit = Unit.GRAMS, system: Literal["imperial", "us"] = "imperial") -> str:
    """Convert an amount to kitchen measures.

    Parameters
    ----------
    amount : float
        How much.
    unit : Unit
        What it is measured in.
    system : {'imperial', 'us'}
        Whose cups.

    Returns
    -------
    str
        The amount in words.

    Examples
    --------
    >>> convert(250, Unit.MILLILITRES)
    '0.88 cups'

    mcp-tool mcp-category-recipes
    """
    if unit is Unit.PIECES:
        return f"{amount:g} pieces"
    if unit is Unit.GRAMS:
        return f"{amount / 28.3495:.2f} oz"
    return f"{amount / (284.131 if system == 'imperial' else 236.588):.2f} cups"


def mcp_tool_recipe_read(path: str, servings: int = 4) -> dict[str, str]:
    """Read a recipe from a table with the columns ingredient, amount and unit.

    Args:
        path: A CSV file: in a folder that the owner of the server opened, or a stored document (doc://NAME).
        servings: For how many people; recipes are written for four.

    Returns:
        The amount of each ingredient.

    Keywords: mcp-category-recipes
    """
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {row["ingredient"]: f"{float(row['amount']) * servings / 4:g} {row['unit']}" for row in rows}
