"""Jobs for the tests of the workers: good ones, and every kind of bad one."""

import ctypes
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from rolltop.confine.wire import HEADER, WANTED
from rolltop.confine.worker import _Caller, bring, is_worker
from rolltop.errors import InvalidData, Position

kept: list[bytes] = []


def upper(payload: bytes) -> bytes:
    return payload.upper()


def same(payload: bytes) -> bytes:
    return payload


def pid(_: bytes) -> bytes:
    return str(os.getpid()).encode()


def sleep(payload: bytes) -> bytes:
    time.sleep(float(payload))
    return b"slept"


def zeros(payload: bytes) -> bytes:
    return bytes(int(payload))


def remember(payload: bytes) -> bytes:
    kept.append(payload)
    return b",".join(kept)


def fetch(payload: bytes) -> bytes:
    """The data files of these names, and whether there is one."""
    found = [bring(name) for name in payload.decode().split("\n")]
    return b"|".join(b"none" if data is None else data for data in found) + b" %d" % is_worker()


def greedy(payload: bytes) -> bytes:
    """Ask for a name that is longer than one may be, past the function that would not."""
    sock = _Caller.socket
    assert sock is not None
    sock.sendall(HEADER.pack(int(payload), _Caller.mark, WANTED) + b"x" * int(payload))
    time.sleep(20)
    return b"done"


def refuse(_: bytes) -> bytes:
    raise InvalidData("line 3 is wrong", code="PARSE_ERROR", hint="Mend it.", position=Position(3, 7), details={"n": 1})


def bad(payload: bytes) -> bytes:
    """Do something that a worker must not survive, or must not be able to do."""
    BAD[payload.decode()]()
    return b"done"


def spin() -> None:
    while True:
        pass


def recurse() -> None:
    recurse()


def hold_memory() -> None:
    pieces = []
    while True:
        pieces.append(bytearray(1 << 20))


def start_thread() -> None:
    thread = threading.Thread(target=time.sleep, args=(0,))
    thread.start()


BAD = {
    # what takes too long
    "spin": spin,
    "sum": lambda: sum(range(10**12)),
    "power": lambda: (10**7) ** (10**7),
    "regex": lambda: re.match(r"(a+)+$", "a" * 40 + "b"),
    "sleep": lambda: time.sleep(100),
    # what needs too much
    "memory": lambda: bytearray(1 << 30),
    "list": lambda: [0] * (1 << 28),
    "pieces": hold_memory,
    "recursion": recurse,
    # what ends the process
    "segfault": lambda: ctypes.string_at(0),
    "abort": os.abort,
    "exit": lambda: os._exit(0),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "system exit": lambda: sys.exit(3),
    # what is not a worker's business
    "read": lambda: Path("/etc/passwd").read_bytes(),
    "write": lambda: Path("/tmp/rolltop-worker-was-here").write_bytes(b"x"),
    "list directory": lambda: os.listdir("/"),
    "stat": lambda: os.stat("/etc/passwd"),
    "network": socket.socket,
    "fork": os.fork,
    "program": lambda: subprocess.run(["/bin/true"], check=True),
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "thread": start_thread,
    "kill parent": lambda: os.kill(os.getppid(), signal.SIGKILL),
    "kill all": lambda: os.kill(-1, signal.SIGKILL),
    "become root": lambda: os.setuid(0),
    "pipe": os.pipe,
}
