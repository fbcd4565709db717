"""The knitted text as a Jupyter notebook: code with what it printed and drew, and the text between as Markdown."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from rolltop.reports.job import Figure
from rolltop.reports.source.code_parts import blocks

__all__ = ["as_notebook"]

_KERNELS = {
    "r": {"name": "ir", "language": "R", "display_name": "R"},
    "python": {"name": "python3", "language": "python", "display_name": "Python 3"},
    "bash": {"name": "bash", "language": "bash", "display_name": "Bash"},
}
_PLOT = re.compile(r'\A\s*(?:!\[[^\]]*\]\(<?([^)>\s]+)>?\)(?:\{[^}]*\})?|<img\s[^>]*src="([^"]+)"[^>]*>)(?:<!-- -->)?')
_PRINTED = re.compile(r"^## ?", re.MULTILINE)


def as_notebook(text: str, figures: Sequence[Figure]) -> bytes:
    """A notebook of format 4.4, in the language that most of the code is in."""
    pieces = [(info, piece) for info, piece in blocks(text) if piece.strip()]
    languages = Counter(name for info, _ in pieces if (name := _language(info)) in _KERNELS)
    main = languages.most_common(1)[0][0] if languages else "r"
    drawn = {figure.name: figure for figure in figures}
    cells: list[dict[str, Any]] = []
    for info, piece in pieces:
        code = cells[-1] if cells and cells[-1]["cell_type"] == "code" else None
        if _language(info) == main:
            cells.append(_code_cell(_inner(piece)))
        elif code is not None and info == "" and _inner(piece).startswith("##"):
            code["outputs"].append({"output_type": "stream", "name": "stdout", "text": _lines(_printed(piece))})
        elif rest := _without_plots(piece, code, drawn) if info is None else piece.strip("\n"):
            cells.append({"cell_type": "markdown", "metadata": {}, "source": _lines(rest)})
    kernel = _KERNELS[main]
    metadata = {"kernelspec": kernel, "language_info": {"name": kernel["language"]}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode() + b"\n"


def _language(info: str | None) -> str:
    return (info or "").strip("{} .").partition(" ")[0].lower()


def _inner(piece: str) -> str:
    return "\n".join(piece.strip("\n").split("\n")[1:-1])


def _printed(piece: str) -> str:
    return _PRINTED.sub("", _inner(piece)) + "\n"


def _code_cell(code: str) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": _lines(code)}


def _without_plots(prose: str, code: dict[str, Any] | None, drawn: Mapping[str, Figure]) -> str:
    """The prose without the plots that it begins with: these are outputs of the code before it."""
    while code is not None and (found := _PLOT.match(prose)):
        figure = drawn.get(unquote(found[1] or found[2]).rpartition("/")[2])
        if figure is None:
            break
        code["outputs"].append({"output_type": "display_data", "metadata": {}, "data": _picture(figure)})
        prose = prose[found.end() :]
    return prose.strip()


def _picture(figure: Figure) -> dict[str, Any]:
    if figure.mime_type == "image/svg+xml":
        return {figure.mime_type: _lines(figure.data.decode("utf-8", "replace"))}
    return {figure.mime_type: b64encode(figure.data).decode("ascii")}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
