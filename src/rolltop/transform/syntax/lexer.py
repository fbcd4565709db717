"""Text to tokens. One regular expression does the work; errors are collected, never raised.

A hyphen belongs to a name when a letter follows (`total-tax`), so `a-1` is a subtraction.
`$` before a name is kept in the token's text. Comments are not tokens; the formatter asks for them.
"""

from __future__ import annotations

import re
from functools import partial
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
    r"""[ \t\f\v\u00a0\ufeff]*(?:
    (?P<newline>[\r\n]+)
  | (?P<name>\$?[^\W\d]\w*(?:-[^\W\d]\w*)*)
  | (?P<comment>//[^\r\n]*|/\*[\s\S]*?\*/)
  | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
  | (?P<string>"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^'\\]*(?:\\[\s\S][^'\\]*)*')
  | (?P<rule>---+)
  | (?P<unclosed>/\*[\s\S]*|["'][^\r\n]*)
  | (?P<op>\.\.\.|\|>|=>|->|==|!=|<=|>=|&&|\|\||\?\?|\?\.|\*\*|[-+*/%<>!?=(){}\[\],.:;@^|])
  | (?P<bad>[^ \t\f\v\u00a0\ufeff])
    )""",
    re.VERBOSE,
)
_DIRECTIVE = re.compile(r"%(?:utlx|dw)\b[^\r\n]*")
_LEAD = re.compile(r"(?:\s|\ufeff|//[^\r\n]*|/\*[\s\S]*?\*/)*")
_NOTE = re.compile(r"//[^\r\n]*|/\*[\s\S]*?\*/")
_LINE_END = re.compile(r"[\r\n]")
_token = partial(tuple.__new__, Token)  # what Token(...) does, without its wrapper: there are many


def tokenize(source: Source) -> tuple[list[Token], list[Comment], list[Diagnostic]]:
    """All tokens (the last is `end`), all comments, and what was no token."""
    text = source.text
    tokens: list[Token] = []
    comments: list[Comment] = []
    problems: list[Diagnostic] = []
    fresh, expect_rule, start = True, True, 0
    directive = _DIRECTIVE.match(text, _leading(text))
    if directive is not None:
        comments.extend(Comment(note[0], note.start(), True) for note in _NOTE.finditer(text, 0, directive.start()))
        tokens.append(Token("directive", directive[0], directive.start(), True))
        start = directive.end()
    append = tokens.append
    for found in _PATTERN.finditer(text, start):
        kind = found.lastgroup
        if kind == "newline":
            fresh = True
            continue
        assert kind is not None
        lexeme = found[kind]
        at = found.end() - len(lexeme)
        if kind == "name":
            append(_token(("keyword" if lexeme in KEYWORDS else "name", lexeme, at, fresh)))
        elif kind == "op":
            append(_token(("=>" if lexeme == "->" else lexeme, lexeme, at, fresh)))
        elif kind == "comment":
            comments.append(Comment(lexeme, at, fresh))
            fresh = fresh or _LINE_END.search(lexeme) is not None
            continue
        elif kind in ("bad", "unclosed"):
            problems.append(_problem(source, at, lexeme))
        elif kind == "rule":
            # Dashes end the header once; later (or in the middle of a header-less line) they are minus signs.
            if expect_rule and (fresh or directive is not None):
                append(Token("---", lexeme, at, fresh))
                expect_rule = False
            else:
                tokens.extend(Token("-", "-", at + index, fresh and not index) for index in range(len(lexeme)))
        else:
            append(_token((kind, lexeme, at, fresh)))
        fresh = False
    append(Token("end", "", len(text), True))
    return tokens, comments, problems


def _leading(text: str) -> int:
    """Where the first token starts: after a byte order mark, blanks and comments."""
    lead = _LEAD.match(text)
    return lead.end() if lead else 0


def _problem(source: Source, at: int, lexeme: str) -> Diagnostic:
    """What is wrong with characters that are no token."""
    if lexeme.startswith("/*"):
        return source.diagnostic("E101", "this comment is never closed", at, hint="Add `*/`.")
    if lexeme[0] in "'\"":
        return source.diagnostic("E102", "Unterminated string", at, hint=f"Close it with {lexeme[0]}.")
    return source.diagnostic("E103", f"Unexpected character: {lexeme}", at, hint=_HINTS.get(lexeme))


_HINTS = {
    "&": "Write `&&` for 'and'.",
    "`": "Strings are written in single or double quotes; join parts with `+`.",
    "$": "`$` must be followed directly by a name, as in `$input`.",
    "#": "Comments start with `//`.",
    "\\": "Lambdas are written `x => …`.",
}
