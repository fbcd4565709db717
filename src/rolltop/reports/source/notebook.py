"""Jupyter notebooks (`.ipynb`) as R Markdown: Markdown cells as text, code cells as chunks; outputs are made anew."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from rolltop.errors import InvalidData

__all__ = ["as_document"]

_NOTEBOOK = re.compile(r'\A\ufeff?\s*\{.*"cells"\s*:', re.DOTALL)
_TICKS = re.compile(r"`{3,}")
_MAGIC = re.compile(r"^(\s*)([%!].*)$", re.MULTILINE)
_LANGUAGES = {"r": "r", "ir": "r", "python": "python", "python3": "python", "bash": "bash", "sql": "sql"}


def as_document(content: str) -> str:
    """The content itself, or a notebook's cells as R Markdown."""
    if not _NOTEBOOK.match(content):
        return content
    try:
        notebook = json.loads(content.removeprefix("\ufeff"))
        cells, metadata = notebook["cells"], notebook.get("metadata") or {}
        if not isinstance(notebook.get("nbformat"), int):
            return content
        return "\n".join(_cells(cells, _language(metadata)))
    except (ValueError, RecursionError):
        return content
    except (KeyError, TypeError, AttributeError):
        raise InvalidData(
            "the notebook has cells that are not as nbformat 4 describes them", hint="Save it again with Jupyter."
        ) from None


def _language(metadata: Mapping[str, Any]) -> str:
    kernel, info = metadata.get("kernelspec") or {}, metadata.get("language_info") or {}
    name = str(info.get("name") or kernel.get("language") or kernel.get("name") or "python").lower()
    if name not in _LANGUAGES:
        known = ", ".join(sorted(set(_LANGUAGES.values())))
        raise InvalidData(f"the notebook is in {name}, which reports do not run", hint=f"They run {known}.")
    return _LANGUAGES[name]


def _cells(cells: list[Mapping[str, Any]], language: str) -> Iterator[str]:
    for cell in cells:
        source = cell["source"]
        text = (source if isinstance(source, str) else "".join(source)).rstrip("\n")
        if not text.strip():
            continue
        if cell["cell_type"] == "code":
            yield _chunk(text, language)
        elif cell["cell_type"] == "markdown":
            yield f"{text}\n"
        elif cell["cell_type"] == "raw":
            yield f"```\n{text}\n```\n"


def _chunk(code: str, language: str) -> str:
    """A chunk behind a fence that its code does not close; what only a notebook understands becomes a comment."""
    if language == "python":
        code = _MAGIC.sub(r"\1# \2", code)
    ticks = max((len(found) for found in _TICKS.findall(code)), default=2)
    fence = "`" * max(3, ticks + 1)
    return f"{fence}{{{language}}}\n{code}\n{fence}\n"
