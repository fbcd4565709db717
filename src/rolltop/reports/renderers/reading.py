"""The two output streams of a render, as they come in: progress is passed on, the rest is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rolltop.errors import MemoryLimit, RolltopError, TimeLimit
from rolltop.reports.answer import marked_answer, marked_event, read_answer
from rolltop.reports.failure import RenderFailure, tail
from rolltop.reports.job import Rendered, RenderJob, Watcher

__all__ = ["StreamReading", "too_much_memory", "took_too_long"]

_KEPT = 64 * 1024


class StreamReading:
    """Collects the answer from standard output and the events from standard error."""

    def __init__(self, job: RenderJob, watch: Watcher) -> None:
        self.job = job
        self.watch = watch
        self.output = bytearray()
        self.said = ""
        self._line = b""

    def take(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        if stream == "stdout":
            self.output += data
            return
        *lines, self._line = (self._line + data).split(b"\n")
        for line in lines:
            self.take_error_line(line.decode("utf-8", "replace"))

    def take_error_line(self, line: str) -> None:
        event = marked_event(line)
        if event is not None:
            self.watch(event)
        elif line.strip():
            self.said = (self.said + line + "\n")[-_KEPT:]

    def result(self, *, renderer: str, confinement: str, ended: str) -> Rendered:
        """The answer, or an error that says how the render ended without one."""
        answer = marked_answer(bytes(self.output))
        if answer is None:
            raise self.no_answer(renderer, ended)
        return read_answer(self.job, answer, renderer=renderer, confinement=confinement, printed=self.said)

    def no_answer(self, renderer: str, ended: str) -> RolltopError:
        printed = self.output[-_KEPT:].decode("utf-8", "replace")
        return RenderFailure(
            f"rendering {self.job.source} ended without an answer: {ended}",
            hint="The document's code may have ended R; the tail of the log is in the details.",
            details={"renderer": renderer, "log": tail(self.said + printed)},
        )


def took_too_long(job: RenderJob, details: Mapping[str, object]) -> TimeLimit:
    return TimeLimit(
        f"rendering {job.source} took longer than {job.timeout:g} s and was ended",
        hint="Make the document do less, or give a larger timeout.",
        details=details,
    )


def too_much_memory(job: RenderJob, megabytes: int, details: Mapping[str, object]) -> MemoryLimit:
    return MemoryLimit(
        f"rendering {job.source} needed more than {megabytes} MiB and was ended",
        hint="Use less data at once, or raise memory in the [reports] settings.",
        details=details,
    )
