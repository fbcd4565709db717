"""The UTL-X language: read any data format, check and run transformations.

`compile_program(text).run({"input": Document(data)})` is the whole way from texts to text;
`convert` does without a program. Programs are pure: running one changes nothing and, apart from
the functions that ask the host for time or chance, always gives the same result.
"""

from rolltop.transform.errors import (
    EvaluationFailure,
    FunctionFailure,
    ProgramInvalid,
    ReadFailure,
    TypeFailure,
    WriteFailure,
)
from rolltop.transform.formats.table import Rendered
from rolltop.transform.program import Document, Program, compile_program, convert

__all__ = [
    "Document",
    "EvaluationFailure",
    "FunctionFailure",
    "Program",
    "ProgramInvalid",
    "ReadFailure",
    "Rendered",
    "TypeFailure",
    "WriteFailure",
    "compile_program",
    "convert",
]
