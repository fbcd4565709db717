"""Where in a document a render failed: chunk, line and file, from what R and knitr reported."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rolltop.errors import Position
from rolltop.reports.job import Event, RenderJob
from rolltop.reports.names import stem_of
from rolltop.reports.source.chunks import Chunk, find_chunk, scan_chunks

__all__ = ["Place", "find_place", "find_running"]

_QUITTING = re.compile(
    r"Quitting from (?:lines (?P<start>\d{1,9})-(?P<end>\d{1,9})(?: \[[^\]]*\])? \((?P<file>[^)\n]*)\)"
    r"|(?:(?P<newer>[^\n]*?):)?(?P<from>\d{1,9})-(?P<to>\d{1,9}))"
)
_PARSE_LINE = re.compile(r"<text>:(\d{1,9}):(\d{1,9}):")
_YAML_LINE = re.compile(r"at line (\d{1,9}), column (\d{1,9})")
_TWICE = re.compile(r"Duplicate chunk label '([^']+)'")


@dataclass(frozen=True, slots=True)
class Place:
    """A chunk's label and lines of a file; what is not known is None."""

    source: str
    chunk: str | None = None
    start: int | None = None
    end: int | None = None
    column: int = 1

    @property
    def position(self) -> Position | None:
        return Position(self.start, self.column, self.source) if self.start else None


@dataclass(frozen=True, slots=True)
class _Quit:
    """The lines at which knitr gave up, and the file that they are lines of."""

    source: str
    text: str
    start: int
    end: int
    is_child: bool


def find_place(job: RenderJob, error: Mapping[str, Any], message: str) -> Place:
    label = error.get("chunk") if isinstance(error.get("chunk"), str) else None
    quit_at = _where_knitr_quit(job, error.get("quitting"))
    if quit_at is not None and isinstance(error.get("inline"), str):
        return _inline_place(quit_at, error["inline"])
    if quit_at is not None and quit_at.is_child:
        return _child_place(quit_at, message)
    if label and (chunk := find_chunk(job.text, label)):
        return _in_chunk(job.source, chunk, message)
    if quit_at is not None:
        return Place(job.source, label or None, quit_at.start, quit_at.end)
    return _place_before_knitting(job, message) or Place(job.source, label or None)


def find_running(job: RenderJob, event: Event) -> Place:
    """Where the piece is that knitr said it begins with."""
    source, is_child = _file_named(job, event.file or "")
    text = job.files.get(source, b"").decode("utf-8", "replace")
    if event.lines is None:
        chunk = find_chunk(text, event.chunk) if event.chunk else None
        return _in_chunk(source, chunk, "") if chunk else Place(source, event.chunk or None)
    at = _Quit(source, text, *event.lines, is_child)
    return _child_place(at, "") if event.chunk else Place(source, None, at.start, at.end)


def _where_knitr_quit(job: RenderJob, said: Any) -> _Quit | None:
    found = _QUITTING.search(said[:1000]) if isinstance(said, str) else None
    if found is None:
        return None
    source, is_child = _file_named(job, found["file"] or found["newer"] or "")
    text = job.files.get(source, b"").decode("utf-8", "replace")
    return _Quit(source, text, int(found["start"] or found["from"]), int(found["end"] or found["to"]), is_child)


def _file_named(job: RenderJob, name: str) -> tuple[str, bool]:
    """The file that knitr means, and whether it is a child; rmarkdown renames documents with spaces or brackets."""
    name = posixpath.normpath(name) if name else job.source
    if _plain(name) == _plain(job.source):
        return job.source, False
    beside = f"{stem_of(job.source)}/{name}"
    found = next((each for each in (beside, name) if each in job.files), None)
    return (found, True) if found else (job.source, False)  # a child that is missing is a fault of the document


def _plain(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _inline_place(quit_at: _Quit, code: str) -> Place:
    lines = quit_at.text.splitlines()[quit_at.start - 1 : quit_at.end]
    first = code.splitlines()[0] if code else ""
    for number, line in enumerate(lines, quit_at.start):
        if first and first in line:
            return Place(quit_at.source, None, number, number, line.index(first) + 1)
    return Place(quit_at.source, None, quit_at.start, quit_at.end)


def _child_place(quit_at: _Quit, message: str) -> Place:
    """knitr counts the unnamed chunks of all files together, so the lines tell which chunk of a child it was."""
    for chunk in scan_chunks(quit_at.text):
        if chunk.start <= quit_at.start <= chunk.end:
            return _in_chunk(quit_at.source, chunk, message)
    return Place(quit_at.source, None, quit_at.start, quit_at.end)


def _in_chunk(source: str, chunk: Chunk, message: str) -> Place:
    parse = _PARSE_LINE.search(message)
    if parse is None:
        return Place(source, chunk.label, chunk.start, chunk.end)
    # R counts the lines of the code, which begins below the fence.
    return Place(source, chunk.label, min(chunk.start + int(parse[1]), chunk.end), chunk.end, max(1, int(parse[2])))


def _place_before_knitting(job: RenderJob, message: str) -> Place | None:
    if yaml := _YAML_LINE.search(message):
        return Place(job.source, None, int(yaml[1]) + 1, int(yaml[1]) + 1, int(yaml[2]))
    if twice := _TWICE.search(message):
        same = [chunk for chunk in scan_chunks(job.text) if chunk.label == twice[1]]
        if len(same) > 1:
            return Place(job.source, same[1].label, same[1].start, same[1].end)
    return None
