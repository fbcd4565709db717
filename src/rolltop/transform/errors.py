"""What the transform engine raises, on top of `rolltop.errors`.

::

    InvalidData
    ├── ProgramInvalid        the program does not parse or check; carries every diagnostic
    ├── ReadFailure           input text is not what its format says; line and column in the data
    ├── WriteFailure          the result cannot be written in the output format
    └── EvaluationFailure     the program ran into a wall at a known place of its source
        ├── TypeFailure       a value has the wrong type for what is done with it
        └── FunctionFailure   a standard library function refused its arguments

`try { … } catch (e) { … }` in the language catches `EvaluationFailure` and binds `e` to its message.
Limits (depth, size) are `SizeLimit` of `rolltop.errors` and cannot be caught by a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from rolltop.errors import InvalidData, Position
from rolltop.transform.diagnostics import Diagnostic

__all__ = [
    "EvaluationFailure",
    "FunctionFailure",
    "ProgramInvalid",
    "ReadFailure",
    "TypeFailure",
    "WriteFailure",
    "fail",
]


LONGEST = 500
"""Characters of a message; values that it quotes may be of any length."""


class ProgramInvalid(InvalidData):
    """A program that cannot run, with everything that is wrong with it."""

    code = "invalid_program"

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        first = diagnostics[0]
        more = f" (and {len(diagnostics) - 1} more)" if len(diagnostics) > 1 else ""
        super().__init__(
            first.message + more,
            code=first.code,
            hint=first.hint,
            position=Position(first.line, first.column),
            details={"diagnostics": [item.as_dict() for item in diagnostics]},
        )
        self.diagnostics = list(diagnostics)


class ReadFailure(InvalidData):
    """Input text that its format's reader refuses."""

    code = "unreadable_input"

    def __init__(self, message: str, line: int = 1, column: int = 1, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint, position=Position(line, column))


class WriteFailure(InvalidData):
    """A result that the output format cannot hold."""

    code = "unwritable_output"

    def __init__(
        self, message: str, *, hint: str | None = None, position: Position | None = None, key: str | None = None
    ) -> None:
        """`key`: the one that cannot be written, by which its place in a program is found."""
        super().__init__(message, hint=hint, position=position)
        self.key = key


class EvaluationFailure(InvalidData):
    """A program that stopped while running; evaluators add the position where it happened."""

    code = "runtime_error"


class TypeFailure(EvaluationFailure):
    code = "type_error"


class FunctionFailure(EvaluationFailure):
    code = "function_error"


def fail(message: str, *, hint: str | None = None, **details: Any) -> NoReturn:
    """Stop the calling standard library function with a message for the program's author."""
    shown = message if len(message) <= LONGEST else message[:LONGEST] + "…"
    raise FunctionFailure(shown, hint=hint, details=details)
