"""`rolltop transform run`: programs, expressions and conversions over files or standard input."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rolltop.cli.transform_files import Input, format_of, parse_input, read_program, showing_errors
from rolltop.cli.transform_options import reading_options, writing_options
from rolltop.errors import InvalidInput

if TYPE_CHECKING:
    from rolltop.transform import Document, Program

__all__ = ["run"]

_POLL = 0.3


@dataclass(frozen=True, slots=True)
class Job:
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

    def files(self) -> list[Path]:
        """The files whose change makes another run worth while."""
        paths = [self.program, *(given.path for given in self.inputs)]
        return [Path(path) for path in paths if path and path != "-"]


@click.command()
@click.argument("files", nargs=-1, metavar="[PROGRAM] [DATA]")
@click.option("-e", "--expression", metavar="EXPR", help="Run this instead of a file; `.a.b` is `$input.a.b`.")
@click.option("-i", "--input", "inputs", multiple=True, metavar="[NAME=]FILE", help="An input; `-` is standard input.")
@click.option("-o", "--output", metavar="FILE", help="Write the result here instead of standard output.")
@click.option("--from", "source", metavar="FORMAT", help="Format of the input; else by file name, else by looking.")
@click.option("--to", "target", metavar="FORMAT", help="Format of the result; else by file name, else json.")
@click.option(
    "--from-option",
    "read",
    multiple=True,
    metavar="[INPUT.]NAME=VALUE",
    help="An option of reading, such as delimiter=; headers=false quote=' encoding=latin-1 regionalFormat=eu.",
)
@click.option(
    "--to-option",
    "written",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of writing, such as delimiter=; bom=true.",
)
@click.option("-r", "--raw", is_flag=True, help="Print a result that is a text as it is, without quotes.")
@click.option("-c", "--compact", is_flag=True, help="JSON on one line.")
@click.option("--watch", is_flag=True, help="Run again whenever a file changes, until interrupted.")
def run(
    *,
    files: tuple[str, ...],
    expression: str | None,
    inputs: tuple[str, ...],
    output: str | None,
    source: str | None,
    target: str | None,
    read: tuple[str, ...],
    written: tuple[str, ...],
    raw: bool,
    compact: bool,
    watch: bool,
) -> None:
    """Run a program (or -e EXPR, or only convert with --from/--to).

    Without -i the data comes from the file after the program, or from standard input.
    """
    named = [parse_input(text) for text in inputs]
    program, data = _split(files, expression, source, target)
    job = Job(program, expression, (*named, *data), output, source, target, raw, compact, read, written)
    if watch:
        _watch(job)
    else:
        _run(job)


def _split(
    files: Sequence[str], expression: str | None, source: str | None, target: str | None
) -> tuple[str | None, list[Input]]:
    """Which positional file is the program: the first, unless an expression or a conversion needs none."""
    needs_program = expression is None and not (
        (source or target) and not any(path.endswith((".utlx", ".dwl")) for path in files[:1])
    )
    if needs_program:
        if not files:
            raise click.UsageError("give a PROGRAM, an expression with -e, or formats with --from and --to")
        return files[0], [Input("input", path) for path in files[1:]]
    return None, [Input("input", path) for path in files]


def _run(job: Job) -> None:
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
        documents = {given: Document(item.read()) for given, item in names.items()} or {"input": Document("null")}
        _write(job, program, documents)


def _distinct(inputs: Sequence[Input]) -> dict[str, Input]:
    names = {given.name: given for given in inputs}
    if len(names) != len(inputs):
        raise InvalidInput("two inputs have the same name", hint="Name them: -i orders=orders.json -i rates=rates.csv")
    return names


def _standard_input() -> tuple[Input, ...]:
    """Standard input when something is connected to it; a terminal is not."""
    return () if sys.stdin.isatty() else (Input("input", "-"),)


def _write(job: Job, program: Program, documents: dict[str, Document]) -> None:
    from rolltop.transform import formats

    value = program.result(documents)
    port = program.header.outputs[0]
    if job.raw and isinstance(value, str):
        data = value.encode("utf-8", "replace") + b"\n"
    else:
        rendered = formats.write(port.format, value, {**port.options, **({"compact": True} if job.compact else {})})
        data = rendered.encode()
        if not data.endswith(b"\n"):
            data += b"\n"
    if job.output and job.output != "-":
        Path(job.output).write_bytes(data)
    else:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _watch(job: Job) -> None:
    from rolltop.cli.main import report_error
    from rolltop.errors import RolltopError

    if not job.files():
        raise InvalidInput("--watch needs files to watch", hint="Name the program and its data as files.")
    seen: list[float] = []
    while True:
        now = [path.stat().st_mtime if path.exists() else 0.0 for path in job.files()]
        if now != seen:
            seen = now
            try:
                _run(job)
            except click.exceptions.Exit:
                pass  # the findings are on the screen; the next save runs again
            except RolltopError as error:
                report_error(error)
        time.sleep(_POLL)
