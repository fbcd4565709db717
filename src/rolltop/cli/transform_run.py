"""`rolltop transform run`: programs, expressions and conversions over files or standard input."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rolltop.cli.transform_files import Input, format_of, parse_input, read_program, showing_errors
from rolltop.cli.transform_options import reading_options, writing_options
from rolltop.cli.transform_output import written_to
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
    jobs: int = 1
    stream: bool | None = None

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
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="Processes for one large input or many files.")
@click.option(
    "--stream/--no-stream", default=None, help="Read piece by piece, or at once; else large inputs, if possible."
)
@click.option("--output-dir", metavar="DIR", help="Run on every DATA file by itself, and put each result here.")
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
    jobs: int,
    stream: bool | None,
    output_dir: str | None,
    watch: bool,
) -> None:
    """Run a program (or -e EXPR, or only convert with --from/--to).

    Without -i the data comes from the file after the program, or from standard input. Large inputs are read piece by
    piece when the program allows it (`rolltop transform explain` tells).
    """
    named = [parse_input(text) for text in inputs]
    program, data = _split(files, expression, source, target)
    job = Job(program, expression, (*named, *data), output, source, target, raw, compact, read, written, jobs, stream)
    if output_dir is not None:
        from rolltop.cli.transform_many import run_many

        run_many(job, output_dir, one=_run)
    elif watch:
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
    from rolltop.transform import formats

    value = program.result(documents)
    if job.raw and isinstance(value, str):
        write(value.encode("utf-8", "replace") + b"\n")
        return
    data = formats.write(program.header.outputs[0].format, value, _options(job, program)).encode()
    write(data if not data or data.endswith(b"\n") else data + b"\n")


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
