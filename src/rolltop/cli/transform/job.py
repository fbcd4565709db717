"""One run of `rolltop transform`: inputs, format options, execution and output.

This module does not import click: a small run takes less time than loading it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, NoReturn

from rolltop.errors import InvalidInput, NotFound, RolltopError

if TYPE_CHECKING:
    from rolltop.transform import Document, Program
    from rolltop.transform.syntax.source import Source

__all__ = [
    "Input",
    "Job",
    "blamed_on",
    "format_of",
    "needs_program",
    "parse_input",
    "read_bytes",
    "read_program",
    "reading_options",
    "run_job",
    "showing_errors",
    "writing_options",
    "written_to",
]

_SUFFIXES = {
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".xml": "xml", ".csv": "csv", ".tsv": "csv", ".yaml": "yaml", ".yml": "yaml",
    ".toml": "toml", ".xlsx": "xlsx", ".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow",
    ".xsd": "xsd", ".avsc": "avro", ".proto": "proto", ".edmx": "osch",
}  # fmt: skip


class Input(NamedTuple):
    """One `-i [name=]file`; the name may be missing, the file may be `-`."""

    name: str
    path: str

    @property
    def format(self) -> str:
        return format_of(self.path) or "auto"

    def read(self) -> bytes:
        return read_bytes(self.path)


def format_of(path: str) -> str | None:
    """The format that belongs to a file name, or None."""
    return _SUFFIXES.get(os.path.splitext(path)[1].lower())


def parse_input(text: str) -> Input:
    name, equals, path = text.partition("=")
    if (equals and name.isidentifier()) or (equals and name.replace("-", "_").isidentifier()):
        return Input(name, path)
    return Input("input", text)


def read_bytes(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    with blamed_on(path), open(path, "rb") as file:
        return file.read()


@contextmanager
def blamed_on(path: str) -> Iterator[None]:
    """Name the file in errors of reading it."""
    try:
        yield
    except FileNotFoundError:
        raise NotFound(f"{path}: no such file") from None
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}") from None


def read_program(path: str) -> str:
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{path}: a program is UTF-8 text") from None


@contextmanager
def showing_errors(source: Source | None = None) -> Iterator[None]:
    """Print errors in compiler style and exit with the documented code."""
    from rolltop.transform import EvaluationFailure, ProgramInvalid, WriteFailure
    from rolltop.transform.diagnostics import render

    try:
        yield
    except ProgramInvalid as error:
        name = source.name if source else "program"
        _leave(error, [render(finding, name) for finding in error.diagnostics])
    except (EvaluationFailure, WriteFailure) as error:
        if source is None or (error.position is None and isinstance(error, WriteFailure)):
            raise
        _leave(error, [render(source.failure(error), source.name)])


def _leave(error: RolltopError, lines: list[str]) -> NoReturn:
    import click  # only failures wait for it

    for line in lines:
        click.echo(line, err=True)
    raise click.exceptions.Exit(error.exit_code) from None


def reading_options(texts: Sequence[str], inputs: Sequence[Input], program: str) -> dict[str, dict[str, Any]]:
    """The options of each input: `name=value` is for all of them, `input.name=value` for one."""
    from rolltop.transform.formats.options import parse_options

    names = [given.name for given in inputs] or ["input"]
    own = [text for text in texts if text.partition("=")[0].rpartition(".")[0] in names]
    common = parse_options(text for text in texts if text not in own)
    options = {given.name: {**_implied(given.path, program), **common} for given in inputs} or {"input": common}
    for text in own:
        name, _, rest = text.partition(".")
        options[name].update(parse_options([rest]))
    return {name: chosen for name, chosen in options.items() if chosen}


def writing_options(texts: Sequence[str], path: str | None, program: str) -> dict[str, Any]:
    from rolltop.transform.formats.options import parse_options

    return {**_implied(path or "", program), **parse_options(texts)}


def _implied(path: str, program: str) -> dict[str, Any]:
    """A .tsv file is delimited by tabs, unless the program names a delimiter itself."""
    return {"delimiter": "\t"} if path.lower().endswith(".tsv") and "delimiter" not in program else {}


_BUFFER = 1 << 18
"""Buffer size: results arrive in pieces of about ten thousand bytes."""


@contextmanager
def written_to(path: str | None) -> Iterator[Callable[[bytes], Any]]:
    """Yield a function that writes. If the run fails, an existing file keeps its content."""
    if not path or path == "-":
        yield sys.stdout.buffer.write
        sys.stdout.buffer.flush()
        return
    from rolltop.base.atomic_files import atomic_file  # only a file pays for it

    # A device or a pipe is written as it comes.
    direct = os.path.exists(path) and not os.path.isfile(path)
    with ExitStack() as stack:
        with _write_errors(path):
            if direct:
                out = stack.enter_context(open(path, "wb", _BUFFER))
            else:
                out = stack.enter_context(atomic_file(path, mode=0o666, durable=False, buffering=_BUFFER))
        yield _Output(path, out).write
        with _write_errors(path):
            stack.pop_all().close()


class _Output:
    """An open file whose write errors name the result."""

    def __init__(self, path: str, out: BinaryIO) -> None:
        self._path, self._out = path, out

    def write(self, data: bytes) -> None:
        with _write_errors(self._path):
            self._out.write(data)


@contextmanager
def _write_errors(path: str) -> Iterator[None]:
    """Name the file in errors of writing it."""
    try:
        yield
    except BrokenPipeError:
        raise  # whoever read it has gone
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}") from None


class Job(NamedTuple):
    """Everything that one invocation asks for."""

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
        """The files that --watch watches."""
        paths = [self.program, *(given.path for given in self.inputs)]
        return [path for path in paths if path and path != "-"]


def needs_program(files: Sequence[str], expression: str | None, source: str | None, target: str | None) -> bool:
    """True if the first file is the program: an expression or a conversion needs none."""
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
    """Stream the input and return None; if it cannot be streamed, return what was read of it."""
    from rolltop.cli.transform.stream import Unfinished, stream_input

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
    """Standard input, unless it is a terminal."""
    return () if sys.stdin.isatty() else (Input("input", "-"),)


def _logged(program: Program, documents: dict[str, Document]) -> Any:
    """The result, with what the program logs on standard error."""
    from rolltop.transform.stdlib.host import host, of_one_run

    with of_one_run():
        try:
            return program.result(documents)
        finally:
            for line in host().session.seen:
                print(f"{line['level'].lower()}: {line['message']}", file=sys.stderr)


def _write(job: Job, program: Program, documents: dict[str, Document], write: Callable[[bytes], Any]) -> None:
    value = _logged(program, documents) if program.keeps_notes else program.result(documents)
    if job.raw and isinstance(value, str):
        write(value.encode("utf-8", "replace") + b"\n")
        return
    rendered = program.written(value, _options(job, program))
    data = rendered.encode()
    write(data if rendered.data is not None or not data or data.endswith(b"\n") else data + b"\n")
