"""Read R sources exactly, without R: top-level expressions, signatures, roxygen blocks, Rd markup.

Nothing here evaluates R code. What cannot be known without evaluation (a default such as
`getOption("x")`) is reported as not constant, never guessed.
"""

from rolltop.catalog.rlang.constants import Constant, constant
from rolltop.catalog.rlang.lexer import Token, top_level_tokens
from rolltop.catalog.rlang.markup import Markup, parse_markup
from rolltop.catalog.rlang.roxygen import Block, Tag, parse_block
from rolltop.catalog.rlang.source import Expression, Formal, expressions, formals_of

__all__ = [
    "Block",
    "Constant",
    "Expression",
    "Formal",
    "Markup",
    "Tag",
    "Token",
    "constant",
    "expressions",
    "formals_of",
    "parse_block",
    "parse_markup",
    "top_level_tokens",
]
