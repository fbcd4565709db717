"""The template process of a pool: imports the jobs once, then forks limited workers on demand.

`main` gets one descriptor, a Unix socket on which the pool sends its settings and then one message per wanted
worker, with the worker's socket attached. The server has threads
and must not fork itself; this process has none, is small, and has everything imported.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from rolltop.confine.kernel import landlock, process
from rolltop.confine.worker import restrict_forever, serve, wall_features
from rolltop.errors import PartMissing

__all__ = ["main"]

Job = Callable[[bytes], bytes]


def main(fd: int, server: int) -> None:
    """Serve the pool of the process `server` until it hangs up or ends."""
    control = socket.socket(fileno=fd)
    process.die_with_parent(server)
    with control.makefile("rb") as lines:
        settings = json.loads(lines.readline())
    try:
        jobs = _prepare(settings)
    except BaseException as error:
        _tell(control, {"error": f"{type(error).__name__}: {error}"[:2000]})
        return
    _settle(settings, server)
    _tell(control, {"ready": os.getpid(), "features": wall_features(settings["landlock"])})
    while _fork_one(control, jobs, settings):
        pass


def _tell(control: socket.socket, message: dict[str, Any]) -> None:
    control.sendall(json.dumps(message).encode() + b"\n")


def _settle(settings: dict[str, Any], server: int) -> None:
    """Become what workers are forked from: unprivileged, quiet, with as many shared pages as can be."""
    if settings["identity"]:
        uid, gid = settings["identity"]
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
        process.die_with_parent(server)  # a change of user forgets it
    settings["landlock"] = landlock.abi()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C at a terminal is the server's business
    gc.collect()
    gc.freeze()  # the collector would touch, and so copy, every page that workers share


def _prepare(settings: dict[str, Any]) -> list[Job]:
    sys.path[:] = settings["path"]  # the server's: a job is found wherever the server would find it
    for module in settings["preload"]:
        importlib.import_module(module)
    jobs = []
    for name in settings["jobs"]:
        module, _, attribute = name.partition(":")
        jobs.append(getattr(importlib.import_module(module), attribute))
    return jobs


def _fork_one(control: socket.socket, jobs: list[Job], settings: dict[str, Any]) -> bool:
    message, fds, _, _ = socket.recv_fds(control, 16, 1)
    if not message:
        return False
    mother = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            control.close()
            _work(socket.socket(fileno=fds[0]), jobs, settings, mother)
        finally:
            os._exit(1)
    os.close(fds[0])
    _announce(control, pid)
    return True


def _work(sock: socket.socket, jobs: list[Job], settings: dict[str, Any], mother: int) -> None:
    try:
        restrict_forever(settings, mother)
    except OSError as error:
        failure = PartMissing(f"a worker could not be confined: {error.strerror}")
        serve(sock, [_refusal(failure)] * len(jobs))
    else:
        serve(sock, jobs)


def _refusal(failure: PartMissing) -> Job:
    """A job that tells every caller why there is none."""

    def refuse(_: bytes) -> bytes:
        raise failure

    return refuse


def _announce(control: socket.socket, pid: int) -> None:
    """Tell the pool about a worker, with a descriptor of the process where the system has such."""
    if not hasattr(os, "pidfd_open"):
        control.sendall(b"%d\n" % pid)
        return
    pidfd = os.pidfd_open(pid)
    try:
        socket.send_fds(control, [b"%d\n" % pid], [pidfd])
    finally:
        os.close(pidfd)
