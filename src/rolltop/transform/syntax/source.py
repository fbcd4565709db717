"""A program's text, and the way from an offset in it to line, column and a diagnostic."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from rolltop.errors import RolltopError
from rolltop.transform.diagnostics import Diagnostic, Severity

__all__ = ["Source"]

_WORD = re.compile(r"\??\.[@^]?[\w*]+|[$@]?\w+(?:-[^\W\d]\w*)*|\"[^\"\n]*\"?|'[^'\n]*'?|[-+*/%=!<>|&?.]+|.", re.UNICODE)


class Source:
    """Text with a lazily built line index."""

    def __init__(self, text: str, name: str = "program") -> None:
        self.text = text
        self.name = name

    @cached_property
    def starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", self.text))]

    def place(self, offset: int) -> tuple[int, int]:
        """1-based line and column of an offset."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line without its end."""
        start = self.starts[number - 1]
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column."""
        return self.starts[min(line, len(self.starts)) - 1] + column - 1

    def failure(self, error: RolltopError) -> Diagnostic:
        """A failure at run time, shown where in the program it happened."""
        at = self.offset(error.position.line, error.position.column) if error.position else 0
        return self.diagnostic(error.error_type, error.message, at, hint=error.hint)

    def diagnostic(
        self,
        code: str,
        message: str,
        offset: int,
        *,
        hint: str | None = None,
        severity: Severity = "error",
    ) -> Diagnostic:
        """A finding about the token at an offset, with its source line."""
        offset = min(offset, len(self.text))
        line, column = self.place(offset)
        word = _WORD.match(self.text, offset)
        length = len(word[0]) if word and word[0].strip() else 1
        return Diagnostic(code, message, line, column, length, severity, hint, self.line(line))
