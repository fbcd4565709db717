"""The commands in docs/store.md do what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "store.md"


def commands() -> list[tuple[str, list[str]]]:
    """Each command of the page with the lines it is said to print."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(), re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def fits(printed: str, said: str) -> bool:
    """`…` stands for anything; columns that differ from run to run may precede what is said."""
    pattern = ".*".join(re.escape(part) for part in said.split("…"))
    return re.fullmatch(pattern, printed) is not None


def test_the_tour_works(tmp_path: Path, environment: dict[str, str]) -> None:
    binaries = str(Path(sys.executable).parent)
    env = {**environment, "PATH": binaries + os.pathsep + environment["PATH"]}
    for command, said in commands():
        ran = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=env,
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        printed = (ran.stdout + ran.stderr).splitlines()
        assert len(printed) == len(said), (command, printed)
        for line, expected in zip(printed, said, strict=True):
            assert fits(line, expected), (command, line, expected)


def test_the_library_example_works(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert code is not None
    ran = subprocess.run([sys.executable, "-c", code[1]], cwd=tmp_path, text=True, capture_output=True, check=True)
    assert ran.stdout == "notes/today.md Buy milk body 0.63\nnotes/today.md ['Buy milk']\n"
