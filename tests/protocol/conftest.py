"""Node with the official tools, installed once into the project's cache."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "node"
CACHE = Path(__file__).parents[2] / ".cache"
BIN = Path(sys.executable).parent

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def node_directory() -> Path:
    """A directory with the pinned packages of package-lock.json and our scripts."""
    CACHE.mkdir(exist_ok=True)
    lock = (HERE / "package-lock.json").read_bytes()
    directory = CACHE / f"node-{hashlib.sha256(lock).hexdigest()[:16]}"
    with open(CACHE / "node.lock", "w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)  # the workers of pytest-xdist are processes
        if not (directory / "installed").exists():
            shutil.rmtree(directory, ignore_errors=True)
            shutil.copytree(HERE, directory)
            # Not `npm ci`: it wants the address of a registry in the lock file, and which one depends on the machine.
            command = [BIN / "npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"]
            done = subprocess.run(command, cwd=directory, env=_env(), capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"npm could not install the tools: {done.stderr[-2000:]}"
            (directory / "installed").touch()
        for script in HERE.glob("*.mjs"):
            shutil.copy(script, directory)
    return directory


@pytest.fixture
def node(node_directory: Path) -> Run:
    """`node("node_modules/.bin/conformance", "server", …)` runs a program of the packages, or a script of ours."""

    def run(*command: str, timeout: float = 240, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [BIN / "node", *command],
            cwd=node_directory,
            env={**_env(), **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run


def _env() -> dict[str, str]:
    return {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
