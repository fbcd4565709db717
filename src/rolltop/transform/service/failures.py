"""The engine's errors under the codes that callers of the service know."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from rolltop.errors import InvalidData, RolltopError
from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.errors import ProgramInvalid, ReadFailure
from rolltop.transform.run.evaluator import Evaluator, shown_at
from rolltop.transform.run.scope import ALL_FUNCTIONS
from rolltop.transform.syntax import tree
from rolltop.transform.syntax.source import Source

__all__ = [
    "EXECUTION_ERROR",
    "PARSE_ERROR",
    "TIMEOUT",
    "VALIDATION_ERROR",
    "failed",
    "invalid_program",
    "told",
    "unreadable",
]

PARSE_ERROR, VALIDATION_ERROR, EXECUTION_ERROR, TIMEOUT = (
    "PARSE_ERROR", "VALIDATION_ERROR", "EXECUTION_ERROR", "TIMEOUT",
)  # fmt: skip
_DEEPEST = 40
"""Lines of a stack trace; a recursion shows its innermost calls."""


def unreadable(error: ReadFailure, what: str) -> InvalidData:
    """Input data or a schema that its format's reader refuses."""
    return _coded(error, PARSE_ERROR, f"{what}: {error.message}", {})


def invalid_program(problems: list[Diagnostic], **details: Any) -> InvalidData:
    """A program that does not parse or check, with every error."""
    first = ProgramInvalid(problems)
    shown = [{**_place(item), "code": item.code, "message": item.message, **_hint(item)} for item in problems]
    return _coded(first, VALIDATION_ERROR, first.message, {"errors": shown, **details})


def failed(error: RolltopError, source: Source | None, **details: Any) -> InvalidData:
    """A run that ended with an error: where in the program, and through which calls it came there."""
    trace = _stack_trace(error, source) if source is not None else None
    if trace:
        details = {"stackTrace": trace, **details}
    return _coded(error, EXECUTION_ERROR, error.message, details)


def _coded(error: RolltopError, code: str, message: str, details: dict[str, Any]) -> InvalidData:
    place = {"line": error.position.line, "column": error.position.column} if error.position else {}
    return InvalidData(message, code=code, hint=told(error.hint), details={**place, **details})


def told(hint: str | None) -> str | None:
    """A hint for callers of the service, who have no command line."""
    return "get_stdlib_functions finds functions by what they do." if hint == ALL_FUNCTIONS else hint


def _place(item: Diagnostic) -> dict[str, int]:
    return {"line": item.line, "column": item.column}


def _hint(item: Diagnostic) -> dict[str, str | None]:
    return {"suggestion": told(item.hint)} if item.hint else {}


def _stack_trace(error: BaseException, source: Source) -> str | None:
    """The calls of the program that led to the error, innermost first, each with its line."""
    places = [source.place(shown_at(node)) for node in _calls(error.__traceback__)]
    if isinstance(error, RolltopError) and error.position:
        places.append((error.position.line, error.position.column))
    lines = list(dict.fromkeys(reversed(places)))
    shown = [f"at {line}:{column}: {source.line(line).strip()}" for line, column in lines[:_DEEPEST]]
    if len(lines) > _DEEPEST:
        shown.append(f"… {len(lines) - _DEEPEST} more")
    return "\n".join(shown) or None


def _calls(trace: TracebackType | None) -> list[tree.Expr]:
    evaluate = Evaluator.evaluate.__code__
    found: list[tree.Expr] = []
    while trace is not None:
        node = trace.tb_frame.f_locals.get("node") if trace.tb_frame.f_code is evaluate else None
        if isinstance(node, (tree.Call, tree.Pipe)):
            found.append(node)
        trace = trace.tb_next
    return found
