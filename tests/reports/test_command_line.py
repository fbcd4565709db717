"""The command line does what its page says: the page's own commands are run."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from rolltop.errors import InvalidInput
from rolltop.reports import ReportsConfig

PAGE = (Path(__file__).parents[2] / "docs/reports.md").read_text()


def test_the_first_report_of_the_page(rolltop: Any, tmp_path: Path) -> None:
    block = PAGE.split("```console\n")[1].split("```")[0]
    outputs = []
    for line in block.splitlines():
        command = re.findall(r'"[^"]*"|\S+', line.removeprefix("$ rolltop "))
        arguments = [word.strip('"') for word in command]
        done = rolltop(*arguments, *(["--print"] if "open" in arguments else []))
        assert done.returncode == 0, done.stderr
        outputs.append(done)
    workspace = tmp_path / "workspace/rmd"
    assert outputs[0].stdout.strip() == str(workspace / "example.Rmd")
    assert "knit 2/2 (unnamed-chunk-1)" in outputs[1].stderr
    assert outputs[2].stdout.split() == [str(workspace / f"output/example.{e}") for e in ("docx", "html", "pdf")]
    assert outputs[3].stdout == "example.Rmd\tExample R Markdown\texample.docx, example.html, example.md, example.pdf\n"
    again = rolltop("reports", "render", "example", "--json")
    assert json.loads(again.stdout)["cached"] is True


def test_a_failure_is_told_as_on_the_page(rolltop: Any) -> None:
    text = "Words\n\n```{r helper}\nf <- function(x) stop('boom ', x)\n```\n\n```{r culprit}\nf(2)\n```\n"
    rolltop("reports", "new", "broken", "--from", "-", stdin=text)
    failed = rolltop("reports", "render", "broken", "--engine", "fast")
    shown = PAGE.split("$ rolltop reports render broken\n")[1].split("```")[0]
    assert failed.returncode == 1
    assert failed.stderr.endswith(shown)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("render", "missing"), 3),
        (("render", "../x"), 2),
        (("render", "x", "-f", "odt"), 2),
        (("open", "missing"), 3),
        (("image", "status"), 5),
    ],
)
def test_exit_codes(rolltop: Any, arguments: tuple[str, ...], code: int) -> None:
    done = rolltop("reports", *arguments, DOCKER_HOST="unix:///nowhere/docker.sock")
    assert done.returncode == code, done.stderr
    assert done.stdout == ""


def test_calls_leave_with_the_same_codes(rolltop: Any) -> None:
    rejected = rolltop("call", "render_rmd", "--json", "{}")
    assert rejected.returncode == 2
    assert "Invalid params: filename is required" in rejected.stderr
    assert rolltop("call", "render_rmd", "--json", '{"filename": "missing"}').returncode == 3
    gone = {"DOCKER_HOST": "unix:///nowhere/docker.sock", "ROLLTOP_REPORTS_RENDERER": "docker"}
    rolltop("reports", "new", "example")
    assert rolltop("call", "render_rmd", "--json", '{"filename": "example"}', **gone).returncode == 5


def test_every_setting_is_on_the_page() -> None:
    table = PAGE.split("## Settings")[1]
    for field in fields(ReportsConfig):
        assert f"`{field.name}`" in table


def test_settings_are_checked() -> None:
    config = ReportsConfig.read({"renderer": "docker", "timeout": "30", "warm": "no", "packages": "dplyr, tidyr"})
    assert (config.renderer, config.timeout, config.warm, config.packages) == (
        "docker",
        30.0,
        False,
        ("dplyr", "tidyr"),
    )
    with pytest.raises(InvalidInput, match="did you mean timeout"):
        ReportsConfig.read({"timeut": 1})
    with pytest.raises(InvalidInput, match="must be auto, local, docker or compose"):
        ReportsConfig.read({"renderer": "podman"})
    with pytest.raises(InvalidInput, match="must be a whole number, at least 1"):
        ReportsConfig.read({"slots": "0"})
    assert ReportsConfig.read({"queue": 0, "cache_limit": 0}).queue == 0


def test_a_text_that_is_none_is_refused(rolltop: Any, tmp_path: Path) -> None:
    (tmp_path / "bin.dat").write_bytes(b"ok\xff\xfe")
    done = rolltop("reports", "new", "bin", "--from", str(tmp_path / "bin.dat"))
    assert done.returncode == 4
    assert "bin.dat is not UTF-8 (byte 2)" in done.stderr
