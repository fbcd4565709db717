"""Show a file with the program that the desktop has for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from rolltop.errors import ForeignFailure, PartMissing

__all__ = ["open_with_its_program"]

PATIENCE = 3.0
"""Seconds after which it is taken to be shown: some starters stay until the window is closed."""


def open_with_its_program(path: Path) -> None:
    starter = "open" if sys.platform == "darwin" else "xdg-open"
    yourself = f"Open {path} yourself; --print prints the path."
    try:
        process = subprocess.Popen([starter, str(path)])
    except OSError:
        raise PartMissing(f"{starter} is not there", hint=yourself) from None
    try:
        code = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        return
    if code:
        raise ForeignFailure(f"{starter} could not open {path.name} (exit {code})", hint=yourself)
