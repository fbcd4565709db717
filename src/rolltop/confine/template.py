"""The template process of a pool: imports the jobs once, then forks limited workers on demand.

Started as ``python -m rolltop.confine.template`` with one descriptor, a Unix socket on which the pool sends
its settings and then one message per wanted worker, with the worker's socket attached. The server has threads
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

from rolltop.confine.worker import restrict_forever, serve

__all__ = ["main"]

Job = Callable[[bytes], bytes]


def main(fd: int) -> None:
    control = socket.socket(fileno=fd)
    settings = json.loads(control.recv(1 << 16))
    try:
        jobs = _prepare(settings)
    except BaseException as error:
        control.send(json.dumps({"error": f"{type(error).__name__}: {error}"}).encode()[:60000])
        return
    _drop(settings)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C at a terminal is the server's business
    gc.collect()
    gc.freeze()  # the collector would touch, and so copy, every page that workers share
    control.send(json.dumps({"ready": os.getpid()}).encode())
    while _fork_one(control, jobs, settings):
        pass


def _prepare(settings: dict[str, Any]) -> list[Job]:
    sys.path[:] = settings["path"]  # the server's: a job is found wherever the server would find it
    for module in settings["preload"]:
        importlib.import_module(module)
    jobs = []
    for name in settings["jobs"]:
        module, _, attribute = name.partition(":")
        jobs.append(getattr(importlib.import_module(module), attribute))
    return jobs


def _drop(settings: dict[str, Any]) -> None:
    if settings["identity"]:
        uid, gid = settings["identity"]
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)


def _fork_one(control: socket.socket, jobs: list[Job], settings: dict[str, Any]) -> bool:
    message, fds, _, _ = socket.recv_fds(control, 16, 1)
    if not message:
        return False
    mother = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            control.close()
            restrict_forever(settings, mother)
            serve(socket.socket(fileno=fds[0]), jobs)
        finally:
            os._exit(1)
    os.close(fds[0])
    pidfd = os.pidfd_open(pid)
    try:
        socket.send_fds(control, [str(pid).encode()], [pidfd])
    finally:
        os.close(pidfd)
    return True


if __name__ == "__main__":
    main(int(sys.argv[1]))
