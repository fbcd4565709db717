"""Text to tree, with every syntax error and not only the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.stack import deep_stack
from rolltop.transform.syntax.cursor import Cursor
from rolltop.transform.syntax.expressions import ExpressionParser
from rolltop.transform.syntax.extensions import Extensions
from rolltop.transform.syntax.header import implied_header, parse_header
from rolltop.transform.syntax.lexer import Comment, join_names, tokenize
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
    unclear_pipes: list[int] = field(default_factory=list)
    """Offsets of pipes that follow an `if` without parentheses."""
    extensions: Extensions | None = None


def parse(
    text: str,
    *,
    name: str = "program",
    inputs: Mapping[str, str] | None = None,
    output_format: str | None = None,
    shorthand: bool = False,
    strict: bool = False,
) -> Parsed:
    """Parse a program. Without a header, names and formats of the inputs are the caller's, else one json.

    `shorthand` lets an operand start with a dot: `.a.b` is `$input.a.b`. `strict`, or `%utlx 1.0 strict` as the first
    line, refuses what UTL-X does not have.
    """
    source = Source(text, name)
    with deep_stack():
        tokens, comments, problems = tokenize(source)
        cursor = Cursor(source, tokens, problems)
        has_header = tokens.kinds[0] == "directive" or "---" in tokens.kinds
        header = parse_header(cursor) if has_header else implied_header(inputs or {}, output_format)
        join_names(text, tokens, (port.name for port in header.inputs), cursor.index)
        parser = ExpressionParser(cursor, shorthand=shorthand)
        body = parser.program_body()
    if strict or "strict" in header.directive.split():
        problems.extend(parser.extensions.refused(body))
    problems.sort(key=lambda found: (found.line, found.column))
    return Parsed(source, Program(header, body), problems, comments, parser.unclear_pipes, parser.extensions)
