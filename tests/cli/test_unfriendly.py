"""Machines that give less than usual: no home, closed streams, few threads, little memory, wrong settings."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rolltop.base.os_errors import explain_resource_limit
from rolltop.errors import LimitExceeded, MemoryLimit

ROLLTOP = f"{sys.executable} -m rolltop"
Run = Callable[..., subprocess.CompletedProcess[str]]


def shell(line: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line], env=environment, capture_output=True, text=True, check=False, timeout=120
    )


# no home ---------------------------------------------------------------------------------------------


@pytest.fixture
def homeless(environment: dict[str, str], tmp_path: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Runs a command as a user whom nobody knows, without HOME."""
    kept = {key: value for key, value in environment.items() if key != "HOME" and not key.startswith("XDG_")}

    def run(line: str) -> subprocess.CompletedProcess[str]:
        return shell(f"cd /; unshare --user --map-user=54321 {line} </dev/null", kept)

    return run


@pytest.mark.parametrize("command", ["doctor", "store list", "serve", "guide flags list --global"])
def test_no_home_is_needed(homeless: Callable[[str], subprocess.CompletedProcess[str]], command: str) -> None:
    out = homeless(f"{ROLLTOP} {command}")
    assert "Traceback" not in out.stderr
    assert out.returncode == 0, out.stdout + out.stderr


def test_what_needs_a_home_says_so(homeless: Callable[[str], subprocess.CompletedProcess[str]]) -> None:
    out = homeless(f"{ROLLTOP} connect cursor")
    assert out.stderr.startswith("Error: there is no home directory")
    out = homeless(f"env -u ROLLTOP_WORKSPACE {ROLLTOP} store list")
    assert out.stderr.startswith("Error: there is no home directory to have the workspace in")
    assert out.returncode == 2


@pytest.mark.parametrize("variable", ["ROLLTOP_WORKSPACE", "ROLLTOP_CONFIG", "ROLLTOP_LOG_FILE", "ROLLTOP_ROOTS"])
def test_the_home_of_nobody_is_refused(rolltop: Run, variable: str) -> None:
    out = rolltop("doctor", **{variable: "~nobodyhere/x"})
    assert out.returncode == 2
    assert variable in out.stderr
    assert len(out.stderr.splitlines()) <= 2


# settings --------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user runs foreign code as itself")
@pytest.mark.parametrize("user", ["nosuch", "root"])
def test_a_wrong_sandbox_user_is_refused_and_doctor_lists_it(rolltop: Run, user: str) -> None:
    out = rolltop("serve", stdin="", ROLLTOP_SANDBOX_USER=user)
    assert out.returncode == 2
    assert out.stderr.startswith("Error: the setting sandbox_user is not valid")
    out = rolltop("doctor", ROLLTOP_SANDBOX_USER=user)
    assert out.returncode == 2
    assert "✘ the setting sandbox_user is not valid" in out.stdout
    assert "store" in out.stdout


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ROLLTOP_HTTP_TOKEN", " "),
        ("ROLLTOP_HTTP_TOKEN", "a\nb"),
        ("ROLLTOP_HTTP_TOKEN", "\udcff"),
        ("ROLLTOP_HTTP_HOST", "\udcff\udcfe"),
        ("ROLLTOP_HTTP_HOST", "no.such.host.invalid"),
        ("ROLLTOP_EXCLUDE_TOOLS", "-store_text"),
    ],
)
def test_values_that_cannot_work_are_refused(rolltop: Run, variable: str, value: str) -> None:
    given = {"ROLLTOP_HTTP_TOKEN": "abcdefghij0123456789abcdef", variable: value}
    out = rolltop("serve", "--http", "--port", "0", **given)
    assert out.returncode == 2, out.stderr
    assert out.stderr.startswith("Error: ")
    assert variable.removeprefix("ROLLTOP_").lower() in out.stderr


def test_python_without_docstrings_is_refused(environment: dict[str, str]) -> None:
    out = shell(f"{sys.executable} -OO -m rolltop tools list", environment)
    assert out.returncode == 1
    assert "-OO" in out.stderr


# streams ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "end"),
    [("tools list >&-", "output"), ("store add - --name x <&-", "input"), ("transform -e 1 <&-", "input")],
)
def test_a_closed_stream_is_named(environment: dict[str, str], line: str, end: str) -> None:
    out = shell(f"{ROLLTOP} {line}", environment)
    assert out.returncode == 2
    assert out.stderr.startswith(f"Error: standard {end} is closed")
    assert "Traceback" not in out.stderr


def test_a_closed_stream_that_is_not_needed_is_no_matter(environment: dict[str, str]) -> None:
    out = shell(f"{ROLLTOP} tools list <&- 2>&-", environment)
    assert out.returncode == 0
    assert "store_text" in out.stdout


# threads and memory ----------------------------------------------------------------------------------

FEW = """
import os, resource, sys, threading
from pathlib import Path
from rolltop.cli.errors import leave_with
from rolltop.journal import Entry, Journal
from rolltop.base.os_errors import explain_resource_limit, can_start_threads

assert can_start_threads()
if os.geteuid() == 0:
    os.setgroups([])
    os.setresuid(54321, 54321, 54321)
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
assert not can_start_threads()
journal = Journal(Path(sys.argv[1]))
journal.add(Entry(0.0, "t", "s", "c", "cli", "ok", None, 0.0, 0, 0, "d"))
journal.close()
try:
    threading.Thread(target=print).start()
except RuntimeError as error:
    assert "no more threads" in str(explain_resource_limit(error))
leave_with(KeyboardInterrupt())
"""


def test_few_threads_are_named(environment: dict[str, str], tmp_path: Path) -> None:
    """The journal goes on, and an interrupt that a library made for want of threads is told as what it was."""
    script = [sys.executable, "-c", FEW, str(tmp_path / "journal.sqlite")]
    out = subprocess.run(script, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert out.returncode == 6, out.stderr
    assert "Error: the system allows this user no more threads" in out.stderr
    assert "interrupted" not in out.stderr


def test_little_memory_is_named() -> None:
    assert isinstance(explain_resource_limit(MemoryError()), MemoryLimit)
    assert isinstance(
        explain_resource_limit(ImportError("x.so: failed to map segment from shared object")), MemoryLimit
    )
    assert isinstance(explain_resource_limit(RuntimeError("can't start new thread")), LimitExceeded)
    assert explain_resource_limit(RuntimeError("something else")) is None
