"""`rolltop catalog` as a user runs it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from .helpers import EXAMPLES, r_package


@pytest.fixture
def orchard(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / "orchard", tmp_path / "orchard"))


def test_build_list_show_check_and_diff(rolltop: Any, orchard: Path) -> None:
    shutil.rmtree(orchard / "inst")
    assert rolltop("catalog", "check", str(orchard)).returncode == 4
    built = rolltop("catalog", "build", str(orchard), "--no-examples")
    assert built.returncode == 0, built.stderr
    assert built.stdout.count("written\t") == 7
    assert rolltop("catalog", "check", str(orchard)).returncode == 0
    listed = rolltop("catalog", "list", str(orchard), "--group", "variety")
    assert [line.split("\t")[0] for line in listed.stdout.splitlines()] == [
        "orchard-mcp_tool_variety_list",
        "orchard-mcp_tool_variety_model",
    ]
    told = {each["name"]: each for each in json.loads(rolltop("catalog", "list", str(orchard), "--json").stdout)}
    cleared = told["orchard-mcp_tool_harvest_clear"]
    assert cleared["dangerous"]
    assert cleared["requires_approval"]
    assert cleared["description"]
    shown = rolltop("catalog", "show", str(orchard), "mcp_tool_harvest_clear")
    assert "dangerous: true\nrequires_approval: true\n" in shown.stdout
    assert json.loads(rolltop("catalog", "show", str(orchard), "mcp_tool_harvest_clear", "--json").stdout)["dangerous"]
    source = orchard / "R" / "harvest.R"
    source.write_text(source.read_text().replace("Kilograms picked", "Kilograms"))
    diff = rolltop("catalog", "diff", str(orchard))
    assert "-      description: Kilograms picked, e.g. 12.5\n+      description: Kilograms, e.g. 12.5\n" in diff.stdout
    stale = rolltop("catalog", "check", str(orchard), "--json")
    assert stale.returncode == 4
    assert "stale" in {problem["kind"] for problem in json.loads(stale.stdout)}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("list", "nosuchpackage"), 3),
        (("build", "./nowhere"), 3),
        (("serve", "./nowhere"), 3),
        (("show", "./nowhere"), 2),
        (("list", ".", "--group", "("), 2),
    ],
)
def test_exit_codes_say_what_was_wrong(rolltop: Any, arguments: tuple[str, ...], code: int) -> None:
    done = rolltop("catalog", *arguments)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")


def test_the_definitions_of_the_examples_are_fresh(rolltop: Any) -> None:
    for name in ("orchard", "kitchen"):
        assert rolltop("catalog", "diff", str(EXAMPLES / name)).stdout == ""


def test_sources_that_r_cannot_load_are_refused_as_those_of_python_are(rolltop: Any, tmp_path: Path) -> None:
    root = r_package(tmp_path / "demo", "#' One\n#' @keywords mcp-tool\none <- function(x {\n")
    for command in ("build", "check", "diff"):
        done = rolltop("catalog", command, str(root))
        assert done.returncode == 4
        assert "tools.R:3:16: not valid R: this ( is never closed" in done.stderr
    assert not (root / "inst").exists()


def test_a_build_says_that_r_refuses_the_sources(rolltop: Any, tmp_path: Path) -> None:
    root = r_package(tmp_path / "demo", "#' One\n#' @keywords mcp-tool\none <- function(x) 1\ntwo <- <- 2\n")
    done = rolltop("catalog", "build", str(root))
    assert done.returncode == 0
    assert done.stderr.count("cannot be called: its package cannot be loaded") == 1
    assert "unexpected assignment" in done.stderr
