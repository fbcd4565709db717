"""How strongly operators bind."""

from __future__ import annotations

__all__ = ["BINARY", "NO_LAMBDA", "PIPE", "POSTFIX", "POSTFIX_IF", "TERNARY", "UNARY"]

NO_LAMBDA, PIPE, POSTFIX_IF, TERNARY, UNARY, POSTFIX = 1, 10, 20, 30, 120, 130
BINARY: dict[str, tuple[int, int]] = {
    "??": (40, 41),
    "||": (50, 51),
    "&&": (60, 61),
    "==": (70, 71), "!=": (70, 71),
    "<": (80, 81), "<=": (80, 81), ">": (80, 81), ">=": (80, 81),
    "+": (90, 91), "-": (90, 91),
    "*": (100, 101), "/": (100, 101), "%": (100, 101),
    "**": (111, 110),
}  # fmt: skip
"""What an operator needs on its left to be taken, and asks of its right; `**` groups to the right."""
