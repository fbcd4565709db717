"""`rolltop transform run`: programs, expressions and conversions over files or standard input."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from rolltop.cli.transform.job import Input, Job, needs_program, parse_input, run_job
from rolltop.cli.transform.quick import RUN_OPTIONS
from rolltop.errors import InvalidInput, RolltopError

__all__ = ["run", "run_many"]

_POLL = 0.3
_OWN_SUFFIX = frozenset({"jsonl", "xml", "csv", "yaml", "toml", "xlsx", "parquet", "arrow"})
F = TypeVar("F", bound=Callable[..., Any])


def _plain_options(command: F) -> F:
    """The options of `RUN_OPTIONS`, declared for click."""
    for option in reversed(RUN_OPTIONS):
        if option.metavar:
            declared = click.option(
                *option.names, option.target, metavar=option.metavar, multiple=option.multiple, help=option.help
            )
        elif option.off:
            names = f"{option.names[0]}/{option.off}"
            declared = click.option(names, option.target, default=None, help=option.help)
        else:
            declared = click.option(*option.names, option.target, is_flag=True, help=option.help)
        command = declared(command)
    return command


@click.command()
@click.argument("files", nargs=-1, metavar="[PROGRAM] [DATA]")
@_plain_options
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="Processes for one large input or many files.")
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
        run_many(job, output_dir, one=run_job)
    elif watch:
        _watch(job)
    else:
        run_job(job)


def _split(
    files: Sequence[str], expression: str | None, source: str | None, target: str | None
) -> tuple[str | None, list[Input]]:
    """The program, if one is needed, and the data."""
    if not needs_program(files, expression, source, target):
        return None, [Input("input", path) for path in files]
    if not files:
        raise click.UsageError("give a PROGRAM, an expression with -e, or formats with --from and --to")
    return files[0], [Input("input", path) for path in files[1:]]


def _watch(job: Job) -> None:
    from rolltop.cli.errors import report_error
    from rolltop.errors import RolltopError

    if not job.files():
        raise InvalidInput("--watch needs files to watch", hint="Name the program and its data as files.")
    seen: list[float] = []
    while True:
        now = [path.stat().st_mtime if path.exists() else 0.0 for path in map(Path, job.files())]
        if now != seen:
            seen = now
            try:
                run_job(job)
            except click.exceptions.Exit:
                pass  # the findings are on the screen; the next save runs again
            except RolltopError as error:
                report_error(error)
        time.sleep(_POLL)


def run_many(job: Job, folder: str, *, one: Callable[[Job], None]) -> None:
    """Write a result for every input. A file that fails is reported and does not stop the others."""
    if job.output or not job.inputs or any(given.path == "-" for given in job.inputs):
        raise InvalidInput(
            "--output-dir needs data files, and no -o", hint="rolltop transform run P.utlx *.json --output-dir out"
        )
    Path(folder).mkdir(parents=True, exist_ok=True)
    tasks = _tasks(job, folder)
    work = partial(_one, one=one)
    if job.jobs == 1 or len(tasks) == 1:
        codes = [work(task) for task in tasks]
    else:
        with ProcessPoolExecutor(job.jobs, mp_context=multiprocessing.get_context("fork")) as pool:
            try:
                codes = list(pool.map(work, tasks))
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
                raise
    if any(codes):
        raise click.exceptions.Exit(max(codes))


def _tasks(job: Job, folder: str) -> list[Job]:
    """One job for each file; results are named after the inputs."""
    format_ = _target(job)
    suffix = f".{format_}" if format_ in _OWN_SUFFIX else ".txt" if format_ == "fixed" else ".json"
    targets = [str(Path(folder) / (Path(given.path).stem + suffix)) for given in job.inputs]
    if len(set(targets)) != len(targets):
        raise InvalidInput("two inputs would have the same result file", hint="Give them different names.")
    target = job.target or _target(job)
    return [
        job._replace(inputs=(given._replace(name="input"),), output=path, jobs=1, target=target)
        for given, path in zip(job.inputs, targets, strict=True)
    ]


def _target(job: Job) -> str:
    """The format of the results: asked for, declared in the program, or json."""
    if job.target:
        return job.target
    if job.program is None:
        return "json"
    from rolltop.cli.transform.job import read_program
    from rolltop.transform.syntax.parser import parse

    return parse(read_program(job.program), name=job.program).program.header.outputs[0].format


def _one(job: Job, *, one: Callable[[Job], None]) -> int:
    from rolltop.cli.errors import report_error

    try:
        one(job)
    except click.exceptions.Exit as stop:
        click.echo(f"{job.inputs[0].path}: no result", err=True)
        return stop.exit_code
    except RolltopError as error:
        click.echo(f"{job.inputs[0].path}:", err=True)
        report_error(error)
        return error.exit_code
    return 0
