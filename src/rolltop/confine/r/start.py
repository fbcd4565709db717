"""Start R in the sandbox, and what R can be asked."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from rolltop.confine.cancellation import Cancel
from rolltop.confine.r.answer import read_answer
from rolltop.confine.sandbox import Sandbox
from rolltop.confine.warm_process import START_SECONDS, Program, WarmProcess
from rolltop.errors import PartMissing

__all__ = ["call_request", "eval_request", "source_request", "start_r"]

_SCRIPTS = tuple(Path(__file__).with_name(name) for name in ("json.R", "read.R", "worker.R"))
_INSIDE = "/run/rolltop/worker.R"
_INSTALL = "On Debian: apt-get install r-base-core r-cran-jsonlite"
_OWN_FRAMES = re.compile(
    r"\n *\d+: (?:eval\((?:expression|invocation), |perform\(request\)).*?(?=\nAn irrecoverable|\Z)", re.DOTALL
)
"""Where a crashed R goes on from the user's calls to ours, with all of our source."""


def start_r(
    sandbox: Sandbox,
    *,
    files: Sequence[str] = (),
    packages: Sequence[str] = (),
    code: str = "",
    template: bool = False,
    cancel: Cancel | None = None,
) -> WarmProcess:
    """An R process that has sourced the files (paths inside the sandbox), attached the packages and run the code.

    As a `template` it forks for each job. `cancel` ends the start.
    """
    placed = {**sandbox.files, _INSIDE: b"".join(path.read_bytes() for path in _SCRIPTS)}
    binary = _binary() if template else None
    if binary is not None:
        placed[str(binary)] = binary.read_bytes()
        sandbox = replace(sandbox, unreadable=frozenset({str(binary)}))
    process = WarmProcess(_program(), replace(sandbox, files=placed), template=template, cancel=cancel)
    try:
        if files or packages or code:
            inside = [process.child.inside(path) for path in files]
            read_answer(process.ask(source_request(inside, packages, code), START_SECONDS, cancel=cancel))
        process.mark_ready()
    except BaseException:
        process.close()
        raise
    return process


def _program() -> Program:
    r = _find_r()
    return Program(
        "R", lambda fds: [r, "--no-echo", "--vanilla", f"--file={_INSIDE}", "--args", *fds], _INSTALL, _OWN_FRAMES
    )


def _find_r() -> str:
    program = shutil.which("R", path="/usr/local/bin:/usr/bin:/bin:/opt/R/bin")
    if program is None:
        raise PartMissing("R is not installed", hint=_INSTALL)
    return program


@cache
def _binary() -> Path | None:
    """The program behind the script R; None where it is not where R says it is."""
    home = subprocess.run([_find_r(), "RHOME"], capture_output=True, text=True, check=False).stdout.strip()
    binary = Path(home, "bin/exec/R").resolve()
    return binary if home and binary.is_file() and binary.is_relative_to("/usr") else None


def call_request(function: str, args: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Positional arguments travel under numbers: as an array R would make one vector of them."""
    if isinstance(args, Mapping):
        return {"op": "call", "code": function, "args": dict(args), "positional": False}
    numbered = {str(number): value for number, value in enumerate(args)}
    return {"op": "call", "code": function, "args": numbered, "positional": True}


def eval_request(code: str) -> dict[str, Any]:
    return {"op": "eval", "code": code}


def source_request(files: Sequence[str], packages: Sequence[str], code: str = "") -> dict[str, Any]:
    return {"op": "source", "files": list(files), "packages": list(packages), "code": [code] if code else []}
