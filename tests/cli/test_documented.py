"""What the pages about the command line and about errors say is so."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rolltop.cli.call import EXIT_OF_ERROR
from rolltop.cli.output import harmless

ROOT = Path(__file__).parents[2]
INSIDE = {"damaged", "internal_error"}
"""Words of single modules that stand for themselves, or that no user sees."""


def documented() -> dict[str, int]:
    found: dict[str, int] = {}
    for line in (ROOT / "docs" / "errors.md").read_text().splitlines():
        if line.startswith("| `"):
            codes, _, exit_code = (cell.strip() for cell in line.strip("|").rsplit("|", 2))
            found |= dict.fromkeys(re.findall(r"`(\w+)`", codes), int(exit_code))
    return found


def test_every_code_of_an_error_is_documented() -> None:
    sources = [path for path in (ROOT / "src").rglob("*.py") if "transform" not in path.parts]
    given = {code for path in sources for code in re.findall(r'^\s+code ?= ?"([a-z_]+)",?$', path.read_text(), re.M)}
    assert {"document_not_found", "render_failed", "queue_full"} <= given
    assert given - INSIDE <= documented().keys()


def test_calls_leave_with_the_documented_codes() -> None:
    assert {code: EXIT_OF_ERROR.get(code, 1) for code in documented()} == documented()


@pytest.mark.parametrize("command", [["store", "grep", "milk"], ["store", "search", "milk"], ["nosuch"]])
@pytest.mark.parametrize("wanted", [True, False])
def test_no_color_is_honoured_on_a_terminal(tmp_path: Path, command: list[str], wanted: bool) -> None:
    environment = {**os.environ, "ROLLTOP_WORKSPACE": str(tmp_path), "TERM": "xterm", "NO_COLOR": "" if wanted else "1"}
    run = [sys.executable, "-m", "rolltop"]
    subprocess.run(
        [*run, "store", "add", "-", "--name", "list.txt"],
        input=b"buy milk\n",
        env=environment,
        check=True,
        capture_output=True,
    )
    out = on_a_terminal([*run, *command], environment)
    assert b"milk" in out or command == ["nosuch"]
    assert (b"\x1b[" in out) == wanted


def on_a_terminal(command: list[str], environment: dict[str, str]) -> bytes:
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL, env=environment) as process:
        os.close(theirs)
        out = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # how Linux says that a terminal has nobody on the other side any more
                break
            if not piece:
                break
            out += piece
        process.wait()
    os.close(ours)
    return out


def test_a_title_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    environment = {**os.environ, "ROLLTOP_WORKSPACE": str(tmp_path), "TERM": "xterm"}
    (tmp_path / "rmd").mkdir()
    (tmp_path / "rmd" / "a.Rmd").write_text('---\ntitle: "\\e]0;OWN\\a\\e[2Jx"\n---\n\nx\n')
    out = on_a_terminal([sys.executable, "-m", "rolltop", "reports", "list"], environment)
    assert b"\x1b]0;" not in out
    assert b"\\x1b]0;OWN\\x07" in out


def test_an_error_cannot_begin_a_line_of_ours() -> None:
    said = harmless("rolltop: no\nrolltop: all ok\x1b[2J\r\u202e")
    assert said == "rolltop: no\n  rolltop: all ok\\x1b[2J\\x0d\\u202e"


def test_the_examples_of_the_page_run(environment: dict[str, str], tmp_path: Path) -> None:
    page = (ROOT / "docs" / "command-line.md").read_text()
    lines = re.findall(r"^\$ (rolltop call .*)$", page, re.MULTILINE)
    assert len(lines) == 3
    path = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    answers = [
        subprocess.run(
            line, shell=True, cwd=tmp_path, env={**environment, "PATH": path}, capture_output=True, check=True
        )
        for line in lines
    ]
    found = [json.loads(answer.stdout)["results"][0]["path"] for answer in answers[1:]]
    assert found == ["plan.md", "plan.md"]
