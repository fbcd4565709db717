"""Run the `console` blocks of a documentation page and compare what they print with what the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path


def copy_example(source: Path, target: Path) -> None:
    """Copy a package with all its files equally old: a checkout may have written sources after their definitions."""
    shutil.copytree(source, target)
    for path in target.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))


def commands(page: Path) -> list[tuple[str, list[str]]]:
    """Each command of the page with the lines it is said to print; a command goes on in lines that begin with `>`."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"^```console\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif (line == ">" or line.startswith("> ")) and not found[-1][1]:
                found[-1] = (found[-1][0] + "\n" + line[2:], [])
            else:
                found[-1][1].append(line)
    return found


def fits(printed: list[str], said: list[str]) -> bool:
    """`…` stands for anything within a line, and alone in the last line for any further lines."""
    if said and said[-1] == "…" and len(printed) >= len(said):
        printed, said = printed[: len(said) - 1], said[:-1]
    patterns = [".*".join(re.escape(part) for part in line.split("…")) for line in said]
    return len(printed) == len(said) and all(map(re.fullmatch, patterns, printed))


def run_page(page: Path, directory: Path, environment: dict[str, str]) -> None:
    env = {**environment, "PATH": str(Path(sys.executable).parent) + os.pathsep + environment["PATH"]}
    for command, said in commands(page):
        ran = subprocess.run(
            command,
            shell=True,
            cwd=directory,
            env=env,
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        printed = (ran.stdout + ran.stderr).splitlines()
        assert fits(printed, said), (page.name, command, printed, said)
        assert ran.returncode == 0 or any("rror" in line for line in said), (page.name, command, printed)
