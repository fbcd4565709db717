"""`rolltop transform run --output-dir`: one program over many files, in several processes if asked."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rolltop.errors import InvalidInput, RolltopError

if TYPE_CHECKING:
    from rolltop.cli.transform_job import Job

__all__ = ["run_many"]


def run_many(job: Job, folder: str, *, one: Callable[[Job], None]) -> None:
    """A result for every input; files that fail are told of and do not stop the others."""
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
    suffix = {"jsonl": ".jsonl", "xml": ".xml", "csv": ".csv", "yaml": ".yaml"}.get(_target(job), ".json")
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
    from rolltop.cli.transform_files import read_program
    from rolltop.transform.syntax.parser import parse

    return parse(read_program(job.program), name=job.program).program.header.outputs[0].format


def _one(job: Job, *, one: Callable[[Job], None]) -> int:
    from rolltop.cli.main import report_error

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
