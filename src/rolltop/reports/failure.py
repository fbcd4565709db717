"""A failed render, said so that the author of the document can act on it.

`diagnose` turns what R reported into a `RenderFailure` with the chunk's label, the line in the
document, R's message and call, LaTeX's error and line, and the tail of the log. A missing package
is named with the command that installs it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rolltop.errors import ForeignFailure, MemoryLimit, PartMissing, Position, RolltopError, SizeLimit
from rolltop.reports.chunks import find_chunk
from rolltop.reports.job import RenderJob

__all__ = ["PackageMissing", "RenderFailure", "diagnose", "tail"]

_LOG_LINES = 40
_QUITTING = re.compile(r"Quitting from (?:lines (\d+)-(\d+)|.*?:(\d+)-(\d+))")
_PARSE_LINE = re.compile(r"<text>:(\d+):(\d+):")
_NO_PACKAGE = re.compile(r"there is no package called .([A-Za-z][\w.]*)")
_LATEX_ERROR = re.compile(r"^! (.+(?:\n(?!l\.\d)[^\n]+)?)", re.MULTILINE)
_LATEX_LINE = re.compile(r"^l\.(\d+) (.*)$", re.MULTILINE)
_LATEX_FILE = re.compile(r"File `([^']+\.(?:sty|cls|def|fd|tex))' not found")
_NO_MEMORY = re.compile(
    r"cannot allocate (?:vector|memory)|memory exhausted|heap exhausted|pandoc failed: Killed", re.IGNORECASE
)
_YAML_LINE = re.compile(r"at line (\d+), column (\d+)")


class RenderFailure(ForeignFailure):
    """The document's code, its front matter or its LaTeX failed."""

    code = "render_failed"


class PackageMissing(PartMissing):
    """The document uses an R or LaTeX package that is not installed where it is rendered."""

    code = "package_missing"


@dataclass(frozen=True, slots=True)
class _Place:
    chunk: str | None
    start: int | None
    end: int | None
    column: int = 1

    def position(self, source: str) -> Position | None:
        return Position(self.start, self.column, source) if self.start else None


def tail(log: str, lines: int = _LOG_LINES) -> str:
    return "\n".join(log.strip().splitlines()[-lines:])


def diagnose(job: RenderJob, error: Mapping[str, Any], log: str, renderer: str) -> RolltopError:
    """The error to raise for what `render.R` reported."""
    message = _text(error, "message") or "the render failed"
    latex = _text(error, "latex")
    place = _place(job, error, message)
    details: dict[str, Any] = {
        "renderer": renderer,
        "chunk": place.chunk,
        "lines": [place.start, place.end] if place.start else None,
        "call": _text(error, "call") or None,
        "traceback": [line for line in error.get("trace") or () if isinstance(line, str)],
        "log": tail(log),
    }
    if "LaTeX failed" in message and latex:
        return _latex_failure(job, latex, details)
    if missing := _NO_PACKAGE.search(message):
        return _missing_package(job, missing[1], renderer, place, details)
    if error.get("class") == "size_limit":
        return SizeLimit(
            f"what {job.source} renders to is larger than {job.limit >> 20} MiB",
            hint="Make fewer or smaller figures, or raise output_limit in the [reports] settings.",
            details=details,
        )
    if _NO_MEMORY.search(message):
        return MemoryLimit(
            f"rendering {job.source} needed more memory than it is allowed: {message}",
            position=place.position(job.source),
            hint="Use less data at once, or raise memory in the [reports] settings.",
            details=details,
        )
    where = f" in chunk {place.chunk}" if place.chunk else ""
    return RenderFailure(
        f"rendering {job.source} failed{where}: {message}",
        position=place.position(job.source),
        hint=_hint(place),
        details=details,
    )


def _text(error: Mapping[str, Any], key: str) -> str:
    value = error.get(key)
    return value if isinstance(value, str) else ""


def _place(job: RenderJob, error: Mapping[str, Any], message: str) -> _Place:
    label = _text(error, "chunk") or None
    chunk = find_chunk(job.text, label) if label else None
    in_chunk = _PARSE_LINE.search(message)
    if chunk is not None:
        # R counts the lines of the code, which begins below the fence.
        line = min(chunk.start + int(in_chunk[1]), chunk.end) if in_chunk else chunk.start
        return _Place(chunk.label, line, chunk.end, max(1, int(in_chunk[2])) if in_chunk else 1)
    if quitting := _QUITTING.search(_text(error, "quitting")):
        start, end = (int(number) for number in quitting.groups() if number)
        return _Place(label, start, end)
    if yaml := _YAML_LINE.search(message):
        return _Place(None, int(yaml[1]) + 1, int(yaml[1]) + 1, int(yaml[2]))
    return _Place(label, None, None)


def _hint(place: _Place) -> str:
    if place.chunk:
        return f"Correct the code of chunk {place.chunk} (from line {place.start}) and render again."
    if place.start:
        return f"Look at line {place.start} of the document."
    return "The tail of the log in the details shows what was done last."


def _missing_package(
    job: RenderJob, package: str, renderer: str, place: _Place, details: dict[str, Any]
) -> PackageMissing:
    debian = f"r-cran-{package.lower()}"
    if renderer == "local":
        hint = f"Install it where rolltop runs: apt-get install {debian}, or in R: install.packages({package!r})."
    else:
        hint = f"Add it to the image: rolltop reports image build --package {package}."
    return PackageMissing(
        f"{job.source} needs the R package {package}, which is not installed for the {renderer} renderer",
        position=place.position(job.source),
        hint=hint,
        details={**details, "package": package},
    )


def _latex_failure(job: RenderJob, log: str, details: dict[str, Any]) -> RolltopError:
    details = {**details, "latex": _latex_details(log), "log": tail(log)}
    if missing := _LATEX_FILE.search(log):
        name = missing[1]
        return PackageMissing(
            f"{job.source} needs the LaTeX file {name}, which is not installed",
            hint="On Debian most are in texlive-latex-extra: apt-get install texlive-latex-extra.",
            details={**details, "package": name},
        )
    found = details["latex"]
    at = f" (line {found['line']} of the generated .tex: {found['text']})" if found["line"] else ""
    return RenderFailure(
        f"LaTeX could not set {job.source}: {found['error']}{at}",
        hint="Correct the LaTeX in the document, or render it to html or word.",
        details=details,
    )


def _latex_details(log: str) -> dict[str, Any]:
    error = _LATEX_ERROR.search(log)
    line = _LATEX_LINE.search(log, error.end() if error else 0)
    return {
        "error": " ".join(error[1].split()) if error else "no error line in LaTeX's log",
        "line": int(line[1]) if line else None,
        "text": line[2].strip() if line else None,
    }
