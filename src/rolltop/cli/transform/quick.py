"""`rolltop transform` with plain options, without loading click, which takes as long as a small run itself.

Whatever is out of the ordinary (help, abbreviated or joined options, several processes, mistakes) is click's: what is
understood here, click understands in the same way.
"""

from __future__ import annotations

import gc
import os
from typing import Any

from rolltop.cli.transform.job import Input, Job, needs_program, parse_input, run_job
from rolltop.transform.stdlib.trust import trusted

__all__ = ["quick_job", "run_quickly"]

_VALUED = {
    "-e": "expression", "--expression": "expression",
    "-i": "inputs", "--input": "inputs",
    "-o": "output", "--output": "output",
    "--from": "source", "--to": "target",
    "--from-option": "read", "--to-option": "written",
}  # fmt: skip
_MULTIPLE = frozenset({"inputs", "read", "written"})
_FLAGS = {
    "-r": ("raw", True), "--raw": ("raw", True),
    "-c": ("compact", True), "--compact": ("compact", True),
    "--stream": ("stream", True), "--no-stream": ("stream", False),
}  # fmt: skip
_OTHER_VERBS = frozenset({"check", "lint", "explain", "format", "functions", "repl", "engine"})


def run_quickly(arguments: list[str]) -> bool:
    """Run what stands after `rolltop transform`, if it is plain; whether it was."""
    job = quick_job(arguments) if "_ROLLTOP_COMPLETE" not in os.environ else None
    if job is None:
        return False
    try:
        # Somebody's own program in their own shell may read their environment.
        with trusted():
            run_job(job)
    except BaseException as error:
        from rolltop.cli.main import leave_with

        leave_with(error)
    gc.freeze()  # the process ends now, and would first look through everything for garbage
    return True


def quick_job(arguments: list[str]) -> Job | None:
    """What the arguments ask for; None for those that are click's."""
    if not arguments or arguments[0] in _OTHER_VERBS:
        return None
    given = _read(arguments[1:] if arguments[0] == "run" else arguments)
    if given is None:
        return None
    values, files = given
    plain = {name: chosen[-1] for name, chosen in values.items() if name not in _MULTIPLE}
    with_program = needs_program(files, plain.get("expression"), plain.get("source"), plain.get("target"))
    if with_program and not files:
        return None
    program, data = (files[0], files[1:]) if with_program else (None, files)
    return Job(
        program=program,
        expression=plain.get("expression"),
        inputs=(*map(parse_input, values.get("inputs", [])), *(Input("input", path) for path in data)),
        output=plain.get("output"),
        source=plain.get("source"),
        target=plain.get("target"),
        raw=plain.get("raw", False),
        compact=plain.get("compact", False),
        read=tuple(values.get("read", [])),
        written=tuple(values.get("written", [])),
        stream=plain.get("stream"),
    )


def _read(arguments: list[str]) -> tuple[dict[str, list[Any]], list[str]] | None:
    """The values of each option in their order, and the files; None when there is something else."""
    values: dict[str, list[Any]] = {}
    files = []
    rest = iter(arguments)
    for argument in rest:
        if argument in _FLAGS:
            name, chosen = _FLAGS[argument]
            values.setdefault(name, []).append(chosen)
        elif argument in _VALUED:
            value = next(rest, "--")
            if _is_option(value):
                return None
            values.setdefault(_VALUED[argument], []).append(value)
        elif _is_option(argument):
            return None
        else:
            files.append(argument)
    return values, files


def _is_option(argument: str) -> bool:
    return argument.startswith("-") and argument != "-"
