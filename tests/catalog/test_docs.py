"""The commands of the catalog's page do what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from doc_commands import copy_example

from .helpers import EXAMPLES

PAGE = Path(__file__).parents[2] / "docs" / "catalog.md"
TIMES = re.compile(r"execution_time: .*")


def commands() -> list[tuple[str, str]]:
    """Every `$ rolltop …` of the page that ends by itself, with the output it shows."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(), re.DOTALL):
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            if "rolltop" in command and " serve" not in command:
                found.append((command, output))
    return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    for name in ("orchard", "kitchen"):
        copy_example(EXAMPLES / name, folder / name)
    return folder


@pytest.mark.parametrize(("command", "output"), commands())
def test_commands_of_the_page(place: Path, environment: dict[str, str], command: str, output: str) -> None:
    program = f'rolltop() {{ {sys.executable} -m rolltop "$@"; }}; {command}'
    done = subprocess.run(
        ["bash", "-c", program], cwd=place, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert TIMES.sub("", done.stdout) == TIMES.sub("", output)


def test_the_page_has_commands() -> None:
    assert len(commands()) >= 6


def test_the_python_of_the_page_runs(place: Path) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL))
    subprocess.run([sys.executable, "-c", code], cwd=place, check=True, timeout=120)
