"""Text to tree, with every syntax error and not only the first."""

from __future__ import annotations

from dataclasses import dataclass

from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.stack import deep_stack
from rolltop.transform.syntax.cursor import Cursor
from rolltop.transform.syntax.expressions import ExpressionParser
from rolltop.transform.syntax.header import implied_header, parse_header
from rolltop.transform.syntax.lexer import Comment, tokenize
from rolltop.transform.syntax.source import Source
from rolltop.transform.syntax.tree import Program

__all__ = ["Parsed", "parse"]


@dataclass(slots=True)
class Parsed:
    """A tree, complete or patched over errors, and what was found while reading it."""

    source: Source
    program: Program
    problems: list[Diagnostic]
    comments: list[Comment]


def parse(
    text: str, *, name: str = "program", input_format: str | None = None, output_format: str | None = None
) -> Parsed:
    """Parse a program. Without a header, the formats are the caller's, else json."""
    source = Source(text, name)
    with deep_stack():
        tokens, comments, problems = tokenize(source)
        cursor = Cursor(source, tokens, problems)
        has_header = tokens[0].kind == "directive" or any(token.kind == "---" for token in tokens)
        if has_header:
            header = parse_header(cursor)
        else:
            header = implied_header(input_format, output_format)
        body = ExpressionParser(cursor).program_body()
    problems.sort(key=lambda found: (found.line, found.column))
    return Parsed(source, Program(header, body), problems, comments)
