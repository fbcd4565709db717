"""Wait for other processes, with a limit: file locks, and actions that fail while another process is at work."""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections.abc import Callable, Iterator

from rolltop.base.secrets import mask_text

__all__ = ["lock_holder", "lock_within", "retry_within"]

_LONGEST_PAUSE = 0.05
_LONGEST_COMMAND = 120


def lock_within(descriptor: int, seconds: float, *, pause: float = _LONGEST_PAUSE) -> bool:
    """Take an exclusive lock on an open file or directory; False if others still hold it after `seconds`.

    It is tried again and again, with at most `pause` seconds in between: a blocking lock has no limit. Closing the
    descriptor releases the lock.
    """
    for last in _tries(seconds, pause):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if last:
                break
    return False


def lock_holder(descriptor: int) -> str:
    """Who holds the lock on an open file, for an error message: the process and its command, as far as Linux tells."""
    pid = _holder_pid(os.fstat(descriptor))
    if pid is None:
        return "another process"
    if pid == os.getpid():
        return "this process"
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read(4096).replace(b"\0", b" ").decode("utf-8", "replace").split()
    except OSError:
        words = []
    command = "".join(sign for sign in " ".join(words) if sign.isprintable())
    return f"process {pid}" + (f" ({mask_text(command)[:_LONGEST_COMMAND]})" if command else "")


def retry_within(seconds: float, action: Callable[[], object], *, busy: Callable[[Exception], bool]) -> None:
    """Repeat `action` while it fails with an error that `busy` recognises, for at most `seconds`."""
    for last in _tries(seconds):
        try:
            action()
            return
        except Exception as error:
            if last or not busy(error):
                raise


def _holder_pid(info: os.stat_result) -> int | None:
    """Read /proc/locks: `1: FLOCK ADVISORY WRITE 1234 08:01:5678 0 EOF`."""
    device = f"{os.major(info.st_dev):02x}:{os.minor(info.st_dev):02x}"
    found: dict[str, int] = {}
    try:
        with open("/proc/locks", encoding="ascii") as file:
            for line in file:
                words = line.split()
                if len(words) < 6 or words[1] != "FLOCK":
                    continue  # also of those who wait: `1: -> FLOCK …`
                place, _, inode = words[5].rpartition(":")
                if inode == str(info.st_ino) and int(words[4]) > 0:
                    found[place] = int(words[4])
    except (OSError, ValueError):
        return None
    # Some file systems give a file another device number than they lock by.
    return found.get(device) or next(iter(found.values()), None)


def _tries(seconds: float, longest: float = _LONGEST_PAUSE) -> Iterator[bool]:
    """Sleep between tries; yields True before the last one."""
    until = time.monotonic() + seconds
    pause = min(0.001, longest)
    while time.monotonic() < until:
        yield False
        time.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - spreads the waiters, hides nothing
        pause = min(pause * 2, longest)
    yield True
