"""The parser's hands: where it is in the tokens, what it expected, how it goes on after an error."""

from __future__ import annotations

from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.syntax.lexer import Tokens
from rolltop.transform.syntax.source import Source

__all__ = ["Bail", "Cursor"]

OPENERS = {"{": "}", "[": "]", "(": ")"}
CLOSERS = frozenset(OPENERS.values())
SEPARATORS = frozenset({",", ";"})
WORDS = frozenset({"name", "keyword"})
MAX_NESTING = 200
MAX_CHAIN = 1000
"""Operators, pipes or members in a row: each is one level of the tree."""
PIPE_HINT = "A value is handed to a function with `|>`; 'or' is `||`."


class Bail(Exception):
    """A syntax error was recorded; the nearest list of things goes on after it."""


class Cursor:
    """Tokens, a position in them, and the findings so far. A token is spoken of by its number."""

    __slots__ = (
        "depth", "fresh_column", "index", "kind", "kinds", "offsets", "problems", "reported_at", "source", "texts",
    )  # fmt: skip

    def __init__(self, source: Source, tokens: Tokens, problems: list[Diagnostic]) -> None:
        self.source = source
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.offsets = tokens.offsets
        self.fresh_column = tokens.fresh
        self.problems = problems
        self.index = 0
        self.kind = tokens.kinds[0]
        """The kind of the current token; everything else about it is looked up by its number."""
        self.depth = 0
        self.reported_at = -1

    @property
    def text(self) -> str:
        return self.texts[self.index]

    @property
    def at(self) -> int:
        """The offset of the current token."""
        return self.offsets[self.index]

    @property
    def fresh(self) -> bool:
        """Whether the current token is the first on its line."""
        return self.fresh_column[self.index]

    def advance(self) -> int:
        """The number of the current token; the next one becomes current."""
        index = self.index
        if self.kind != "end":
            self.index = index + 1
            self.kind = self.kinds[index + 1]
        return index

    def ahead(self, count: int = 1) -> str:
        """The kind of a token further on, at most three."""
        return self.kinds[min(self.index + count, len(self.kinds) - 1)]

    def accept(self, kind: str) -> bool:
        if self.kind == kind:
            self.advance()
            return True
        return False

    def is_word(self, word: str) -> bool:
        return self.kind in WORDS and self.texts[self.index] == word

    def expect(self, kind: str, message: str, *, hint: str | None = None) -> int:
        if self.kind == kind:
            return self.advance()
        raise self.error(message, hint=hint)

    def close(self, opener: int, *, hint: str | None = None) -> None:
        """Expect the bracket that closes an opened one."""
        opened = self.kinds[opener]
        wanted = OPENERS[opened]
        if self.kind == wanted:
            self.advance()
            return
        if self.kind == "|":
            hint = PIPE_HINT
        line, column = self.source.place(self.offsets[opener])
        raise self.error(f"expected '{wanted}' to close '{opened}' opened at {line}:{column}", hint=hint)

    def error(self, message: str, *, hint: str | None = None, at: int | None = None, code: str = "E201") -> Bail:
        """Record a finding (one per token at most) and give the exception to raise."""
        place = self.at if at is None else at
        if place != self.reported_at:
            self.reported_at = place
            found = "" if at is not None else f", found {self._found()}"
            self.problems.append(self.source.diagnostic(code, message + found, place, hint=hint))
        return Bail()

    def _found(self) -> str:
        if self.kind == "end":
            return "the end of the program"
        text = self.text
        shown = text if len(text) <= 30 else text[:27] + "..."
        return shown if self.kind == "string" else f"'{shown}'"

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self.too_deep()

    def too_deep(self) -> Bail:
        return self.error(f"more than {MAX_NESTING} levels of nesting", at=self.at, code="E202")

    def too_long(self) -> Bail:
        hint = "Split it: bind parts with let, or put the values into an array and fold it."
        return self.error(f"more than {MAX_CHAIN} operators in a row", at=self.at, code="E204", hint=hint)

    def leave(self) -> None:
        self.depth -= 1

    def recover(self, depth: int, closer: str, *, lines: bool) -> None:
        """Go on after an error in a list that ends with `closer`; always past at least what stopped it."""
        self.depth = depth
        self.skip_to_next(lines=lines)
        if self.kind != closer and (self.kind in CLOSERS or self.kind in SEPARATORS):
            self.advance()

    def skip_to_next(self, *, lines: bool) -> None:
        """Past what cannot be read: to a separator or closing bracket of this level (or a new line)."""
        depth, start = 0, self.index
        while self.kind != "end":
            kind = self.kind
            if depth == 0 and self._is_boundary(kind, lines=lines, moved=self.index > start):
                return
            if kind in OPENERS:
                depth += 1
            elif kind in CLOSERS:
                depth -= 1
            self.advance()

    def _is_boundary(self, kind: str, *, lines: bool, moved: bool) -> bool:
        if kind in CLOSERS or kind in SEPARATORS:
            return True
        return lines and moved and self.fresh
