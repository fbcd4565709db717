"""Every attack runs as whoever runs the tests and as an ordinary user, with every backend."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rolltop.confine import Confinement, Finished, Limits, Mount, Sandbox, run, sandbox_backends

SOURCE = Path(__file__).parents[2] / "src"
ORDINARY = 12345

Attack = Callable[..., Finished]


def python_for_everybody() -> str:
    """An interpreter that an ordinary user can start: ours may lie in somebody's home."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        command = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups", candidate]
        # Twice, because setpriv starts its program before it has lost all of root's rights.
        code = (
            "import subprocess, sys; assert sys.version_info >= (3, 11); subprocess.check_call([sys.executable, '-V'])"
        )
        probe = subprocess.run([*command, "-c", code], capture_output=True, check=False)
        if probe.returncode == 0:
            return candidate
    raise AssertionError("no Python 3.11 that an ordinary user can start; on Debian: apt-get install python3")


def command_as_user(script: Path) -> list[str]:
    if os.geteuid() != 0:
        return [sys.executable, str(script)]
    user = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups"]
    return [*user, python_for_everybody(), str(script)]


def run_as_user(
    argv: list[str], limits: dict[str, Any], mounts: list[Any], rung: str, hosts: tuple[str, ...] = ()
) -> Finished:
    request = {"argv": argv, "limits": limits, "mounts": mounts, "rung": rung, "hosts": hosts}
    process = subprocess.run(
        command_as_user(Path(__file__).with_name("as_user.py")),
        input=json.dumps(request).encode(),
        capture_output=True,
        cwd="/",
        env={"PYTHONPATH": str(SOURCE), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"},
        timeout=120,
        check=False,
    )
    assert process.returncode == 0, process.stderr.decode()
    found = json.loads(process.stdout)
    return Finished(
        found["reason"],
        found["exit_code"],
        found["signal"],
        found["stdout"].encode("latin-1"),
        found["stderr"].encode("latin-1"),
        found["seconds"],
        Confinement(found["rung"], tuple(found["features"])),
    )


@pytest.fixture
def open_dir() -> Iterator[Path]:
    """A directory that everybody can reach and write; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory(prefix="rolltop-test-") as name:
        os.chmod(name, 0o777)
        yield Path(name)


@pytest.fixture(params=["bwrap", "landlock", "landlock alone"])
def rung(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The kinds of confinement: the last is what remains where a machine forbids namespaces."""
    if request.param == "landlock alone":
        state = sandbox_backends.state_of("landlock")
        walls = tuple(feature for feature in state.features if not feature.startswith("own "))
        alone = sandbox_backends.RungState("landlock", True, walls)
        monkeypatch.setattr(sandbox_backends, "state_of", lambda _: alone)
    return str(request.param)


@pytest.fixture(params=["ourselves", "ordinary user"])
def who(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def attack(rung: str, who: str) -> Attack:
    """Run a shell script, or a program, in the sandbox."""

    def start(script: str | list[str], *, mounts: tuple[tuple[str, str, bool], ...] = (), **limits: Any) -> Finished:
        argv = ["/bin/sh", "-c", script] if isinstance(script, str) else script
        limits.setdefault("seconds", 20)
        if who == "ordinary user":
            return run_as_user(argv, limits, [list(mount) for mount in mounts], rung)
        placed = tuple(Mount(Path(source), target, writable) for source, target, writable in mounts)
        rungs: Any = (rung.split(maxsplit=1)[0],)
        return run(argv, Sandbox(Limits(**limits), mounts=placed, rungs=rungs))

    return start
