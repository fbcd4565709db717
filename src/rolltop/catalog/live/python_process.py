"""A Python process in the sandbox that stays: frames of JSON in and out, a time limit for each."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from rolltop.catalog.live.origin import Origin
from rolltop.confine import Limits, Mount, Sandbox
from rolltop.confine.identity import foreign_identity, require_reachable
from rolltop.confine.sandbox_backends import start_process
from rolltop.confine.process import Child
from rolltop.confine.channel import Channel, Gone
from rolltop.confine.r.sink import Sink
from rolltop.confine.resource_usage import Watch
from rolltop.errors import Cancelled, ForeignFailure, MemoryLimit, PartMissing, PermissionDenied, TimeLimit

__all__ = ["PythonProcess"]

_PLACE = "/run/rolltop/catalog"
_START_SECONDS = 30.0
_UNLIMITED_CPU = 10**8
_SYSTEM_PYTHON = "/usr/bin/python3"


class PythonProcess:
    """Started at the first request, and again after a crash or a request that took too long."""

    def __init__(self, origin: Origin, limits: Limits, initial: Mapping[str, Any]) -> None:
        self._origin = origin
        self._initial = dict(initial)
        self._limits = replace(limits, cpu_seconds=limits.cpu_seconds or _UNLIMITED_CPU)
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._channel: Channel | None = None
        self._sink: Sink | None = None
        self._closed = False

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        with self._lock:
            return self._exchange(request, seconds)

    def _exchange(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        child, channel = self._running()
        watch = Watch(child)
        if self._sink is not None:
            self._sink.forget()  # what an earlier call left there does not explain the end of this one

        def tick() -> None:
            if watch.exceeded():
                raise MemoryLimit("the Python code needed more memory than it is allowed")

        try:
            answer: dict[str, Any] = channel.ask(request, seconds, tick)
        except TimeoutError:
            self._stop()
            raise TimeLimit(
                f"the Python code took longer than {seconds:g} s and was ended",
                hint="Give it less to do, or allow it more time. Its state is lost.",
            ) from None
        except (Gone, ValueError):
            output = self._stop()
            raise ForeignFailure(
                "the Python process ended during the call",
                hint="The next call starts a new one; its state is lost. Its last output is in the details.",
                details={"output": output[-4000:]},
            ) from None
        except BaseException:
            self._stop()
            raise
        return answer

    def _running(self) -> tuple[Child, Channel]:
        if self._closed:
            raise Cancelled("the Python worker is closed")
        if self._child is None or self._channel is None:
            self._start()
        assert self._child is not None
        assert self._channel is not None
        return self._child, self._channel

    def _start(self) -> None:
        program, mounts = _interpreter()
        channel = Channel(self._limits.output, "Python")
        argv = [
            program,
            "-B",
            "-X",
            "utf8",
            f"{_PLACE}/worker.py",
            json.dumps(self._origin.python_paths),
        ]
        argv += [str(channel.their_read), str(channel.their_write)]
        try:
            sandbox = self._sandbox(mounts)
            self._child = start_process(argv, sandbox, pass_fds=[channel.their_read, channel.their_write])
        except BaseException:
            channel.close()
            raise
        self._channel = channel
        channel.close_theirs()
        self._child.process.stdin.close()  # type: ignore[union-attr]
        self._sink = Sink([self._child.process.stdout, self._child.process.stderr])
        try:
            channel.receive(time.monotonic() + _START_SECONDS, lambda: None)
            # By the pipe, not the command line: everybody on the machine could read it there.
            channel.ask({"op": "set_state", "values": self._initial}, _START_SECONDS, lambda: None)
        except (Gone, ValueError, TimeoutError):
            raise PartMissing(f"Python could not be started in the sandbox: {self._stop()[-400:]}") from None

    def _sandbox(self, mounts: tuple[Mount, ...]) -> Sandbox:
        catalog = resources.files("rolltop.catalog")
        files = {
            f"{_PLACE}/worker.py": catalog.joinpath("live", "worker.py").read_bytes(),
            f"{_PLACE}/conversion.py": catalog.joinpath("live", "conversion.py").read_bytes(),
            f"{_PLACE}/describe.py": catalog.joinpath("describe.py").read_bytes(),
            f"{_PLACE}/results.py": catalog.joinpath("live", "results.py").read_bytes(),
            f"{_PLACE}/state.py": catalog.joinpath("state.py").read_bytes(),
        }
        sandbox = self._origin.sandbox(self._limits, files)
        return replace(sandbox, mounts=(*sandbox.mounts, *mounts))

    def _stop(self) -> str:
        child, channel, sink = self._child, self._channel, self._sink
        self._child = self._channel = self._sink = None
        if child is not None:
            child.kill()
        if sink is not None:
            sink.finish()
        if child is not None:
            child.close()
        if channel is not None:
            channel.close()
        return sink.text() if sink is not None else ""

    def close(self) -> None:
        """End the process for good."""
        self._closed = True
        if (child := self._child) is not None:
            child.kill()
        with self._lock:
            self._stop()


def _interpreter() -> tuple[str, tuple[Mount, ...]]:
    """The interpreter that runs rolltop, with its libraries, where foreign code may reach it; else the system's."""
    places = {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve()}
    outside = [place for place in sorted(places) if not place.is_relative_to("/usr")]
    try:
        for place in outside:
            require_reachable(place, foreign_identity())
    except PermissionDenied:
        if not Path(_SYSTEM_PYTHON).exists():
            raise PartMissing(
                "the Python that runs rolltop cannot be reached from the sandbox, and the system has no other",
                hint="On Debian: apt-get install python3-minimal, or install Python where every user can read it.",
            ) from None
        return _SYSTEM_PYTHON, ()
    return sys.executable, tuple(Mount(place, str(place)) for place in outside)
