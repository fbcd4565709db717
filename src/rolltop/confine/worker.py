"""Worker processes of a `WorkerPool`: confined for good, they run jobs from bytes to bytes.

`main` is the template process. It imports the jobs once and forks a worker for each message on its Unix socket; the
worker's own socket is attached to the message. The server has threads and must not fork itself; the template has
none, is small, and has everything imported.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from typing import Any

from rolltop.confine.kernel import filters, landlock, process
from rolltop.confine.kernel.syscalls import this_architecture
from rolltop.confine.launch import lower_limit
from rolltop.confine.wire import FAILED, HEADER, LONGEST_NAME, OK, OUT_OF_MEMORY, WANTED, encode_error
from rolltop.errors import PartMissing

__all__ = ["bring", "is_worker", "main", "restrict_forever", "serve", "wall_features"]


_BUFFER = 1 << 16


class _Caller:
    """The caller of the running job; `socket` is None outside of workers."""

    socket: socket.socket | None = None
    mark = 0


def restrict_forever(settings: dict[str, Any], mother: int) -> None:
    """Apply all limits to this process, before it reads foreign data.

    The system call filter comes last: it forbids everything else.
    """
    process.die_with_parent(mother)
    lower_limit(resource.RLIMIT_AS, _address_space() + settings["memory"])
    lower_limit(resource.RLIMIT_CORE, 0)
    lower_limit(resource.RLIMIT_FSIZE, 0)
    if not process.LINUX:
        return
    process.no_new_privileges()
    if settings["landlock"]:
        landlock.restrict(version=settings["landlock"])
    if program := filters.worker_filter(os.getpid(), threads=settings["threads"]):
        process.load_filter(program)


def wall_features(landlock_version: int) -> list[str]:
    """Describe what `restrict_forever` achieves on this machine."""
    features = ["limits"]
    if landlock_version:
        features.append(f"no file system (Landlock {landlock_version})")
    if this_architecture() is not None:
        features.append("filter of system calls")
    if os.getuid() != 0:
        features.append("not root")
    return features


def _address_space() -> int:
    if not process.LINUX:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def serve(sock: socket.socket, jobs: Sequence[Callable[[bytes], bytes]]) -> None:
    """Answer requests one after the other; returns when the pool hangs up."""
    # One buffer for all requests: a new one for each would be mapped and unmapped every time.
    buffer = bytearray(_BUFFER)
    view = memoryview(buffer)
    _Caller.socket = sock
    while have := sock.recv_into(buffer):
        while have < HEADER.size:
            got = sock.recv_into(view[have:])
            if not got:
                return
            have += got
        length, mark, number = HEADER.unpack_from(buffer)
        body = bytes(view[HEADER.size : have])
        if len(body) < length:
            whole = _rest(sock, body, length)
            if whole is None:
                return
            body = whole
        _Caller.mark = mark
        kind, answer = _answer(jobs[number], body)
        if len(answer) < _BUFFER:
            sock.sendall(HEADER.pack(len(answer), mark, kind) + answer)
        else:
            sock.sendall(HEADER.pack(len(answer), mark, kind))
            sock.sendall(answer)


def _rest(sock: socket.socket, start: bytes, length: int) -> bytes | None:
    """Read the rest of a body. Nothing follows it, because the caller waits for the answer."""
    whole = bytearray(length)
    have = len(start)
    whole[:have] = start
    with memoryview(whole) as view:
        while have < length:
            got = sock.recv_into(view[have:])
            if not got:
                return None
            have += got
    return bytes(whole)


def _answer(job: Callable[[bytes], bytes], body: bytes) -> tuple[int, bytes]:
    try:
        result = job(body)
        if not isinstance(result, bytes):
            raise TypeError(f"the job answered with {type(result).__name__} instead of bytes")
        return OK, result
    except MemoryError:
        gc.collect()
        return OUT_OF_MEMORY, b""
    except BaseException as error:
        return FAILED, encode_error(error)


def is_worker() -> bool:
    """True in a worker process."""
    return _Caller.socket is not None


def bring(name: str) -> bytes | None:
    """Fetch a data file from the pool's library for the running job; None if there is none of that name.

    A worker cannot open files. Its caller, which waits for the answer, reads the file for it.
    """
    sock, asked = _Caller.socket, name.encode("utf-8", "replace")
    if sock is None or len(asked) > LONGEST_NAME:
        return None
    sock.sendall(HEADER.pack(len(asked), _Caller.mark, WANTED) + asked)
    head = _rest(sock, b"", HEADER.size)
    length, _, kind = HEADER.unpack(head) if head is not None else (0, 0, FAILED)
    data = _rest(sock, b"", length)
    return data if kind == OK else None


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
    """Prepare for forking: drop privileges, ignore signals, and share as many pages as possible."""
    if settings["identity"]:
        uid, gid = settings["identity"]
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
        process.die_with_parent(server)  # a change of user resets it
    settings["landlock"] = landlock.abi()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C
    gc.collect()
    gc.freeze()  # the collector would write to, and so copy, the shared pages


def _prepare(settings: dict[str, Any]) -> list[Job]:
    sys.path[:] = settings["path"]  # as in the server, so that jobs are found
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
    """A job that raises `failure` for every request."""

    def refuse(_: bytes) -> bytes:
        raise failure

    return refuse


def _announce(control: socket.socket, pid: int) -> None:
    """Send the pool the worker's pid, and a pidfd where the system has them."""
    if not hasattr(os, "pidfd_open"):
        control.sendall(b"%d\n" % pid)
        return
    pidfd = os.pidfd_open(pid)
    try:
        socket.send_fds(control, [b"%d\n" % pid], [pidfd])
    finally:
        os.close(pidfd)
