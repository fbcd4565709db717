"""Text to tokens. One regular expression does the work; errors are collected, never raised.

A hyphen belongs to a name when a letter follows (`total-tax`), so `a-1` is a subtraction.
`$` before a name is kept in the token's text. Comments are not tokens; the formatter asks for them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.syntax.source import Source

__all__ = ["KEYWORDS", "Comment", "Token", "tokenize"]

KEYWORDS = frozenset({"let", "in", "function", "def", "if", "else", "match", "try", "catch", "true", "false", "null"})


class Token(NamedTuple):
    kind: str
    """`name`, `keyword`, `number`, `string`, `directive`, `end`, or the operator itself."""
    text: str
    at: int
    fresh: bool
    """First token on its line."""


class Comment(NamedTuple):
    text: str
    at: int
    own_line: bool


_PATTERN = re.compile(
    r"""
    (?P<space>[ \t\f\v\u00a0\ufeff]+)
  | (?P<newline>[\r\n]+)
  | (?P<comment>//[^\r\n]*|/\*.*?\*/)
  | (?P<unclosed>/\*)
  | (?P<name>\$?[^\W\d]\w*(?:-[^\W\d]\w*)*)
  | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
  | (?P<string>"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*')
  | (?P<rule>---+)
  | (?P<op>\.\.\.|\|>|=>|->|==|!=|<=|>=|&&|\|\||\?\?|\?\.|\*\*|[-+*/%<>!?=(){}\[\],.:;@^|])
  | (?P<bad>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"%(?:utlx|dw)\b[^\r\n]*")
_LINE_END = re.compile(r"[\r\n]")


def tokenize(source: Source) -> tuple[list[Token], list[Comment], list[Diagnostic]]:
    """All tokens (the last is `end`), all comments, and what was no token."""
    text = source.text
    tokens: list[Token] = []
    comments: list[Comment] = []
    problems: list[Diagnostic] = []
    fresh, expect_rule, at, size = True, True, 0, len(text)
    match = _PATTERN.match
    directive = _DIRECTIVE.match(text, _leading(text))
    if directive is not None:
        tokens.append(Token("directive", directive[0], directive.start(), True))
        at = directive.end()
    append = tokens.append
    while at < size:
        found = match(text, at)
        assert found is not None
        kind = found.lastgroup
        lexeme = found.group()
        if kind == "space":
            at = found.end()
            continue
        if kind == "newline":
            fresh = True
        elif kind == "name":
            append(Token("keyword" if lexeme in KEYWORDS else "name", lexeme, at, fresh))
            fresh = False
        elif kind == "op":
            append(Token("=>" if lexeme == "->" else lexeme, lexeme, at, fresh))
            fresh = False
        elif kind == "comment":
            comments.append(Comment(lexeme, at, fresh))
            if _LINE_END.search(lexeme):
                fresh = True
        elif kind in ("bad", "unclosed"):
            at = _bad(source, at, lexeme, problems)
            fresh = False
            continue
        elif kind == "rule":
            # Dashes end the header once; later (or in the middle of a header-less line) they are minus signs.
            if expect_rule and (fresh or directive is not None):
                append(Token("---", lexeme, at, fresh))
                expect_rule = False
            else:
                tokens.extend(Token("-", "-", at + index, fresh and not index) for index in range(len(lexeme)))
            fresh = False
        else:
            assert kind is not None
            append(Token(kind, lexeme, at, fresh))
            fresh = False
        at = found.end()
    append(Token("end", "", size, True))
    return tokens, comments, problems


def _leading(text: str) -> int:
    """Where the first token starts: after a byte order mark, blanks and comments."""
    lead = re.compile(r"(?:\s|\ufeff|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL).match(text)
    return lead.end() if lead else 0


def _bad(source: Source, at: int, lexeme: str, problems: list[Diagnostic]) -> int:
    """Say what is wrong with a character that starts no token; where to go on."""
    if lexeme == "/*":
        problems.append(source.diagnostic("E101", "this comment is never closed", at, hint="Add `*/`."))
        return len(source.text)
    if lexeme in ("'", '"'):
        problems.append(source.diagnostic("E102", "Unterminated string", at, hint=f"Close it with {lexeme}."))
        end = _LINE_END.search(source.text, at)
        return end.start() if end else len(source.text)
    problems.append(source.diagnostic("E103", f"Unexpected character: {lexeme}", at, hint=_HINTS.get(lexeme)))
    return at + len(lexeme)


_HINTS = {
    "&": "Write `&&` for 'and'.",
    "`": "Strings are written in single or double quotes; join parts with `+`.",
    "$": "`$` must be followed directly by a name, as in `$input`.",
    "#": "Comments start with `//`.",
    "\\": "Lambdas are written `x => …`.",
}
