"""What one `rolltop transform run` asks for, and doing it. Without click, which takes its time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rolltop.cli.transform_files import Input, format_of, read_program, showing_errors
from rolltop.cli.transform_options import reading_options, writing_options
from rolltop.cli.transform_output import written_to
from rolltop.errors import InvalidInput

if TYPE_CHECKING:
    from rolltop.transform import Document, Program

__all__ = ["Job", "needs_program", "run_job"]


class Job(NamedTuple):
    """What one invocation asks for."""

    program: str | None
    expression: str | None
    inputs: tuple[Input, ...]
    output: str | None
    source: str | None
    target: str | None
    raw: bool
    compact: bool
    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    """Options of the formats, as they were given."""
    jobs: int = 1
    stream: bool | None = None

    def files(self) -> list[str]:
        """The files whose change makes another run worth while."""
        paths = [self.program, *(given.path for given in self.inputs)]
        return [path for path in paths if path and path != "-"]


def needs_program(files: Sequence[str], expression: str | None, source: str | None, target: str | None) -> bool:
    """Whether the first file is the program: unless an expression or a conversion needs none."""
    return expression is None and not (
        (source or target) and not any(path.endswith((".utlx", ".dwl")) for path in files[:1])
    )


def run_job(job: Job) -> None:
    """Read, compile, run, write."""
    from rolltop.transform import Document, compile_program
    from rolltop.transform.syntax.source import Source

    inputs = job.inputs or _standard_input()
    text = job.expression if job.expression is not None else "$input"
    name = "expression" if job.expression is not None else "conversion"
    if job.program is not None:
        text, name = read_program(job.program), job.program
    with showing_errors(Source(text, name)):
        names = _distinct(inputs)
        formats = {given.name: job.source or given.format for given in inputs} or {"input": "json"}
        program = compile_program(
            text,
            name=name,
            inputs=formats,
            output_format=job.target or (format_of(job.output) if job.output else None),
            input_options=reading_options(job.read, inputs, text),
            output_options=writing_options(job.written, job.output, text),
            shorthand=job.expression is not None,
        )
        with written_to(job.output) as write:
            held = _streamed(job, program, names, write)
            if held is not None:
                documents = {given: Document(held.get(given) or item.read()) for given, item in names.items()}
                _write(job, program, documents or {"input": Document("null")}, write)


def _streamed(
    job: Job, program: Program, names: dict[str, Input], write: Callable[[bytes], Any]
) -> dict[str, bytes] | None:
    """None when the result was written piece by piece; else what was read already of the inputs."""
    from rolltop.cli.transform_stream import Unfinished, stream_input

    if len(names) != 1 or job.raw:
        return {}
    [(name, given)] = names.items()
    try:
        stream_input(program, given.path, write, _options(job, program), jobs=job.jobs, wanted=job.stream)
    except Unfinished as unfinished:
        return {name: unfinished.data} if unfinished.data else {}
    return None


def _options(job: Job, program: Program) -> dict[str, Any]:
    return {**program.header.outputs[0].options, **({"compact": True} if job.compact else {})}


def _distinct(inputs: Sequence[Input]) -> dict[str, Input]:
    names = {given.name: given for given in inputs}
    if len(names) != len(inputs):
        raise InvalidInput("two inputs have the same name", hint="Name them: -i orders=orders.json -i rates=rates.csv")
    return names


def _standard_input() -> tuple[Input, ...]:
    """Standard input when something is connected to it; a terminal is not."""
    return () if sys.stdin.isatty() else (Input("input", "-"),)


def _write(job: Job, program: Program, documents: dict[str, Document], write: Callable[[bytes], Any]) -> None:
    value = program.result(documents)
    if job.raw and isinstance(value, str):
        write(value.encode("utf-8", "replace") + b"\n")
        return
    data = program.written(value, _options(job, program)).encode()
    write(data if not data or data.endswith(b"\n") else data + b"\n")
