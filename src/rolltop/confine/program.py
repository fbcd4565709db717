"""Run a confined program to its end: feed it, read it, watch its limits."""

from __future__ import annotations

import os
import re
import selectors
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO, Literal

from rolltop.confine.cancellation import Cancel, in_loop, in_thread
from rolltop.confine.process import Child
from rolltop.confine.resource_usage import Watch
from rolltop.confine.result import Finished, Reason
from rolltop.confine.sandbox import Sandbox
from rolltop.confine.sandbox_backends import start_process
from rolltop.errors import PartMissing

__all__ = ["OnLine", "run", "run_async"]

OnLine = Callable[[Literal["stdout", "stderr"], str], None]

_CHUNK = 1 << 16
_LINGER = 1.0
"""Seconds to wait for the last output of an ended program."""

_OUT_OF_MEMORY = re.compile(rb"cannot allocate|MemoryError|bad_alloc|out of memory", re.IGNORECASE)


_NO_PROGRAM = re.compile(
    rb"(bwrap: execvp|rolltop-launch:|prlimit: failed to execute) .*(No such file|Permission denied)"
)


def run(
    argv: Sequence[str],
    sandbox: Sandbox | None = None,
    *,
    input: bytes = b"",  # noqa: A002 - the name that subprocess.run taught everybody
    on_line: OnLine | None = None,
    cancel: Cancel | None = None,
) -> Finished:
    """Run `argv` confined and wait for its end. Never raises for what the program does: see `Finished`."""
    started = time.monotonic()
    child = start_process(argv, sandbox or Sandbox())
    try:
        streams = _Streams(child, input, on_line, started + child.limits.seconds)
        reason = streams.until_end(cancel)
        child.kill()
        return _finished(child, streams, reason, time.monotonic() - started)
    finally:
        child.close()


async def run_async(
    argv: Sequence[str],
    sandbox: Sandbox | None = None,
    *,
    input: bytes = b"",  # noqa: A002
    on_line: OnLine | None = None,
) -> Finished:
    """`run` for asyncio. Cancelling the task ends the program before the cancellation is passed on.

    `on_line` is called in the event loop's thread.
    """
    told = in_loop(on_line)
    return await in_thread(lambda cancel: run(argv, sandbox, input=input, on_line=told, cancel=cancel))


@dataclass(slots=True)
class _Stream:
    name: Literal["stdout", "stderr"]
    pipe: IO[bytes]
    limit: int
    on_line: OnLine | None
    chunks: bytearray = field(default_factory=bytearray)
    told: int = 0

    def read(self) -> bool:
        """Take what is there; false at the end."""
        data = os.read(self.pipe.fileno(), _CHUNK)
        self.chunks += data[: max(0, self.limit + 1 - len(self.chunks))]
        self._tell(final=not data)
        return bool(data)

    @property
    def over(self) -> bool:
        return len(self.chunks) > self.limit

    def _tell(self, *, final: bool) -> None:
        if self.on_line is None:
            return
        while (end := self.chunks.find(b"\n", self.told)) >= 0:
            self.on_line(self.name, self.chunks[self.told : end].decode("utf-8", "replace"))
            self.told = end + 1
        if final and self.told < len(self.chunks):
            self.on_line(self.name, self.chunks[self.told :].decode("utf-8", "replace"))
            self.told = len(self.chunks)


class _Streams:
    """The three streams of one child, and the reasons to end it early."""

    def __init__(self, child: Child, data: bytes, on_line: OnLine | None, deadline: float) -> None:
        assert child.process.stdin is not None
        assert child.process.stdout is not None
        assert child.process.stderr is not None
        self.child = child
        self.deadline = deadline
        self.data = memoryview(data)
        self.stdin = child.process.stdin
        limit = child.limits.output
        self.stdout = _Stream("stdout", child.process.stdout, limit, on_line)
        self.stderr = _Stream("stderr", child.process.stderr, limit, on_line)

    def until_end(self, cancel: Cancel | None) -> Reason | None:
        """None when the program ended by itself, else why it has to be ended."""
        watch = Watch(self.child)
        with selectors.DefaultSelector() as selector:
            for stream in (self.stdout, self.stderr):
                selector.register(stream.pipe, selectors.EVENT_READ, stream)
            if cancel is not None:
                selector.register(cancel.fileno(), selectors.EVENT_READ, "cancel")
            self._offer_input(selector)
            while self._reading(selector):
                left = self.deadline - time.monotonic()
                if left <= 0:
                    return "time"
                for key, _ in selector.select(min(left, watch.interval)):
                    if key.data == "cancel":
                        return "cancelled"
                    if key.data == "stdin":
                        self._write(selector)
                    elif not key.data.read():
                        selector.unregister(key.fileobj)
                    elif key.data.over:
                        return "output"
                if reason := watch.exceeded():
                    return reason
            return self._wait(cancel, watch)

    def _reading(self, selector: selectors.BaseSelector) -> bool:
        return any(isinstance(key.data, _Stream) for key in selector.get_map().values())

    def _offer_input(self, selector: selectors.BaseSelector) -> None:
        if not self.data:
            self.stdin.close()
            return
        os.set_blocking(self.stdin.fileno(), False)
        selector.register(self.stdin, selectors.EVENT_WRITE, "stdin")

    def _write(self, selector: selectors.BaseSelector) -> None:
        try:
            self.data = self.data[os.write(self.stdin.fileno(), self.data[:_CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.data = self.data[:0]
        if not self.data:
            selector.unregister(self.stdin)
            self.stdin.close()

    def _wait(self, cancel: Cancel | None, watch: Watch) -> Reason | None:
        """The program closed its output but may still run."""
        with selectors.DefaultSelector() as selector:
            pidfd = os.pidfd_open(self.child.process.pid)
            try:
                selector.register(pidfd, selectors.EVENT_READ, "end")
                if cancel is not None:
                    selector.register(cancel.fileno(), selectors.EVENT_READ, "cancel")
                while (left := self.deadline - time.monotonic()) > 0:
                    for key, _ in selector.select(min(left, watch.interval)):
                        return "cancelled" if key.data == "cancel" else None
                    if reason := watch.exceeded():
                        return reason
                return "time"
            finally:
                os.close(pidfd)


def _finished(child: Child, streams: _Streams, reason: Reason | None, seconds: float) -> Finished:
    code, number = _decode(child.process.returncode)
    stderr = bytes(streams.stderr.chunks[: child.limits.output])
    if reason is None:
        if not child.started():
            _raise_not_started(stderr)
        if code in (1, 126, 127) and _NO_PROGRAM.match(stderr):
            raise PartMissing(
                f"there is no program {child.program} that the sandbox can see",
                hint="Install it below /usr, or mount it.",
            )
        reason = _why(code, number, stderr)
    if reason not in ("exit", "signal", "cpu", "file_size", "memory"):
        code, number = None, None
    stdout = bytes(streams.stdout.chunks[: child.limits.output])
    return Finished(reason, code, number, stdout, stderr, seconds, child.confinement)


def _decode(returncode: int) -> tuple[int | None, int | None]:
    """Exit code or signal; bubblewrap reports the signal of its child as 128 and the number."""
    if returncode < 0:
        return None, -returncode
    if 128 < returncode <= 128 + signal.SIGRTMAX:
        return None, returncode - 128
    return returncode, None


def _why(code: int | None, number: int | None, stderr: bytes) -> Reason:
    if number == signal.SIGXCPU:
        return "cpu"
    if number == signal.SIGXFSZ:
        return "file_size"
    if (number or code) and _OUT_OF_MEMORY.search(stderr[-4000:]):
        return "memory"
    return "signal" if number else "exit"


def _raise_not_started(stderr: bytes) -> None:
    text = stderr.decode("utf-8", "replace").strip()
    raise PartMissing(
        f"the sandbox could not be set up: {text[-400:] or 'no message'}",
        hint="rolltop doctor says what this machine lacks for confinement.",
    )
