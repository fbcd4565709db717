"""The code chunks of a document: their labels and lines, and the packages that they mention."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

__all__ = ["Chunk", "find_chunk", "packages_mentioned", "scan_chunks", "want_own_knit", "wants_own_knit"]

_OPENING = re.compile(r"^[\t >]*(`{3,})\s*\{([a-zA-Z0-9_]+)((?: *[ ,].*)?)\}\s*$")
_LABEL = re.compile(r"""^[\s,]*(?:label\s*=\s*)?["']?([^\s,"'=]+(?:[ ][^\s,"'=]+)*)["']?\s*(?:,|$)""")
_LABEL_OPTION = re.compile(r"""\blabel\s*=\s*["']([^"']+)["']""")
_COMMENT_LABEL = re.compile(r"^\s*#\|\s*label\s*[:=]\s*[\"']?([^\"']+?)[\"']?\s*$")
_LIBRARY = re.compile(r"""\b(?:library|require|requireNamespace|loadNamespace)\s*\(\s*["']?([A-Za-z][\w.]*)""")
_QUALIFIED = re.compile(r"\b([A-Za-z][\w.]*):::?[\w.]")
_PER_FORMAT = re.compile(
    r"is_(?:html|latex)_output|rmarkdown\.pandoc\.to|pandoc_to\(|\bhtmlwidgets\b|\bkableExtra\b|kable\([^)]*format\s*="
    r"|\bfig\.show\s*[=:]\s*[\"']?animate|\bout\.extra\b|\bfig\.(?:pos|env|scap|subcap)\b"
    r"|\b(?:leaflet|plotly|DT|dygraphs|gt|flextable)::|library\((?:leaflet|plotly|DT|dygraphs|gt|flextable)\)"
)
_PARTS = (b"_output", b"pandoc", b"htmlwidgets", b"kable", b"fig.", b"out.extra", b"::", b"library(")
"""What matches has one of these in it: side files may be 32 MiB of data, and the expression takes seconds for that."""
_LONGEST_CODE = 1 << 20


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk: knitr's label for it, the line of its opening fence, the line of its closing fence."""

    label: str
    start: int
    end: int


def scan_chunks(text: str) -> list[Chunk]:
    """All chunks in order; unnamed ones are numbered as knitr numbers them."""
    chunks: list[Chunk] = []
    unnamed = 0
    for start, end, label in _spans(text.splitlines()):
        if label is None:
            unnamed += 1
            label = f"unnamed-chunk-{unnamed}"  # noqa: PLW2901 - knitr's own name for it
        chunks.append(Chunk(label, start, end))
    return chunks


def _spans(lines: list[str]) -> Iterator[tuple[int, int, str | None]]:
    number = 0
    while number < len(lines):
        opening = _OPENING.match(lines[number])
        number += 1
        if opening is None:
            continue
        start = number
        closing = re.compile(r"^[\t >]*" + opening[1] + r"\s*$")
        label = _label_in(opening[3])
        while number < len(lines) and not closing.match(lines[number]):
            if label is None and (found := _COMMENT_LABEL.match(lines[number])):
                label = found[1]
            number += 1
        number += 1
        yield start, min(number, len(lines)), label


def _label_in(options: str) -> str | None:
    if found := _LABEL_OPTION.search(options):
        return found[1]
    found = _LABEL.match(options)
    return found[1] if found else None


def find_chunk(text: str, label: str) -> Chunk | None:
    return next((chunk for chunk in scan_chunks(text) if chunk.label == label), None)


def packages_mentioned(text: str) -> set[str]:
    """Names in `library(x)` and `x::y`, wherever they stand: a guess that only chooses what to preload."""
    return {*_LIBRARY.findall(text), *_QUALIFIED.findall(text)}


def wants_own_knit(text: str) -> bool:
    """Whether code looks at the output format, so that one knit cannot serve several."""
    return _PER_FORMAT.search(text) is not None


def want_own_knit(files: Mapping[str, bytes]) -> bool:
    """The same of a document and its side files, which it may source or have as children.

    What is too long for code, or is no text, is data.
    """
    code = (data for data in files.values() if len(data) <= _LONGEST_CODE and b"\0" not in data)
    likely = (data for data in code if any(part in data for part in _PARTS))
    return any(wants_own_knit(data.decode("utf-8", "replace")) for data in likely)
