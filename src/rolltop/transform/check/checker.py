"""Everything that can be said about a program without running it, in the order of the source."""

from __future__ import annotations

from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.syntax.parser import Parsed, parse

__all__ = ["check", "check_parsed"]


def check(text: str, *, lint: bool = False) -> list[Diagnostic]:
    return check_parsed(parse(text), lint=lint)


def check_parsed(parsed: Parsed, *, lint: bool = False) -> list[Diagnostic]:
    return list(parsed.problems)
