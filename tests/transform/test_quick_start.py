"""The start of `rolltop transform` without click: it understands what click understands, in the same way."""

from __future__ import annotations

import subprocess
import sys
from typing import Any
from unittest.mock import patch

import click
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rolltop.cli.transform.group import transform
from rolltop.cli.transform.job import Job
from rolltop.cli.transform.quick import quick_job

WORDS = st.sampled_from(
    [
        *["run", "check", "repl", "-e", "--expression", ".a.b", "", "-e.a", "-5", "-", "--", "-h", "--help", "--comp"],
        *["-i", "--input", "a=b.json", "x-y=c.xml", "-o", "--output", "out.json", "p.utlx", "data.json", "ü"],
        *["--from", "--to", "--from=csv", "csv", "yaml", "--from-option", "--to-option", "delimiter=;"],
        *["-r", "--raw", "-c", "--compact", "-rc", "--stream", "--no-stream", "--stream=1"],
        *["--jobs", "2", "--watch", "--output-dir"],
    ]
)


def by_click(arguments: list[str]) -> Any:
    """The job that click makes of the arguments; its complaint when it makes none."""
    jobs: list[Job] = []
    with patch("rolltop.cli.transform.run.run_job", jobs.append):
        try:
            transform.main(arguments, standalone_mode=False)
        except click.ClickException as error:
            return error.format_message()
    return jobs[0] if jobs else None


@settings(max_examples=100, deadline=None)
@given(st.lists(WORDS, max_size=6))
@example([])
@example(["run"])
@example(["-e", "-", "-"])
@example(["-e", "--", ".a"])
@example(["--from", "csv", "p.utlx", "data.json"])
@example(["--from", "csv", "data.json"])
@example(["-e", ".a", "-e", ".b", "--stream", "--no-stream"])
def test_what_is_understood_quickly_is_what_click_understands(arguments: list[str]) -> None:
    job = quick_job(arguments)
    if job is not None:
        assert job == by_click(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ["-e", ".a.b"],
        ["-e", ".a.b", "-r", "-c", "data.json"],
        ["run", "p.utlx", "data.json", "-o", "out.json", "--stream"],
        ["p.utlx", "-i", "a=x.json", "-i", "b=y.xml", "--to-option", "bom=true"],
        ["--from", "csv", "--to", "yaml"],
    ],
)
def test_ordinary_commands_start_quickly(arguments: list[str]) -> None:
    assert quick_job(arguments) is not None


@pytest.mark.parametrize("arguments", [["-h"], ["check", "p.utlx"], ["-e"], ["--jobs", "2", "p.utlx"], ["-rc", "x"]])
def test_the_rest_is_for_click(arguments: list[str]) -> None:
    assert quick_job(arguments) is None


def test_an_ordinary_command_loads_neither_click_nor_what_other_inputs_need() -> None:
    ours = "import sys; sys.argv = ['rolltop', 'transform', '-e', '.a']; from rolltop.boot import main; main()"
    told = "; print(*sorted({'click', 'msgspec', 'pathlib', 'threading', 'rich'} & set(sys.modules)), file=sys.stderr)"
    command = [sys.executable, "-c", ours + told]
    done = subprocess.run(command, input=b'{"a": [1.0]}', capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"[\n  1\n]\n", b"\n")


def test_failures_are_told_as_click_tells_them() -> None:
    command = [sys.executable, "-m", "rolltop", "transform", "-e", ".a +"]
    quick, slow = (
        subprocess.run([*command, *more], input=b"{}", capture_output=True, check=False) for more in ([], ["--jobs=1"])
    )
    assert quick.returncode == slow.returncode == 4
    assert quick.stderr == slow.stderr
    assert b"expression:1" in quick.stderr


def test_every_other_verb_is_for_click() -> None:
    verbs = transform.list_commands(click.Context(transform))
    assert "check" in verbs
    assert [verb for verb in verbs if verb != "run" and quick_job([verb, "p.utlx"]) is not None] == []
