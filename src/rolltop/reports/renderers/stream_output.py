"""The two output streams of a render, as they come in: progress is passed on, the rest is kept."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from rolltop.reports.job import Rendered
from rolltop.reports.renderers.interruptions import Following, no_answer
from rolltop.reports.results.answer import EVENT_MARK, marked_answer, marked_report, read_answer

__all__ = ["StreamReading"]

_KEPT = 64 * 1024
_LONGEST = 8 * 1024
"""Bytes of a line that does not end that are kept: progress is shorter, and a log needs no more."""
_EVENTS = re.compile(rb"^" + re.escape(EVENT_MARK.encode()) + rb".*\n", re.MULTILINE)


class StreamReading:
    """Collects the answer from standard output and the events from standard error.

    A document may print what it likes, as much as it likes: what is kept is bounded, and every byte is looked at
    a bounded number of times.
    """

    def __init__(self, at: Following) -> None:
        self.at = at
        self.output = bytearray()
        self._said = bytearray()
        self._line = b""

    def take(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        if stream == "stdout":
            self.output += data
            return
        ended, newline, rest = data.rpartition(b"\n")
        if newline:
            self._take_lines(self._line + ended + newline)
            self._line = b""
        self._line += rest[: _LONGEST - len(self._line)]

    def take_error_line(self, line: str) -> None:
        self._take_lines(line.encode("utf-8", "replace") + b"\n")

    def _take_lines(self, lines: bytes) -> None:
        for found in _EVENTS.finditer(lines):
            self.at.take(marked_report(found[0].decode("utf-8", "replace")))
        self._said += _EVENTS.sub(b"", lines)
        if len(self._said) > 2 * _KEPT:
            del self._said[:-_KEPT]

    @property
    def said(self) -> str:
        """The end of what was written to standard error, without blank lines."""
        lines = self._said[-_KEPT:].decode("utf-8", "replace").splitlines()
        return "".join(f"{line}\n" for line in lines if line.strip())

    def result(self, *, confinement: str, ended: str) -> Rendered:
        """The answer, or an error that says how the render ended without one."""
        answer = marked_answer(bytes(self.output))
        if answer is None:
            printed = self.output[-_KEPT:].decode("utf-8", "replace")
            raise no_answer(self.at, ended, self.said + printed)
        renderer = self.at.renderer
        rendered = read_answer(self.at.job, answer, renderer=renderer, confinement=confinement, printed=self.said)
        return replace(rendered, kept=self.at.recorder.chunks)
