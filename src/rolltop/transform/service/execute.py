"""Run one program on one input."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, NamedTuple

from rolltop.errors import InvalidData, InvalidInput, RolltopError, SizeLimit
from rolltop.transform.cache import cached_program
from rolltop.transform.errors import EvaluationFailure, ProgramInvalid, ReadFailure
from rolltop.transform.program import Document, Program
from rolltop.transform.service.failures import failed, invalid_program, unreadable
from rolltop.transform.service.sizes import refuse_endless
from rolltop.transform.service.validate import repaired
from rolltop.transform.stdlib.host import host, of_one_run

__all__ = ["as_bytes", "execute"]

_SMALL_INPUT = 1_000_000
"""Characters of input; of a small one, only parts that are used again and again make a large result."""
_SOON = 1000
"""Milliseconds in which a run is short enough to be done again."""


def as_bytes(text: str) -> bytes:
    """The bytes for each of which a text has one character: what is asked for as JSON can hold no others."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        raise InvalidInput("binary data has one character for each byte, none of them beyond 255") from None


def execute(
    transformation: str,
    data: str | bytes,
    input_format: str,
    output_format: str,
    binary: bool = False,
    *,
    inputs: Mapping[str, Mapping[str, str]] | None = None,
    tell_purity: bool = False,
) -> dict[str, Any]:
    """The output as text, and the milliseconds from text to text; compiling included.

    With `tell_purity`, also whether another run would give the same.

    `binary`: the data is bytes in an encoding of its own, written as one character for each. `inputs` are further ones
    by name, each with its `data` and `format`.
    """
    more = inputs or {}
    started = time.perf_counter()
    if binary and isinstance(data, str):
        data = as_bytes(data)
    try:
        # A name that nothing has is wrong in every run, also in a branch that this one would not reach.
        program = cached_program(
            transformation,
            inputs={"input": input_format, **{name: given["format"] for name, given in more.items()}},
            output_format=output_format,
            resolved=True,
        )
    except ProgramInvalid as error:
        taken = _since(started)
        raise invalid_program(error.diagnostics, executionTime=taken, **repaired(transformation)) from None
    documents = _documents(program, data, more)
    made = _at_once(program, data) if len(documents) == 1 else None
    purity = {"pure": program.is_pure} if tell_purity else {}
    if made is not None:
        return {"success": True, "output": made.decode(), "executionTime": _since(started), **purity}
    try:
        values = program.read_inputs(documents)
    except ReadFailure as error:
        what = f"inputData is not {input_format}" if len(documents) == 1 else "an input cannot be read"
        raise unreadable(error, what) from None
    with of_one_run() if program.keeps_notes else nullcontext():
        output = _run(program, values, _Input(data, more), started)
        return {"success": True, "output": output, "executionTime": _since(started), **_logs(program), **purity}


class _Input(NamedTuple):
    """What the call gives."""

    data: str | bytes
    more: Mapping[str, Mapping[str, str]]

    @property
    def size(self) -> int:
        return len(self.data) + sum(len(given["data"]) for given in self.more.values())


def _logs(program: Program) -> dict[str, Any]:
    """What the program logged, for the answer; nothing where it logs nothing."""
    seen = host().session.seen if program.keeps_notes else []
    return {"logs": list(seen)} if seen else {}


def _run(program: Program, values: dict[str, Any], given: _Input, started: float) -> str:
    """The written result, or the failure with its place."""
    try:
        value = program.evaluate(values, given.size, as_read=True)
        if callable(value):
            raise InvalidData("the result is a function", hint="Call it with its arguments.")
        if len(given.data) < _SMALL_INPUT:
            refuse_endless(value)
        return program.written(value).text
    except InvalidInput:
        raise
    except OSError:
        refused = InvalidData("a function asks the machine for something", hint="Transformations run without files.")
        raise failed(refused, program.source, executionTime=_since(started)) from None
    except (InvalidData, SizeLimit) as error:
        taken, logs = _since(started), _logs(program)
        shown = _traced(program, values, error, again=taken < _SOON)
        # What cannot be written is the result, wherever in it.
        shown.position = shown.position or program.result_place
        raise failed(shown, program.source, executionTime=taken, **logs) from None


def _documents(program: Program, data: str | bytes, more: Mapping[str, Mapping[str, str]]) -> dict[str, Document]:
    """Every declared input with its data: `data` is that of the one which `more` does not name."""
    ports = [port.name for port in program.header.inputs]
    left = [name for name in ports if name not in more]
    if len(left) != 1:
        given = f"inputData and {', '.join(list(more)[:8])}" if more else "inputData alone"
        raise InvalidInput(
            f"the program has {len(ports)} inputs ({', '.join(ports[:8])}), and the call gives {given}",
            hint='Give all but one by name: inputs: {"rates": {"data": "…", "format": "csv"}}; inputData is the other.',
        )
    return {left[0]: Document(data), **{name: Document(given["data"]) for name, given in more.items()}}


def _at_once(program: Program, data: str | bytes) -> bytes | None:
    try:
        return program.at_once(data)
    except SizeLimit:
        return None  # the long way says where


def _traced(program: Program, values: dict[str, Any], error: RolltopError, *, again: bool) -> RolltopError:
    """The same failure from the evaluator, which knows its place and the calls on the way; generated code does not.

    A limit that was reached late is not waited for once more, unless `again`.
    """
    if not isinstance(error, EvaluationFailure) and not (again and isinstance(error, SizeLimit)):
        return error
    try:
        with of_one_run():
            program.evaluator.run({"input": next(iter(values.values()), None), **values})
    except (EvaluationFailure, SizeLimit) as shown:
        return shown
    return error


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
