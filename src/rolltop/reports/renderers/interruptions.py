"""Renders that ended without an answer: said with the chunk that was running, which its progress has told."""

from __future__ import annotations

from typing import Any

from rolltop.errors import LimitExceeded, MemoryLimit, RolltopError, TimeLimit
from rolltop.reports.chunk_cache import ChunkRecorder
from rolltop.reports.job import Event, RenderJob, Watcher
from rolltop.reports.results.answer import event_of
from rolltop.reports.results.failure import RenderFailure, limit_reached, tail
from rolltop.reports.results.positions import Place, find_running

__all__ = ["Following", "no_answer", "too_much_memory", "took_too_long"]


class Following:
    """A watcher that passes everything on and remembers where the render is."""

    def __init__(self, job: RenderJob, watch: Watcher, renderer: str) -> None:
        self.job = job
        self.renderer = renderer
        self._watch = watch
        self._last: Event | None = None
        self.recorder = ChunkRecorder(job.chunk_keys)

    def __call__(self, event: Event) -> None:
        self._last = event
        self.recorder.see(event)
        self._watch(event)

    def take(self, wire: Any) -> None:
        """What a render reported while it ran: an event, or what is to be kept of a chunk."""
        if isinstance(wire, dict) and wire.get("phase") == "cache":
            self.recorder.take(wire)
        elif event := event_of(wire):
            self(event)

    @property
    def place(self) -> Place:
        """What was knitted last; nothing of the document when it was not being knitted."""
        if self._last is None or self._last.phase != "knit":
            return Place(self.job.source)
        return find_running(self.job, self._last)

    def details(self, **more: Any) -> dict[str, Any]:
        place = self.place
        lines = [place.start, place.end] if place.start else None
        return {"renderer": self.renderer, "chunk": place.chunk, "lines": lines, **more}


def took_too_long(at: Following, **details: Any) -> TimeLimit:
    return TimeLimit(
        f"rendering {at.job.source} took longer than {at.job.timeout:g} s and was ended{_in(at.place)}",
        position=at.place.position,
        hint=f"Make {_what(at)} do less, or give a larger timeout.",
        details=at.details(**details),
    )


def too_much_memory(at: Following, megabytes: int, **details: Any) -> MemoryLimit:
    return MemoryLimit(
        f"rendering {at.job.source} needed more than {megabytes} MiB and was ended{_in(at.place)}",
        position=at.place.position,
        hint=f"Let {_what(at)} use less data at once, or raise memory in the [reports] settings.",
        details=at.details(**details),
    )


def no_answer(at: Following, ended: str, log: str) -> RolltopError:
    log = tail(log)
    if reason := limit_reached(log):
        what, setting = reason
        return LimitExceeded(
            f"rendering {at.job.source} needed more {what} than it is allowed{_in(at.place)}",
            position=at.place.position,
            hint=f"Let {_what(at)} do less at once, or raise {setting} in the [reports] settings.",
            details=at.details(log=log),
        )
    seen = " The tail of the log is in the details." if log else ""
    return RenderFailure(
        f"rendering {at.job.source} ended without an answer{_in(at.place)}: {ended}",
        position=at.place.position,
        hint=f"The code of {_what(at)} ended R (quit, a crash), or used more than it is allowed.{seen}",
        details=at.details(log=log),
    )


def _in(place: Place) -> str:
    if place.chunk:
        return f" in chunk {place.chunk}"
    return f" at line {place.start}" if place.start else ""


def _what(at: Following) -> str:
    place = at.place
    of = f" of {place.source}" if place.source != at.job.source else ""
    if place.chunk:
        return f"chunk {place.chunk} (from line {place.start}{of})" if place.start else f"chunk {place.chunk}"
    return f"the text from line {place.start}{of}" if place.start else "the document"
