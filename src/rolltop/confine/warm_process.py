"""A confined program that stays: started once, given requests, limited, and ended or replaced.

`WarmProcess` is the process itself: requests and answers are JSON frames over pipes of its own. As a `template` it
forks a job for each request and never runs foreign code itself. A job has pipes of its own and cannot reach the
memory or the descriptors of the template. When it has ended, the sandbox is looked at from outside: a template that
is not exactly as it was before is not used again.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rolltop.confine.cancellation import Cancel
from rolltop.confine.channel import Channel, Gone, OnProgress
from rolltop.confine.kernel.process import descendants
from rolltop.confine.process import Child, OutputTail
from rolltop.confine.resource_usage import Watch
from rolltop.confine.result import Confinement
from rolltop.confine.sandbox import Sandbox
from rolltop.confine.sandbox_backends import start_process
from rolltop.errors import Cancelled, ForeignFailure, MemoryLimit, PartMissing, RolltopError, SizeLimit, TimeLimit

__all__ = ["START_SECONDS", "Program", "WarmProcess"]

START_SECONDS = 60.0
_UNLIMITED_CPU = 10**8
"""Processor seconds of a process that stays: its requests are limited one by one."""
_LONGEST_LIST = 1 << 16
"""Bytes of a list of child processes that are read."""
_ONE_THREAD = 3
"""Links of the directory of a process's threads, when there is one."""
_HALTED = (b"T", b"t", b"Z", b"X")
"""States of a process that answers nothing: a job stopped it, or it has ended."""
_ENDING = 1.0
"""Seconds that a job has to end after its answer."""


@dataclass(frozen=True, slots=True)
class Program:
    """What to start, and what to call it."""

    name: str
    """`R` or `Python`: the word in messages."""
    command: Callable[[list[str]], list[str]]
    """The command line for these descriptors: a pair for the process itself, and one for the jobs of a template."""
    install: str
    """How to get it."""
    noise: re.Pattern[str] | None = None
    """Parts of what it prints when it crashes that are about our own code."""


class WarmProcess:
    """One process in its sandbox, from start to end; one request at a time."""

    def __init__(
        self, program: Program, sandbox: Sandbox, *, template: bool = False, cancel: Cancel | None = None
    ) -> None:
        self.name, self._noise = program.name, program.noise
        channels = [Channel(sandbox.limits.output, program.name) for _ in range(1 + template)]
        fds = [fd for channel in channels for fd in (channel.their_read, channel.their_write)]
        limits = sandbox.limits
        if limits.cpu_seconds is None:
            limits = replace(limits, cpu_seconds=_UNLIMITED_CPU)
        try:
            resident = replace(sandbox, limits=limits, reaper=template)
            self.child: Child = start_process(
                program.command([str(fd) for fd in fds]), resident, pass_fds=fds, stdin=False
            )
        except BaseException:
            for channel in channels:
                channel.close()
            raise
        self._control, self._jobs = channels[0], channels[1] if template else None
        self._control.close_theirs()
        self._lists: list[tuple[int, str, bytes]] = []
        """For each resident: its list of children, open, its threads, and the list as it was."""
        self.jobs = 0
        """How many it was asked to run."""
        self._use = threading.Lock()
        """Held by whoever reads or writes the pipes: only then may they be closed."""
        self._tail = OutputTail([self.child.process.stdout, self.child.process.stderr])
        self.greeting = self._greeted(program, cancel)
        self.mark_ready()

    def mark_ready(self) -> None:
        """What runs in the sandbox now belongs to it; what comes later is a leftover."""
        self._residents = frozenset(self._processes())
        self._close_lists()
        with contextlib.suppress(OSError):
            for pid in self._residents:
                fd = os.open(f"/proc/{pid}/task/{pid}/children", os.O_RDONLY | os.O_CLOEXEC)
                self._lists.append((fd, f"/proc/{pid}/task", os.pread(fd, _LONGEST_LIST, 0)))
            return
        self._close_lists()

    def _close_lists(self) -> None:
        while self._lists:
            os.close(self._lists.pop()[0])

    def _greeted(self, program: Program, cancel: Cancel | None) -> dict[str, Any]:
        try:
            return self._control.receive(time.monotonic() + START_SECONDS, lambda: self._raise_cancelled(cancel))
        except (Gone, ValueError, TimeoutError):
            text = self.close().strip()
            raise PartMissing(
                f"{self.name} could not be started in the sandbox: {text[-400:] or 'no message'}",
                hint=program.install,
            ) from None
        except BaseException:
            self.close()
            raise

    def _raise_cancelled(self, cancel: Cancel | None) -> None:
        if cancel is not None and cancel.is_set():
            raise Cancelled(f"the {self.name} code was cancelled")

    @property
    def confinement(self) -> Confinement:
        return self.child.confinement

    @property
    def alive(self) -> bool:
        return self.child.process.poll() is None

    @property
    def printed(self) -> str:
        """The end of what was printed since the last request began."""
        return self._tail.text()

    # Requests

    def ask(
        self,
        request: Mapping[str, Any],
        seconds: float,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> dict[str, Any]:
        """Have the process itself answer; whatever raises has ended it."""
        self._tail.clear()
        with self._use:
            try:
                return self._exchange(self._control, request, seconds, on_progress, cancel)
            except BaseException:
                self.child.kill()
                raise

    def run_job(
        self,
        request: Mapping[str, Any],
        seconds: float,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> dict[str, Any]:
        """Have a fork answer. Only when `finish_job` finds nothing left of it may the process be used again."""
        assert self._jobs is not None
        self.jobs += 1
        self._tail.clear()
        with self._use:
            try:
                answer = self._exchange(self._control, {"op": "fork"}, START_SECONDS)
                if "error" in answer:
                    raise _cannot_fork(self.name, str(answer["error"]))
                with self._job() as has_ended:
                    return self._exchange(self._jobs, request, seconds, on_progress, cancel, has_ended=has_ended)
            except BaseException as error:
                if getattr(error, "error_type", "") != "no_process":
                    self.child.kill()
                raise

    def finish_job(self) -> bool:
        """Wait for the end of a job and look, from outside, at what it left; true when the template is as it was."""
        deadline = time.monotonic() + _ENDING
        while self.leftovers():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.001)
        if any(_state(pid) in _HALTED for pid in self._residents):
            return False
        with self._use:
            if self._jobs is None or not self._is_closed_to_jobs() or not self._jobs.reset() or not self._tail.reset():
                return False
        try:
            return self.ask({"op": "sweep"}, _ENDING * 10).get("value") is True
        except RolltopError:
            return False

    @contextlib.contextmanager
    def _job(self) -> Iterator[Callable[[], bool]]:
        """A function that says whether the job, the one process that is new, has ended."""
        for pid in self.leftovers():
            with contextlib.suppress(ProcessLookupError):
                pidfd = os.pidfd_open(pid)
                try:
                    yield partial(_is_readable, pidfd)
                finally:
                    os.close(pidfd)
                return
        yield lambda: True

    def _exchange(
        self,
        channel: Channel,
        request: Mapping[str, Any],
        seconds: float,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
        *,
        has_ended: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        watch, ended = Watch(self.child), False

        def tick() -> None:
            nonlocal ended
            self._raise_exceeded(watch)
            self._raise_cancelled(cancel)
            if ended:
                raise Gone
            # Its last words may still be on their way: gone only when nothing came after it had ended.
            ended = has_ended is not None and has_ended()

        try:
            return channel.ask(request, seconds, tick, on_progress)
        except TimeoutError:
            raise TimeLimit(
                f"the {self.name} code took longer than {seconds:g} s and was ended",
                hint="Give it less to do, or allow it more time.",
            ) from None
        except (Gone, ValueError):
            self.child.kill()
            self._tail.join()
            raise ForeignFailure(
                f"the {self.name} process ended during the call",
                hint="The next call starts a new one. What this one printed last is in the details.",
                details={"output": (self._noise.sub("", self.printed) if self._noise else self.printed)[-4000:]},
            ) from None

    def _raise_exceeded(self, watch: Watch) -> None:
        match watch.exceeded():
            case "memory":
                raise MemoryLimit(
                    f"the {self.name} code needed more memory than it is allowed", hint="Use less data at once."
                )
            case "disk":
                raise SizeLimit(f"the {self.name} code wrote more to disk than it is allowed", hint="Write less.")

    # From outside

    def _processes(self) -> set[int]:
        """Everything that runs in the sandbox, as this machine numbers it."""
        # Orphans belong to the first process of a namespace, or else to the supervisor.
        root = self.child.first_pid if self.confinement.rung == "bwrap" else self.child.process.pid
        return {root, *descendants(root)} if root is not None else set()

    def leftovers(self) -> set[int]:
        """Processes in the sandbox that were not there when it was ready, and have not ended."""
        if self._is_as_before():
            return set()
        return {pid for pid in self._processes() - self._residents if not _is_over(pid)}

    def _is_as_before(self) -> bool:
        """Whether every resident has one thread and the children that it had: true after most calls, and quick."""
        try:
            return bool(self._lists) and all(
                os.pread(fd, _LONGEST_LIST, 0) == children and os.stat(tasks).st_nlink == _ONE_THREAD
                for fd, tasks, children in self._lists
            )
        except OSError:
            return False

    def kill_leftovers(self) -> bool:
        """End what a request left running; false when that cannot be done."""
        for _ in range(20):
            if not (left := self.leftovers()):
                return True
            for number in (signal.SIGSTOP, signal.SIGKILL):  # first hold them all: none forks while others end
                for pid in left:
                    _signal(pid, number, self.leftovers)
            time.sleep(0.002)
        return False

    def _is_closed_to_jobs(self) -> bool:
        """Whether no job can have written to this process's memory.

        With bubblewrap the owner of its files in /proc shows it; with Landlock a job sees no /proc.
        """
        if self.confinement.rung != "bwrap":
            return self.confinement.rung == "landlock"
        with contextlib.suppress(OSError):
            # The kernel gives these files to root when a process is closed to others of its user.
            return all(os.stat(f"/proc/{pid}/mem").st_uid == 0 for pid in self._residents)
        return False

    def kill(self) -> None:
        """End it from any thread; whoever waits for an answer is told."""
        self.child.kill()

    def close(self) -> str:
        """End it and give back what it held, once nobody uses its pipes; returns what it printed last."""
        self.child.kill()
        with self._use:
            self._tail.join()
            self.child.close()
            self._close_lists()
            self._control.close()
            if self._jobs is not None:
                self._jobs.close()
        return self.printed


def _is_readable(fd: int) -> bool:
    return bool(select.select([fd], [], [], 0)[0])


def _is_over(pid: int) -> bool:
    return _state(pid) in (b"Z", b"X")


def _state(pid: int) -> bytes:
    """The letter that the kernel gives for what a process does; X when there is none of that number."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0]
    except OSError:
        return b"X"


def _signal(pid: int, number: int, still: Callable[[], set[int]]) -> None:
    with contextlib.suppress(OSError):
        pidfd = os.pidfd_open(pid)
        try:
            if pid in still():  # the number may mean another process by now
                signal.pidfd_send_signal(pidfd, number)
        finally:
            os.close(pidfd)


def _cannot_fork(name: str, reason: str) -> ForeignFailure:
    return ForeignFailure(f"{name} could not fork: {reason}", code="no_process", hint="Try again later.")
