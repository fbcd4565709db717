"""A failed render, said so that the author of the document can act on it.

`diagnose` turns what R reported into a `RenderFailure` with the chunk's label, the line in the
document, R's message and call, LaTeX's error and line, and the tail of the log. A missing package
is named with the command that installs it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rolltop.base.installation import add_extra
from rolltop.errors import ForeignFailure, LimitExceeded, MemoryLimit, PartMissing, RolltopError, SizeLimit
from rolltop.reports.job import RenderJob
from rolltop.reports.names import stem_of
from rolltop.reports.results.latex_packages import debian_package, missing_language
from rolltop.reports.results.positions import Place, find_place

__all__ = ["PackageMissing", "RenderFailure", "diagnose", "limit_reached", "tail"]

_LOG_LINES = 40
_NO_PACKAGE = re.compile(r"there is no package called .([A-Za-z][\w.]*)")
_LATEX_ERROR = re.compile(r"^! (.+(?:\n(?!l\.\d)[^\n]+)?)", re.MULTILINE)
_LATEX_LINE = re.compile(r"^l\.(\d+) (.*)$", re.MULTILINE)
_LATEX_FILE = re.compile(r"File `([^']+\.(?:sty|cls|def|fd|ldf|tex))' not found")
_LATEX_PICTURE = re.compile(r"File `([^']+)' not found: using draft setting")
_NO_CHARACTER = re.compile(r"Unicode character (\S{1,20})")
_NO_MEMORY = re.compile(
    r"(?:cannot|could not) allocate (?:vector|memory)|(?:memory|heap) exhausted|out of memory|pandoc failed: Killed",
    re.IGNORECASE,
)
_NO_PROCESS = re.compile(
    r"Resource temporarily unavailable|(?:cannot|unable to|failed to) fork|fork: retry", re.IGNORECASE
)
_NO_SPACE = re.compile(r"No space left on device|Disk quota exceeded")
_PANDOC_WARNING = re.compile(r"^\[(?:WARNING|INFO)\][^\n]*(?:\n  [^\n]*)*\n?", re.MULTILINE)
_NO_FILE = re.compile(r"File (.+) not found in resource path")
_NOT_FETCHED = re.compile(r"Could not fetch (\S+)")
_NOT_OPENED = re.compile(r"cannot open (?:compressed )?file '([^'\n]{1,200})'[^\n]*No such file")
_NO_DUCKDB = "SQL chunks need DuckDB"
_UNDECLARED = "render params not declared in YAML"
_TWICE = "Duplicate map key"
_NO_VALUE = "no value field specified for YAML parameter"


class RenderFailure(ForeignFailure):
    """The document's code, its front matter or its LaTeX failed."""

    code = "render_failed"


class PackageMissing(PartMissing):
    """The document uses an R or LaTeX package that is not installed where it is rendered."""

    code = "package_missing"


def tail(log: str, lines: int = _LOG_LINES) -> str:
    return "\n".join(log.strip().splitlines()[-lines:])


def limit_reached(log: str) -> tuple[str, str] | None:
    """The limit that the log of a render shows, and the setting that raises it."""
    for pattern, what, setting in (
        (_NO_PROCESS, "processes", "processes"),
        (_NO_MEMORY, "memory", "memory"),
        (_NO_SPACE, "disk space", "tmp_size"),
    ):
        if pattern.search(log):
            return what, setting
    return None


def diagnose(job: RenderJob, error: Mapping[str, Any], log: str, renderer: str, printed: str = "") -> RolltopError:
    """The error to raise for what `render.R` reported; `printed` is what programs wrote to standard error."""
    message = _text(error, "message") or "the render failed"
    latex = _text(error, "latex")
    place = find_place(job, error, message)
    warnings = _lines(error.get("warnings"))
    details: dict[str, Any] = {
        "renderer": renderer,
        "chunk": place.chunk,
        "lines": [place.start, place.end] if place.start else None,
        "call": _text(error, "call") or None,
        "traceback": _lines(error.get("trace")),
        "warnings": warnings,
        "log": tail(log),
    }
    if "LaTeX failed" in message and latex:
        return _latex_failure(job, latex, details)
    if error.get("class") == "program_missing":
        return _missing_program(job, message, renderer, details)
    if missing := _NO_PACKAGE.search(message):
        return _missing_package(job, missing[1], renderer, place, details)
    if _NO_DUCKDB in message:
        return PackageMissing(
            f"{job.source}: {message}",
            position=place.position,
            hint=f"{_cure_duckdb(renderer)} Or give the chunk a connection (option connection, package DBI).",
            details={**details, "package": "duckdb"},
        )
    if error.get("class") == "size_limit":
        return SizeLimit(
            f"what {job.source} renders to is larger than {job.limit >> 20} MiB",
            hint="Make fewer or smaller figures, or raise output_limit in the [reports] settings.",
            details=details,
        )
    pandoc_failed = "pandoc document conversion failed" in message
    if _NO_MEMORY.search(printed if pandoc_failed else message):
        return MemoryLimit(
            f"rendering {job.source} needed more memory than it is allowed: {message}",
            position=place.position,
            hint="Use less data at once, or raise memory in the [reports] settings.",
            details=details,
        )
    if _NO_SPACE.search(f"{message}\n{log}\n{printed}"):
        return _no_space(job, place, message, details)
    if _NO_PROCESS.search(f"{message}\n{log}\n{printed}"):
        return LimitExceeded(
            f"rendering {job.source} needed more processes than it is allowed: {message}",
            position=place.position,
            hint="Start fewer programs at once, or raise processes in the [reports] settings.",
            details=details,
        )
    if pandoc_failed and printed.strip():
        return _pandoc_failure(job, printed, details)
    where = f" in chunk {place.chunk}" if place.chunk else ""
    warned = f" (R warned: {'; '.join(warnings)})" if warnings else ""
    return RenderFailure(
        f"rendering {job.source} failed{where}: {message}{warned}",
        position=place.position,
        hint=_hint(job, place, message + warned),
        details=details,
    )


def _text(error: Mapping[str, Any], key: str) -> str:
    value = error.get(key)
    return value if isinstance(value, str) else ""


def _lines(value: Any) -> list[str]:
    return [line for line in value if isinstance(line, str)] if isinstance(value, list) else []


def _hint(job: RenderJob, place: Place, message: str) -> str:
    if message.startswith(_UNDECLARED):
        return "Declare them under params in the front matter, or leave them out."
    if message.startswith(_TWICE):
        return "Remove one of the two from the front matter, which names it twice."
    if message.startswith(_NO_VALUE):
        return "A param that is a mapping needs its value under the key value, as in NAME: {value: …}."
    if (missing := _NOT_OPENED.search(message)) and not missing[1].startswith("/"):
        name = missing[1].removeprefix("./")
        if there := _side_file(job, name):
            return (
                f"rmd/{there} is there, but the code of a child document in a directory runs in that directory: "
                f"go up to it, as in ../{name.rpartition('/')[2]}."
            )
        return (
            f"Code sees the document's side files alone: give it {name} as one (rmd/{stem_of(job.source)}/{name}), "
            "or correct the name."
        )
    if place.chunk and place.start:
        of = f" of {place.source}" if place.source != job.source else ""
        return f"Correct the code of chunk {place.chunk} (from line {place.start}{of}) and render again."
    if place.start:
        return f"Look at line {place.start} of {place.source}."
    return "The tail of the log in the details shows what was done last."


def _side_file(job: RenderJob, name: str) -> str | None:
    """The side file that a name means that was not found where the code ran; None where there is none."""
    stem = stem_of(job.source)
    wanted = {name, f"{stem}/{name}"}
    return next((path for path in job.files if path in wanted), None)


def _no_space(job: RenderJob, place: Place, message: str, details: dict[str, Any]) -> SizeLimit:
    """Programs go on for a while after they could not write, and then fail at something else."""
    return SizeLimit(
        f"rendering {job.source} filled its scratch space: {message}",
        position=place.position,
        hint="Write less to disk, or raise tmp_size in the [reports] settings.",
        details=details,
    )


def _pandoc_failure(job: RenderJob, printed: str, details: dict[str, Any]) -> RenderFailure:
    """What pandoc said itself; rmarkdown passes its exit code on and no more."""
    said = _PANDOC_WARNING.sub("", printed).strip().removeprefix("pandoc: ")
    details = {**details, "log": tail(f"{details['log']}\n{printed}")}
    hint = "Correct what pandoc complains about and render again."
    if missing := _NO_FILE.search(said):
        hint = f"Give the document a side file {missing[1]}, or correct the name."
    elif remote := _NOT_FETCHED.search(said):
        said = remote[0]
        hint = "A render has no network: give the document that file as a side file, and refer to it by name."
    return RenderFailure(f"pandoc could not convert {job.source}: {tail(said, 3)}", hint=hint, details=details)


def _missing_package(
    job: RenderJob, package: str, renderer: str, place: Place, details: dict[str, Any]
) -> PackageMissing:
    debian = f"r-cran-{package.lower()}"
    if renderer == "local":
        hint = (
            f"Install it where rolltop runs: apt-get install {debian}, in R: install.packages({package!r}), or "
            f"into the workspace: rolltop reports packages install {package}."
        )
    else:
        hint = f"Add it to the image: rolltop reports image build --package {package}."
    return PackageMissing(
        f"{job.source} needs the R package {package}, which is not installed for the {renderer} renderer",
        position=place.position,
        hint=hint,
        details={**details, "package": package},
    )


def _cure_duckdb(renderer: str) -> str:
    if renderer != "local":
        return "Use renderer local: the images have no DuckDB."
    return f"{add_extra('sql')}, or name a directory that has it in python_libraries of the [reports] settings."


_TEX_PACKAGES = {"xelatex": "texlive-xetex", "lualatex": "texlive-luatex", "pdflatex": "texlive-latex-base"}


def _missing_program(job: RenderJob, program: str, renderer: str, details: dict[str, Any]) -> PartMissing:
    package = _TEX_PACKAGES.get(program, program)
    if renderer == "local":
        cure = f"On Debian: apt-get install {package}."
    else:
        cure = f"Choose an image_base in the [reports] settings that has it (on Debian: {package})."
    return PartMissing(
        f"{job.source} asks for {program}, which is not installed for the {renderer} renderer",
        hint=cure if program not in _TEX_PACKAGES else f"{cure} Or leave latex_engine out of the front matter.",
        details=details,
    )


def _latex_failure(job: RenderJob, log: str, details: dict[str, Any]) -> RolltopError:
    details = {**details, "latex": _latex_details(log), "log": tail(log)}
    if missing := _LATEX_FILE.search(log):
        name = missing[1]
        return PackageMissing(
            f"{job.source} needs the LaTeX file {name}, which is not installed",
            hint=f"On Debian: apt-get install {debian_package(name)}.",
            details={**details, "package": name},
        )
    if language := missing_language(log):
        return PackageMissing(
            f"{job.source} is in a language, {language}, that LaTeX has no support for here",
            hint=f"On Debian: apt-get install {debian_package(language)}. Or leave lang out of the front matter.",
            details={**details, "package": language},
        )
    found = details["latex"]
    hint = "Correct the LaTeX in the document, or render it to html or word."
    if unknown := _NO_CHARACTER.search(found["error"]):
        hint = (
            f"pdflatex does not know {unknown[1]}: set latex_engine: xelatex under pdf_document in the front matter "
            "and a mainfont that has it, or render to html or word."
        )
    elif picture := _LATEX_PICTURE.search(found["error"]):
        hint = f"Give the document a side file {picture[1]}, or correct the name."
    at = f" (line {found['line']} of the generated .tex: {found['text']})" if found["line"] else ""
    return RenderFailure(
        f"LaTeX could not set {job.source}: {found['error']}{at}",
        hint=hint,
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
