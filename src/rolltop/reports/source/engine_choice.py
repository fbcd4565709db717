"""Which engine renders a document: what was asked for, unless the front matter needs more."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rolltop.base.installation import add_extra
from rolltop.errors import InvalidData
from rolltop.reports.job import Engine, Format
from rolltop.reports.source.code_parts import parted
from rolltop.reports.source.frontmatter import metadata

__all__ = ["choose_engine", "why_not_fast"]

_UNDERSTOOD = {
    "title", "subtitle", "author", "date", "abstract", "keywords", "lang", "output", "params",
    "description", "editor_options", "vignette",
}  # fmt: skip
"""Front matter that pandoc's own templates honour, or that concerns editors alone."""

_PLAIN_FORMATS = {"html_document", "pdf_document", "word_document", "html_vignette"}


_MATH = re.compile(r"(?<!\\)\$\$|(?<!\\)\$[^\s$][^$\n]*\$(?!\d)|\\begin\{|\\[(\[]")
_PACKAGES = re.compile(
    r"\b(?:library|require|requireNamespace)\s*\(\s*[\"']?(?:{0})\b|\b(?:{0})::".format(
        "htmlwidgets|leaflet|plotly|DT|dygraphs|networkD3|visNetwork|threejs|rgl|highcharter|echarts4r|reactable"
        "|crosstalk|ggiraph|DiagrammeR|timevis|shiny|gt|flextable|kableExtra|downloadthis"
    )
)
_PROSE = (
    (re.compile(r"^#{1,6} [^\n]*\{[^}\n]*\.tabset|\.panel-tabset", re.MULTILINE), "the document has tabs (.tabset)"),
    (
        re.compile(r"<(?:script|iframe|video|canvas|details|link)\b|\{=html\}", re.IGNORECASE),
        "the document has HTML that the plain page leaves out or does not style",
    ),
)
"""What the plain page of the fast engine lacks, as the text has it; what code writes is judged once it has run."""


def choose_engine(
    wanted: Engine, text: str, formats: Sequence[Format], *, typst: bool, files: Collection[str] = ()
) -> tuple[Engine, str | None]:
    """The engine to use, and why it is not the one wanted."""
    if wanted == "rmarkdown":
        return "rmarkdown", None
    reason = why_not_fast(text) or _why_not_files(files) or (_why_not_page(text) if "html" in formats else None)
    if reason is None and "pdf" in formats:
        reason = _why_not_typst(text, installed=typst)
    return ("rmarkdown", reason) if reason else ("fast", None)


def why_not_fast(text: str) -> str | None:
    """What the front matter asks for that the fast engine does not do; None when it can do all."""
    try:
        fields = metadata(text)
    except InvalidData:
        return "the front matter is not plain YAML"
    unknown = sorted(set(fields) - _UNDERSTOOD)
    if unknown:
        return f"the front matter has {', '.join(unknown)}"
    return _why_not_output(fields.get("output"))


def _why_not_files(files: Collection[str]) -> str | None:
    found = next((name for name in files if name.rpartition("/")[2] in ("_output.yml", "_site.yml")), None)
    return f"{found} has options of output formats" if found else None


def _why_not_page(text: str) -> str | None:
    """What rmarkdown's page has and a plain one has not."""
    prose, executed = parted(text)
    for pattern, what in _PROSE:
        if pattern.search(prose):
            return what
    if _PACKAGES.search(executed):
        return "the document uses a package that writes HTML of its own, which the plain page does not run or style"
    return None


def _why_not_typst(text: str, *, installed: bool) -> str | None:
    if not installed:
        return f"the fast engine sets PDF with typst, which is not installed ({add_extra('typst')})"
    if _MATH.search(parted(text)[0]):
        return "the document has formulas or LaTeX, which typst does not read"
    return None


def _why_not_output(output: Any) -> str | None:
    if output is None:
        return None
    if isinstance(output, str):
        output = {output: None}
    if not isinstance(output, Mapping):
        return "the front matter's output is a list"
    for name, options in output.items():
        if str(name).removeprefix("rmarkdown::") not in _PLAIN_FORMATS:
            return f"the output format {name} is not a plain one"
        if options not in (None, "default", {}):
            return f"the output format {name} has options"
    return None
