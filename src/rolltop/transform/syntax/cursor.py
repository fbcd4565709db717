"""The parser's hands: where it is in the tokens, what it expected, how it goes on after an error."""

from __future__ import annotations

from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.syntax.lexer import Token
from rolltop.transform.syntax.source import Source

__all__ = ["Bail", "Cursor"]

OPENERS = {"{": "}", "[": "]", "(": ")"}
CLOSERS = frozenset(OPENERS.values())
MAX_NESTING = 200


class Bail(Exception):
    """A syntax error was recorded; the nearest list of things goes on after it."""


class Cursor:
    """Tokens, a position in them, and the findings so far."""

    def __init__(self, source: Source, tokens: list[Token], problems: list[Diagnostic]) -> None:
        self.source = source
        self.tokens = tokens
        self.problems = problems
        self.index = 0
        self.token = tokens[0]
        self.depth = 0
        self.reported_at = -1

    def advance(self) -> Token:
        """The current token; the next one becomes current."""
        token = self.token
        if token.kind != "end":
            self.index += 1
            self.token = self.tokens[self.index]
        return token

    def ahead(self, count: int = 1) -> Token:
        at = self.index + count
        return self.tokens[at] if at < len(self.tokens) else self.tokens[-1]

    def accept(self, kind: str) -> bool:
        if self.token.kind == kind:
            self.advance()
            return True
        return False

    def is_word(self, word: str) -> bool:
        return self.token.text == word and self.token.kind in ("keyword", "name")

    def expect(self, kind: str, message: str, *, hint: str | None = None) -> Token:
        if self.token.kind == kind:
            return self.advance()
        raise self.error(message, hint=hint)

    def close(self, opener: Token, *, hint: str | None = None) -> None:
        """Expect the bracket that closes an opened one."""
        wanted = OPENERS[opener.kind]
        if self.accept(wanted):
            return
        line, column = self.source.place(opener.at)
        raise self.error(f"expected '{wanted}' to close '{opener.kind}' opened at {line}:{column}", hint=hint)

    def error(self, message: str, *, hint: str | None = None, at: int | None = None, code: str = "E201") -> Bail:
        """Record a finding (one per token at most) and give the exception to raise."""
        place = self.token.at if at is None else at
        if place != self.reported_at:
            self.reported_at = place
            found = "" if at is not None else f", found {self._found()}"
            self.problems.append(self.source.diagnostic(code, message + found, place, hint=hint))
        return Bail()

    def _found(self) -> str:
        if self.token.kind == "end":
            return "the end of the program"
        shown = self.token.text if len(self.token.text) <= 30 else self.token.text[:27] + "..."
        return shown if self.token.kind == "string" else f"'{shown}'"

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self.error(f"more than {MAX_NESTING} levels of nesting", at=self.token.at, code="E202")

    def leave(self) -> None:
        self.depth -= 1

    def recover(self, depth: int, closer: str, *, lines: bool) -> None:
        """Go on after an error in a list that ends with `closer`; always past at least what stopped it."""
        self.depth = depth
        self.skip_to_next(lines=lines)
        if self.token.kind != closer and (self.token.kind in CLOSERS or self.token.kind in (",", ";")):
            self.advance()

    def skip_to_next(self, *, lines: bool) -> None:
        """Past what cannot be read: to a separator or closing bracket of this level (or a new line)."""
        depth, start = 0, self.index
        while self.token.kind != "end":
            kind = self.token.kind
            if depth == 0 and self._is_boundary(kind, lines=lines, moved=self.index > start):
                return
            if kind in OPENERS:
                depth += 1
            elif kind in CLOSERS:
                depth -= 1
            self.advance()

    def _is_boundary(self, kind: str, *, lines: bool, moved: bool) -> bool:
        if kind in CLOSERS or kind in (",", ";"):
            return True
        return lines and moved and self.token.fresh
