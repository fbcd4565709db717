"""A private container engine for the tests: started by the first process that needs it, stopped by the last.

Images are kept between runs, under the user's cache directory, because making one takes minutes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

from conditions import wait_until

HOME = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rolltop-tests"


def answers(host: str) -> bool:
    if not host.startswith("unix://"):
        return False
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        try:
            connection.connect(host.removeprefix("unix://"))
            connection.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
            return b" 200 " in connection.recv(200)
        except OSError:
            return False


@contextlib.contextmanager
def lock(name: str) -> Iterator[None]:
    HOME.mkdir(parents=True, exist_ok=True)
    with open(HOME / f"{name}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def running_engine() -> Iterator[str]:
    """The address of an engine that answers: `DOCKER_HOST`'s, or one of our own."""
    given = os.environ.get("DOCKER_HOST", "")
    if given:
        assert answers(given), f"no container engine answers at DOCKER_HOST={given}"
        yield given
        return
    host = f"unix://{HOME}/engine.sock"
    with lock("engine"):
        if not answers(host):
            _start(host)
        _register()
    try:
        yield host
    finally:
        with lock("engine"):
            if not _unregister():
                _stop()


def _start(host: str) -> None:
    dockerd = shutil.which("dockerd") or shutil.which("dockerd", path="/usr/sbin:/sbin")
    assert dockerd, "dockerd is not installed: make system"
    assert os.geteuid() == 0, "a private container engine needs root; else set DOCKER_HOST to one that runs"
    command = [
        dockerd,
        *("--data-root", str(HOME / "data"), "--exec-root", str(HOME / "x"), "--pidfile", str(HOME / "pid")),
        *("-H", host, "--iptables=false", "--bridge=none"),
    ]
    with open(HOME / "engine.log", "wb") as log:
        # Forked away: it outlives this process when another one still needs it.
        subprocess.run(["setsid", "--fork", *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True)
    try:
        wait_until(lambda: answers(host))
    except AssertionError as error:
        raise AssertionError((HOME / "engine.log").read_text(errors="replace")[-2000:]) from error


def _users() -> set[int]:
    try:
        pids = {int(line) for line in (HOME / "users").read_text().split()}
    except FileNotFoundError:
        return set()
    return {pid for pid in pids if Path(f"/proc/{pid}").exists()}


def _register() -> None:
    (HOME / "users").write_text("\n".join(map(str, _users() | {os.getpid()})))


def _unregister() -> set[int]:
    left = _users() - {os.getpid()}
    (HOME / "users").write_text("\n".join(map(str, left)))
    return left


def _stop() -> None:
    try:
        pid = int((HOME / "pid").read_text())
    except (FileNotFoundError, ValueError):
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    wait_until(lambda: not Path(f"/proc/{pid}").exists())
    # dockerd leaves the mount of its own network namespace behind.
    subprocess.run(["umount", str(HOME / "x/netns/default")], check=False, capture_output=True)
