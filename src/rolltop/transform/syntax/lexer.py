"""Text to tokens. One regular expression does the work; errors are collected, never raised.

Tokens are columns, not objects: `kinds[i]`, `texts[i]`, `offsets[i]` and `fresh[i]` describe token
`i`. That is what makes reading a small program cheap: each column is made in one go.

A hyphen belongs to a name when a letter follows (`total-tax`), so `a-1` is a subtraction. Only `$a-1` may be an input
of that name, which is known when the header was read (`join_names`).
`$` before a name is kept in the token's text. Comments are not tokens; the formatter asks for them.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate, chain, compress
from typing import NamedTuple

from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.syntax.source import Source

__all__ = ["KEYWORDS", "Comment", "Tokens", "join_names", "tokenize", "tokenize_part"]

KEYWORDS = frozenset({"let", "in", "function", "def", "if", "else", "match", "try", "catch", "true", "false", "null"})


class Comment(NamedTuple):
    text: str
    at: int
    own_line: bool


class Tokens:
    """The tokens of a program. Several `end` tokens follow the last, so that looking ahead needs no care."""

    __slots__ = ("fresh", "kinds", "offsets", "texts")

    def __init__(self, kinds: list[str], texts: list[str], offsets: list[int], fresh: list[bool]) -> None:
        self.kinds = kinds
        """`name`, `keyword`, `number`, `string`, `directive`, `---`, `end`, or the operator itself."""
        self.texts = texts
        self.offsets = offsets
        self.fresh = fresh
        """Whether it is the first token on its line."""

    def add(self, kind: str, text: str, offset: int, fresh: bool) -> None:
        self.kinds.append(kind)
        self.texts.append(text)
        self.offsets.append(offset)
        self.fresh.append(fresh)


# Two groups, blanks and a lexeme, so that all of the text is in the answer and offsets are sums.
_PATTERN = re.compile(
    r"""([ \t\r\n\f\v\u00a0\ufeff]*)(
    [A-Za-z_]\w*(?:-[^\W\d]\w*)*
  | [,:(){}\[\]]
  | \.(?:\.\.?)?
  | "[^"\\]*(?:\\[\s\S][^"\\]*)*"
  | =[=>]?
  | \|[>|]?
  | \$?[^\W\d]\w*(?:-[^\W\d]\w*)*
  | \d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?:m(?!\w))?
  | '[^'\\]*(?:\\[\s\S][^'\\]*)*'
  | `[^`\\]*(?:\\[\s\S][^`\\]*)*`
  | [<>!]=?
  | \?[?.]?
  | \*\*?
  | -(?:>|--+)?
  | &&
  | //[^\r\n]*|/\*[\s\S]*?\*/|/\*[\s\S]*
  | .
  | \Z
    )""",
    re.VERBOSE,
)
_DIRECTIVE = re.compile(r"%(?:utlx|dw)\b[^\r\n]*")
_LEAD = re.compile(r"(?:\s|\ufeff|//[^\r\n]*|/\*[\s\S]*?\*/)*")
_NOTE = re.compile(r"//[^\r\n]*|/\*[\s\S]*?\*/")
_HYPHEN_DIGIT = re.compile(r"-\d")
_OPERATORS = "... .. |> => == != <= >= && || ?? ?. ** + - * / % < > ! ? = ( ) { } [ ] , . : ; @ ^ |"
_KINDS: dict[str, str] = {
    **{operator: operator for operator in _OPERATORS.split()},
    **dict.fromkeys(KEYWORDS, "keyword"),
    "->": "=>",
    **dict.fromkeys(("'", '"', "`", "$"), "bad"),
    "": "end",
}
"""The kind of every lexeme that is one of few; a quote alone opens a string that is never closed."""


class _ByFirst(dict[str, str]):
    """The kind of any other lexeme, by its first character."""

    def __missing__(self, character: str) -> str:
        if character.isdecimal():
            return "number"
        return "name" if character.isalnum() else "bad"


_BY_FIRST = _ByFirst(
    {
        **dict.fromkeys(string.ascii_letters + "_$", "name"),
        **dict.fromkeys(string.digits, "number"),
        **dict.fromkeys("\"'", "string"),
        "`": "template",
        "/": "comment",
        "-": "rule",
    }
)
_SPECIAL = frozenset({"comment", "bad", "rule"})
"""Kinds that the parser never sees."""
_LOOKAHEAD = 3


def tokenize(source: Source) -> tuple[Tokens, list[Comment], list[Diagnostic]]:
    """All tokens, all comments, and what was no token."""
    text = source.text
    comments: list[Comment] = []
    problems: list[Diagnostic] = []
    directive = _DIRECTIVE.match(text, _leading(text))
    start = directive.end() if directive else 0
    tokens = _columns(text, start)
    _close(tokens, len(text))
    if directive is not None:
        comments.extend(Comment(note[0], note.start(), True) for note in _NOTE.finditer(text, 0, directive.start()))
    else:
        tokens.fresh[0] = True
    if "rule" in tokens.kinds:
        _mark_rule(tokens, has_directive=directive is not None)
    if not _SPECIAL.isdisjoint(tokens.kinds):
        tokens = _sifted(source, tokens, comments, problems)
    if directive is not None:
        _prepend(tokens, directive)
    return tokens, comments, problems


def tokenize_part(source: Source, start: int, end: int) -> tuple[Tokens, list[Diagnostic]]:
    """The tokens of a part of the text, with their offsets in the whole of it."""
    text = source.text[:end]
    problems: list[Diagnostic] = []
    tokens = _columns(text, start)
    _close(tokens, end)
    if not _SPECIAL.isdisjoint(tokens.kinds):
        tokens = _sifted(source, tokens, [], problems)
    return tokens, problems


def join_names(text: str, tokens: Tokens, names: Iterable[str], start: int) -> None:
    """Make one token of each `$name` from a token on, where it is one of these names with a hyphen before a digit."""
    split = sorted((name for name in names if _HYPHEN_DIGIT.search(name)), key=len, reverse=True)
    if not split:
        return
    whole = re.compile(rf"\$(?:{'|'.join(map(re.escape, split))})(?!\w|\.\d)").match
    at = start
    while tokens.kinds[at] != "end":
        found = whole(text, tokens.offsets[at]) if tokens.texts[at].startswith("$") else None
        if found is not None:
            after = bisect_left(tokens.offsets, found.end(), at)
            tokens.texts[at] = found[0]
            for column in (tokens.kinds, tokens.texts, tokens.offsets, tokens.fresh):
                del column[at + 1 : after]
        at += 1


def _columns(text: str, start: int) -> Tokens:
    """Every lexeme from a place on, special ones included."""
    found = _PATTERN.findall(text, start)
    blanks, texts = zip(*found, strict=True)
    few = _KINDS.get
    kinds = [few(lexeme) or _BY_FIRST[lexeme[0]] for lexeme in texts]
    offsets = list(accumulate(map(len, chain.from_iterable(found)), initial=start))[1::2]
    fresh = ["\n" in blank for blank in blanks]
    if "\r" in text:
        fresh = ["\n" in blank or "\r" in blank for blank in blanks]
    return Tokens(kinds, list(texts), offsets, fresh)


def _mark_rule(tokens: Tokens, *, has_directive: bool) -> None:
    """Dashes end the header once; later (or in the middle of a header-less line) they are minus signs."""
    at = tokens.kinds.index("rule")
    while at >= 0:
        if tokens.fresh[at] or has_directive:
            tokens.kinds[at] = "---"
            return
        at = next((later for later in range(at + 1, len(tokens.kinds)) if tokens.kinds[later] == "rule"), -1)


def _sifted(source: Source, tokens: Tokens, comments: list[Comment], problems: list[Diagnostic]) -> Tokens:
    """The tokens without comments and without what is none; lines of dashes as minus signs."""
    kinds, texts, offsets, fresh = tokens.kinds, tokens.texts, tokens.offsets, tokens.fresh
    kept = [True] * len(kinds)
    for at in [at for at, kind in enumerate(kinds) if kind in _SPECIAL]:
        kind, lexeme = kinds[at], texts[at]
        if kind == "rule" or not kept[at]:
            continue
        kept[at] = False
        if kind == "comment" and not _is_open(lexeme):
            comments.append(Comment(lexeme, offsets[at], fresh[at]))
            # What follows a comment starts a line when the comment did, or when a line ended inside.
            fresh[at + 1] = fresh[at + 1] or fresh[at] or "\n" in lexeme or "\r" in lexeme
            continue
        problems.append(_problem(source, offsets[at], lexeme))
        if lexeme in ("'", '"', "`"):
            _drop_line(tokens, at + 1, kept)
    sifted = Tokens(
        list(compress(kinds, kept)),
        list(compress(texts, kept)),
        list(compress(offsets, kept)),
        list(compress(fresh, kept)),
    )
    return _with_minus_signs(sifted) if "rule" in sifted.kinds else sifted


def _drop_line(tokens: Tokens, at: int, kept: list[bool]) -> None:
    """Leave out the rest of a line behind a quote that is never closed."""
    while tokens.kinds[at] != "end" and not tokens.fresh[at]:
        kept[at] = False
        at += 1


def _with_minus_signs(tokens: Tokens) -> Tokens:
    split = Tokens([], [], [], [])
    for kind, lexeme, at, fresh in zip(tokens.kinds, tokens.texts, tokens.offsets, tokens.fresh, strict=True):
        if kind == "rule":
            for index in range(len(lexeme)):
                split.add("-", "-", at + index, fresh and not index)
        else:
            split.add(kind, lexeme, at, fresh)
    return split


def _prepend(tokens: Tokens, directive: re.Match[str]) -> None:
    tokens.kinds.insert(0, "directive")
    tokens.texts.insert(0, directive[0])
    tokens.offsets.insert(0, directive.start())
    tokens.fresh.insert(0, True)


def _close(tokens: Tokens, length: int) -> None:
    """End the columns with as many `end` tokens as looking ahead may reach."""
    while tokens.kinds and tokens.kinds[-1] == "end":
        for column in (tokens.kinds, tokens.texts, tokens.offsets, tokens.fresh):
            column.pop()
    for _ in range(1 + _LOOKAHEAD):
        tokens.add("end", "", length, True)


def _leading(text: str) -> int:
    """Where the first token starts: after a byte order mark, blanks and comments."""
    lead = _LEAD.match(text)
    return lead.end() if lead else 0


def _is_open(comment: str) -> bool:
    return comment.startswith("/*") and (len(comment) < 4 or not comment.endswith("*/"))


def _problem(source: Source, at: int, lexeme: str) -> Diagnostic:
    """What is wrong with characters that are no token."""
    if lexeme.startswith("/*"):
        return source.diagnostic("E101", "this comment is never closed", at, hint="Add `*/`.")
    if lexeme[0] in "'\"`":
        return source.diagnostic("E102", "Unterminated string", at, hint=f"Close it with {lexeme[0]}.")
    return source.diagnostic("E103", f"Unexpected character: {lexeme}", at, hint=_HINTS.get(lexeme))


_HINTS = {
    "&": "Write `&&` for 'and'.",
    "$": "The document is `$input`; an element is named by its lambda, as in `map(x => x.price)`.",
    "#": "Comments start with `//`.",
    "\\": "Lambdas are written `x => …`.",
}
