"""Notebooks: the source of each cell, the text it printed and the errors it met."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

from rolltop.store.extract.formats import html
from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Enough, Limits, Spent, Unreadable
from rolltop.store.extract.plain import decoded, read_plain

__all__ = ["read"]

LONGEST_OUTPUT = 20_000
_COLOURS = re.compile("\x1b\\[[0-9;]*[A-Za-z]")
_STUB = re.compile(r"<[\w.]+ object(?: at 0x[0-9a-f]+)?>|<Figure size [^>]{0,80}>")
"""What stands for an output that has no plain form."""
_LANGUAGES = frozenset({".r", ".R", ".jl", ".js", ".ts", ".rb", ".go", ".rs", ".java", ".kt", ".scala", ".cs", ".cpp"})


def read(data: bytes, draft: Draft) -> None:
    try:
        book = json.loads(decoded(data))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is not valid JSON ({error})") from None
    cells = _cells(book) if isinstance(book, dict) else None
    if cells is None:
        raise Unreadable("it has no cells")
    extension = _extension(book)
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict):
            draft.at(f"cell {number}")
            _cell(cell, draft, extension)


def _cells(book: dict[str, Any]) -> list[Any] | None:
    """Before version 4, they lay on sheets."""
    sheets = book.get("worksheets")
    if isinstance(sheets, list):
        lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        return [cell for each in lists if isinstance(each, list) for cell in each]
    cells = book.get("cells")
    return cells if isinstance(cells, list) else None


def _extension(book: dict[str, Any]) -> str:
    """Of files with code in the notebook's language."""
    found: Any = book
    for key in ("metadata", "language_info", "file_extension"):
        found = found.get(key) if isinstance(found, dict) else None
    return found.lower() if isinstance(found, str) and found in _LANGUAGES else ".py"


def _cell(cell: dict[str, Any], draft: Draft, extension: str) -> None:
    source = _text(cell.get("source")) or _text(cell.get("input"))
    draft.line(source)
    kind = cell.get("cell_type")
    if kind == "markdown":
        for heading in read_plain(source, "", ".md").headings:
            draft.heading(heading)
    elif kind == "heading":
        draft.heading(source)
    elif kind == "code":
        draft.symbols += read_plain(source, "", extension).symbols
        for output in _outputs(cell):
            draft.line(output[:LONGEST_OUTPUT])
            if len(output) > LONGEST_OUTPUT:
                draft.note(f"only the first {LONGEST_OUTPUT} characters of each output were read")


def _outputs(cell: dict[str, Any]) -> Iterator[str]:
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, dict) and (text := _output(output)):
            yield text


def _output(output: dict[str, Any]) -> str:
    """What one output says: the error, or the plainest of its forms that says something."""
    if output.get("output_type") in ("error", "pyerr"):
        name, words = _text(output.get("ename")), _text(output.get("evalue"))
        trace = _COLOURS.sub("", _text(output.get("traceback"), "\n"))
        return trace if name in trace and words in trace else f"{name}: {words}\n{trace}".strip()
    data = output.get("data")
    said = data if isinstance(data, dict) else output
    plain = _text(said.get("text/plain")) or _text(said.get("text"))
    if plain and not _STUB.fullmatch(plain.strip()):
        return _COLOURS.sub("", plain)
    for form in ("markdown", "latex"):
        if text := _text(said.get(f"text/{form}")) or _text(said.get(form)):
            return text
    return _page(_text(said.get("text/html")) or _text(said.get("html"))) or plain


def _page(source: str) -> str:
    """The text of a piece of HTML."""
    if not source.strip():
        return ""
    draft = Draft(Spent(Limits()))
    with contextlib.suppress(Unreadable, Enough):
        html.write_page(source.encode("utf-8", "replace"), draft, sections=False)
    return draft.text().rstrip("\n")


def _text(value: Any, between: str = "") -> str:
    """A text, or a list of its lines."""
    if isinstance(value, list):
        return between.join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""
