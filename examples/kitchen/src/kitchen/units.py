"""Units that recipes use."""

from enum import Enum


class Unit(Enum):
    """What an amount is measured in."""

    GRAMS = "g"
    MILLILITRES = "ml"
    PIECES = "pieces"
