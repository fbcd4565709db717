"""Notebooks: the source of each cell and the text it printed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.plain import read_plain

__all__ = ["read"]

LONGEST_OUTPUT = 20_000


def read(data: bytes, draft: Draft) -> None:
    try:
        book = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is not valid JSON ({error})") from None
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise Unreadable("it has no cells")
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict):
            draft.at(f"cell {number}")
            _cell(cell, draft)


def _cell(cell: dict[str, Any], draft: Draft) -> None:
    source = _text(cell.get("source"))
    draft.line(source)
    if cell.get("cell_type") == "markdown":
        for heading in read_plain(source, "", ".md").headings:
            draft.heading(heading)
    elif cell.get("cell_type") == "code":
        draft.symbols += read_plain(source, "", ".py").symbols
        for output in _outputs(cell):
            draft.line(output[:LONGEST_OUTPUT])


def _outputs(cell: dict[str, Any]) -> Iterator[str]:
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, dict):
            data = output.get("data")
            text = _text(data.get("text/plain")) if isinstance(data, dict) else _text(output.get("text"))
            if text:
                yield text


def _text(value: Any) -> str:
    """A text, or a list of its lines."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""
