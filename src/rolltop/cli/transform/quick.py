"""Run `rolltop transform` with plain options without loading click, which takes as long as a small run itself.

`RUN_OPTIONS` declares the options once, for click and for the reader here. The reader knows options and their values
as separate words; for anything else (help, abbreviated or joined options, mistakes) it gives up and click reads the
whole command.
"""

from __future__ import annotations

import gc
import os
from typing import Any, NamedTuple

from rolltop.cli.transform.job import Input, Job, needs_program, parse_input, run_job
from rolltop.transform.stdlib.trust import trusted

__all__ = ["RUN_OPTIONS", "RunOption", "quick_job", "run_quickly"]


class RunOption(NamedTuple):
    """An option of `rolltop transform run`. click's declaration and the reader below are made from it."""

    names: tuple[str, ...]
    target: str
    help: str
    metavar: str | None = None
    multiple: bool = False
    off: str | None = None
    """The name that switches a flag off; a flag with one is unset by default."""


RUN_OPTIONS = (
    RunOption(("-e", "--expression"), "expression", "Run this instead of a file; `.a.b` is `$input.a.b`.", "EXPR"),
    RunOption(("-i", "--input"), "inputs", "An input; `-` is standard input.", "[NAME=]FILE", multiple=True),
    RunOption(("-o", "--output"), "output", "Write the result here instead of standard output.", "FILE"),
    RunOption(("--from",), "source", "Format of the input; else by file name, else by looking.", "FORMAT"),
    RunOption(("--to",), "target", "Format of the result; else by file name, else json.", "FORMAT"),
    RunOption(
        ("--from-option",),
        "read",
        "An option of reading, such as delimiter=; headers=false quote=' encoding=latin-1 regionalFormat=eu.",
        "[INPUT.]NAME=VALUE",
        multiple=True,
    ),
    RunOption(
        ("--to-option",),
        "written",
        "An option of writing, such as delimiter=; bom=true.",
        "NAME=VALUE",
        multiple=True,
    ),
    RunOption(("-r", "--raw"), "raw", "Print a result that is a text as it is, without quotes."),
    RunOption(("-c", "--compact"), "compact", "JSON on one line."),
    RunOption(
        ("--stream",), "stream", "Read piece by piece, or at once; else large inputs, if possible.", off="--no-stream"
    ),
)
"""The options that need nothing but their value. The others are declared in `run`, and make `quick_job` give up."""

_VALUED = {name: option.target for option in RUN_OPTIONS if option.metavar for name in option.names}
_MULTIPLE = frozenset(option.target for option in RUN_OPTIONS if option.multiple)
_FLAGS = {name: (option.target, True) for option in RUN_OPTIONS if not option.metavar for name in option.names}
_FLAGS |= {option.off: (option.target, False) for option in RUN_OPTIONS if option.off}
_OTHER_VERBS = frozenset({"check", "lint", "explain", "format", "functions", "repl", "engine", "test", "lsp"})


def run_quickly(arguments: list[str]) -> bool:
    """Run the arguments after `rolltop transform` if they are plain; False if click has to read them."""
    job = quick_job(arguments) if "_ROLLTOP_COMPLETE" not in os.environ else None
    if job is None:
        return False
    try:
        # A user's own program in their own shell may read the environment.
        with trusted():
            run_job(job)
    except BaseException as error:
        from rolltop.cli.errors import leave_with

        leave_with(error)
    gc.freeze()  # the process ends now: no collection before it does
    return True


def quick_job(arguments: list[str]) -> Job | None:
    """The job that the arguments describe; None if click has to read them."""
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
    """The values of each option in order, and the files; None if click has to read them."""
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
