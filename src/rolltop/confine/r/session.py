"""A running R process in the sandbox, with one or more channels to talk to it."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rolltop.confine.sandbox_backends import start_process
from rolltop.confine.process import Child
from rolltop.confine.channel import Channel, Gone, OnProgress
from rolltop.confine.r.sink import Sink
from rolltop.confine.sandbox import Sandbox
from rolltop.confine.resource_usage import Watch
from rolltop.errors import ForeignFailure, MemoryLimit, PartMissing, SizeLimit, TimeLimit

__all__ = ["START_SECONDS", "RSession", "crashed", "took_too_long"]

SCRIPTS = tuple(Path(__file__).with_name(name) for name in ("json.R", "read.R", "worker.R"))
INSIDE = "/run/rolltop/worker.R"
START_SECONDS = 60.0
UNLIMITED_CPU = 10**8
"""Processor seconds of a process that stays: its calls are limited one by one."""


class RSession:
    """One R process from start to end. The first channel is its own, the others are for its forks."""

    def __init__(self, sandbox: Sandbox, *, forks: int = 0) -> None:
        channels = [Channel(sandbox.limits.output) for _ in range(1 + forks)]
        try:
            self.child = _start(sandbox, channels)
        except BaseException:
            for channel in channels:
                channel.close()
            raise
        channels[0].close_theirs()
        self._channels = channels
        self.control, self.forks = channels[0], channels[1:]
        self._sink = Sink([self.child.process.stdout, self.child.process.stderr])
        self.residents: frozenset[int] = frozenset()
        """Processes of the sandbox that are there to stay."""
        self.version = self._greeting()

    def ask(self, request: Mapping[str, Any], seconds: float, on_progress: OnProgress | None = None) -> dict[str, Any]:
        """Send a request to R itself; raises TimeoutError, `Gone`, or the limit that was reached."""
        watch = Watch(self.child)
        return self.control.ask(request, seconds, lambda: raise_exceeded(watch), on_progress)

    def forget_output(self) -> None:
        """What was printed up to now belongs to earlier requests: `stop` gives back what comes after it."""
        self._sink.forget()

    def stop(self) -> str:
        """End the process and everything in its sandbox; what it printed last comes back."""
        self.child.kill()
        self._sink.finish()
        self.child.close()
        for channel in self._channels:
            channel.close()
        return self._sink.text()

    def _greeting(self) -> str:
        try:
            return str(self.control.receive(time.monotonic() + START_SECONDS, lambda: None)["version"])
        except (Gone, ValueError, KeyError, TimeoutError):
            text = self.stop().strip()
            raise PartMissing(
                f"R could not be started in the sandbox: {text[-400:] or 'no message'}",
                hint="On Debian: apt-get install r-base-core r-cran-jsonlite",
            ) from None


def _start(sandbox: Sandbox, channels: list[Channel]) -> Child:
    fds = [fd for channel in channels for fd in (channel.their_read, channel.their_write)]
    argv = [_find_r(), "--no-echo", "--vanilla", f"--file={INSIDE}", "--args", *map(str, fds)]
    child = start_process(argv, _resident(sandbox), pass_fds=fds)
    assert child.process.stdin is not None
    child.process.stdin.close()
    return child


def _resident(sandbox: Sandbox) -> Sandbox:
    """The sandbox for a process that stays: with the worker's script, and with calls limited one by one."""
    limits = sandbox.limits
    if limits.cpu_seconds is None:
        limits = replace(limits, cpu_seconds=UNLIMITED_CPU)
    return replace(
        sandbox, limits=limits, files={**sandbox.files, INSIDE: b"".join(path.read_bytes() for path in SCRIPTS)}
    )


def _find_r() -> str:
    program = shutil.which("R", path="/usr/local/bin:/usr/bin:/bin:/opt/R/bin")
    if program is None:
        raise PartMissing("R is not installed", hint="On Debian: apt-get install r-base-core r-cran-jsonlite")
    return program


def raise_exceeded(watch: Watch) -> None:
    """Raise the limit that the processes reached together, if they did."""
    match watch.exceeded():
        case "memory":
            raise MemoryLimit("R needed more memory than it is allowed", hint="Use less data at once.")
        case "disk":
            raise SizeLimit("R wrote more to disk than it is allowed", hint="Write less.")


def took_too_long(seconds: float) -> TimeLimit:
    return TimeLimit(
        f"the R code took longer than {seconds:g} s and was ended", hint="Give it less to do, or allow it more time."
    )


_OWN_FRAMES = re.compile(
    r"\n *\d+: (?:eval\((?:expression|invocation), |perform\(request\)).*?(?=\nAn irrecoverable|\Z)", re.DOTALL
)
"""Where a crashed R process goes on from the user's calls to ours, with all of our source."""


def crashed(output: str) -> ForeignFailure:
    return ForeignFailure(
        "the R process ended during the call",
        hint="The next call gets a new process. What this one printed last is in the details.",
        details={"output": _OWN_FRAMES.sub("", output)[-4000:]},
    )
