"""Collecting what was found, each thing once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rolltop.transform.diagnostics import Diagnostic, Severity
from rolltop.transform.syntax.source import Source

__all__ = ["Findings"]


_FEW = 100


class Findings:
    """Findings about one source. A body that is inferred for several callers reports once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: dict[tuple[str, int], Diagnostic] = {}
        self._forgiving = 0

    @property
    def are_few(self) -> bool:
        """Whether looking for what was meant is worth its time: nobody reads a hundred hints."""
        return len(self.found) < _FEW

    def error(self, code: str, message: str, at: int, *, hint: str | None = None) -> None:
        # Inside `try` a failure is expected; names are wrong wherever they are.
        self._note(code, message, at, hint, "warning" if self._forgiving and code[:2] == "E5" else "error")

    def warning(self, code: str, message: str, at: int, *, hint: str | None = None) -> None:
        if not self._forgiving:
            self._note(code, message, at, hint, "warning")

    def doubt(self, code: str, message: str, at: int, *, hint: str | None = None) -> None:
        """What is hardly meant, whether or not it may fail."""
        self._note(code, message, at, hint, "warning")

    def _note(self, code: str, message: str, at: int, hint: str | None, severity: Severity) -> None:
        if (code, at) not in self.found:
            self.found[code, at] = self.source.diagnostic(code, message, at, hint=hint, severity=severity)

    @contextmanager
    def forgiving(self) -> Iterator[None]:
        """Within `try` and after `??`: what may fail is dealt with."""
        self._forgiving += 1
        yield
        self._forgiving -= 1
