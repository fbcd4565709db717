"""Calls that run in the live R session of a package's author, instead of in a sandbox.

The owner's settings name a folder for the package. `mcp_session()` of the R package puts a mark there while it serves;
requests and answers are files that appear by a rename. The folder has to be closed to other users.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rolltop.base.atomic_files import write_file
from rolltop.catalog.live.answer import Answer
from rolltop.errors import ForeignFailure, PermissionDenied, TimeLimit

__all__ = ["call_in_session", "is_open"]

_LARGEST = 64 << 20
_PAUSE = 0.01


def is_open(folder: Path) -> bool:
    """Whether a session serves there now."""
    try:
        info, pid = folder.lstat(), json.loads((folder / "session.json").read_bytes())["pid"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.getuid() or info.st_mode & 0o077:
        raise PermissionDenied(
            f"{folder} is open to other users, who could answer instead of the author's session",
            hint=f"chmod 700 {folder}",
        )
    return isinstance(pid, int) and _is_alive(pid)


def call_in_session(
    folder: Path, function: str, arguments: Mapping[str, Any], seconds: float, max_print: int
) -> Answer:
    """Ask the session and wait for its answer; it runs one call after the other."""
    name = f"{secrets.token_hex(16)}.json"
    request = {"function": function, "arguments": dict(arguments), "max_print": max_print}
    asked, answered = folder / f"request-{name}", folder / f"answer-{name}"
    write_file(asked, json.dumps(request).encode(), mode=0o600, durable=False)
    deadline = time.monotonic() + seconds
    try:
        while not answered.exists():
            if time.monotonic() > deadline:
                raise TimeLimit(
                    f"the author's R session did not answer within {seconds:g} s",
                    hint="It may be busy with another call; look at that session.",
                )
            if not is_open(folder):
                raise ForeignFailure("the author's R session ended during the call", hint="Start mcp_session() again.")
            time.sleep(_PAUSE)
        return _read(answered)
    finally:
        for left in (asked, answered):
            left.unlink(missing_ok=True)


def _read(path: Path) -> Answer:
    if path.stat().st_size > _LARGEST:
        raise ForeignFailure(
            f"the answer has more than {_LARGEST >> 20} MiB", hint="Return less: a part, or a summary."
        )
    said = json.loads(path.read_bytes())
    warnings = tuple(map(str, said.get("warnings") or ()))
    if "error" in said:
        told = "".join(f"; warning: {text}" for text in warnings)
        raise ForeignFailure(f"R: {said['error']}{told}", code="r_error", details={"warnings": list(warnings)})
    messages = tuple(map(str, said.get("messages") or ()))
    return Answer(said.get("value"), str(said["text"]), str(said.get("printed") or ""), warnings, messages)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
