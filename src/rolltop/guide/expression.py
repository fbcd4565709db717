r"""Content expressions: `lang/python+rust,docs/api,review`.

::

    expression = term *( "," term )            ; empty terms are skipped
    term       = name [ "/" pattern *( "+" pattern ) ]
    pattern    = 1*( char / "\" any )          ; "\," "\+" "\\" stand for themselves

Parsing knows nothing of the file system or of what exists; it gives a tree with the column of
every part, and `str()` of the tree parses to the same tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rolltop.errors import Position
from rolltop.guide.errors import ArgumentInvalid, ExpressionInvalid
from rolltop.guide.names import NAME_RULE, is_name

__all__ = ["Expression", "Term", "escape", "parse", "parse_patterns", "pieces"]

LONGEST = 8192
"""Characters; what a person or an agent writes has a few dozen."""


@dataclass(frozen=True, slots=True)
class Term:
    """One category or collection, and the patterns asked of it; none means its own defaults."""

    name: str
    patterns: tuple[str, ...] = ()
    column: int = 1

    def __str__(self) -> str:
        return f"{self.name}/{'+'.join(self.patterns)}" if self.patterns else self.name


@dataclass(frozen=True, slots=True)
class Expression:
    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return ",".join(map(str, self.terms))

    def with_pattern(self, pattern: str) -> Expression:
        """The two-argument form: `pattern` goes to every term, none of which may have its own."""
        patterns = parse_patterns(pattern)
        for term in self.terms:
            if term.patterns:
                raise ArgumentInvalid(
                    f"a pattern was given twice for {term.name!r}: in the expression and as the argument pattern",
                    hint="Write name/pattern in the expression, or give the name there and pattern separately.",
                )
        return Expression(tuple(replace(term, patterns=patterns) for term in self.terms))


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    """One of `, / +` or `text`."""
    text: str
    column: int


def parse(text: str) -> Expression:
    """The tree of an expression; `ExpressionInvalid` says what is wrong and at which column."""
    _check_characters(text)
    terms = tuple(term for tokens in _split(_tokens(text), ",") if (term := _term(tokens)) is not None)
    if not terms:
        raise _wrong("the expression is empty", 1, "Name a category or collection, as in lang/python.")
    return Expression(terms)


def parse_patterns(text: str) -> tuple[str, ...]:
    """Patterns separated by `+`, as they stand after the slash of a term."""
    _check_characters(text)
    tokens = [replace(t, kind="text") if t.kind == "/" else t for t in _tokens(text)]
    for token in tokens:
        if token.kind == ",":
            raise _wrong(
                "a comma separates terms of an expression, not patterns",
                token.column,
                "Write + between patterns, and \\, for a comma in a file name.",
            )
    patterns = _patterns(tokens)
    if not patterns:
        raise _wrong("the pattern is empty", 1, "Give a pattern such as python or **/*.md, or leave it out.")
    return patterns


def escape(pattern: str) -> str:
    """A stored pattern as it has to be written in an expression: commas and plus signs escaped."""
    return "".join("\\" + piece if piece in {",", "+"} else piece for piece in pieces(pattern))


def _tokens(text: str) -> Iterator[_Token]:
    start, run = 1, ""
    column = 1
    for piece in pieces(text):
        if piece in {",", "/", "+"}:
            yield from _run(run, start)
            yield _Token(piece, piece, column)
            run = ""
        else:
            start = start if run else column
            run += piece
        column += len(piece)
    yield from _run(run, start)


def _run(run: str, start: int) -> Iterator[_Token]:
    if run:
        yield _Token("text", run, start)


def pieces(text: str) -> Iterator[str]:
    """Single characters, and a backslash together with the character that it escapes."""
    position = 0
    while position < len(text):
        length = 2 if text[position] == "\\" else 1
        if position + length > len(text):
            raise _wrong("a backslash at the end escapes nothing", position + 1, "Write \\\\ for a backslash.")
        yield text[position : position + length]
        position += length


def _split(tokens: Iterator[_Token] | list[_Token], kind: str) -> Iterator[list[_Token]]:
    part: list[_Token] = []
    for token in tokens:
        if token.kind == kind:
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _term(tokens: list[_Token]) -> Term | None:
    if not "".join(token.text for token in tokens).strip():
        return None
    slash = next((i for i, token in enumerate(tokens) if token.kind == "/"), len(tokens))
    head = "".join(token.text for token in tokens[:slash])
    column = tokens[0].column + len(head) - len(head.lstrip())
    name = head.strip()
    if not name:
        raise _wrong("a name is missing before the slash", column, "Write category/pattern, as in lang/python.")
    if not is_name(name):
        raise _wrong(
            f"{name[:60]!r} is not the name of a category or collection",
            column,
            f"A name has {NAME_RULE}; patterns come after a slash, as in lang/*.md.",
        )
    rest = [replace(token, kind="text") if token.kind == "/" else token for token in tokens[slash + 1 :]]
    return Term(name, _patterns(rest), column)


def _patterns(tokens: list[_Token]) -> tuple[str, ...]:
    texts = (_trim("".join(token.text for token in part)) for part in _split(tokens, "+"))
    return tuple(text for text in texts if text)


def _trim(text: str) -> str:
    """Without the blanks around it, except a last one that is escaped."""
    text = text.lstrip()
    trimmed = text.rstrip()
    backslashes = len(trimmed) - len(trimmed.rstrip("\\"))
    return text[: len(trimmed) + 1] if backslashes % 2 else trimmed


def _check_characters(text: str) -> None:
    if len(text) > LONGEST:
        raise _wrong(f"the expression is longer than {LONGEST} characters", LONGEST, "Ask for less at a time.")
    for index, character in enumerate(text):
        if ord(character) < 32 or 127 <= ord(character) < 160:
            raise _wrong(f"control character U+{ord(character):04X}", index + 1, "Use printable characters only.")


def _wrong(message: str, column: int, hint: str) -> ExpressionInvalid:
    return ExpressionInvalid(message, hint=hint, position=Position(1, column), details={"column": column})
