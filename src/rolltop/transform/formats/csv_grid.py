"""Tables whose rows all have one width, cut into cells at once.

Splitting the text at every delimiter is several times faster than reading it character by character, but right only
where the text is regular. `grid_of` proves that it is, or gives None: then the text is for the `csv` module, whose
reading is the one that counts. Cells come with the blanks around them, which no reader of cells looks at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from rolltop.transform.formats.csv_cells import ANYTHING
from rolltop.transform.formats.csv_style import Style

__all__ = ["Grid", "grid_of"]

_MASK = "\0"
"""Stands for a quoted cell while the text is split."""
_AT_THE_END = (_MASK + "\n", _MASK + "\r\n", _MASK + "\r")
"""One in the last column, with the line break after it."""


class Grid:
    """The cells of whole rows, one after the other; columns that are quoted throughout are kept apart."""

    clean = False
    __slots__ = ("_cells", "_quoted", "_width", "count", "partly", "wholly")

    def __init__(
        self, cells: list[str], width: int, quoted: list[str] | None = None, wholly: Sequence[int] = ()
    ) -> None:
        """In the columns `wholly` all cells are quoted; `quoted` are these, row by row."""
        self._cells = cells
        self._width = width
        self._quoted = quoted or []
        self.wholly = wholly
        self.partly: frozenset[int] = frozenset()
        """The columns in which some cells were quoted."""
        self.count = len(cells) // width

    def column(self, at: int) -> list[str]:
        if at in self.wholly:
            return self._quoted[self.wholly.index(at) :: len(self.wholly)]
        return self._cells[at :: self._width]

    def proved(self, at: int) -> str:
        return ANYTHING


def grid_of(text: str, width: int, style: Style) -> Grid | None:
    """The cells of a text of whole lines that begins with a row; None when they are not told easily."""
    if width == 0 or ("\r" in text and text.count("\r") != text.count("\r\n")):
        return None
    text = text.removesuffix("\n")
    if style.quote is None or style.quote not in text:
        return _plain(text, width, style.delimiter)
    parts = text.split(style.quote)
    outside = parts[::2]
    # A column alone is left out: an empty cell in quotes would be an empty line. So are quotes that are written twice.
    if len(parts) % 2 == 0 or width == 1 or _MASK in text or style.delimiter == _MASK or "" in outside[1:-1]:
        return None
    grid = _plain(_MASK.join(outside), width, style.delimiter)
    return None if grid is None else _filled(grid._cells, width, parts[1::2])


def _plain(text: str, width: int, delimiter: str) -> Grid | None:
    """Without quotes: line breaks, kept as blanks of the cells before them, must be the ends of all rows."""
    split = text.replace("\n", "\n" + delimiter)
    cells = split.split(delimiter)
    rows, rest = divmod(len(cells), width)
    breaks = len(split) - len(text)
    if rest or breaks != rows - 1 or "".join(cells[width - 1 :: width]).count("\n") != breaks:
        return None
    if width == 1 and not all(map(str.strip, cells)):
        return None  # empty lines are no rows
    return Grid(cells, width)


def _filled(cells: list[str], width: int, quoted: list[str]) -> Grid | None:
    """Put the quoted cells in their places. A mask that is not all of a cell was no quoted cell."""
    columns = [at for at, text in enumerate(cells[:width]) if _MASK in text]
    rows = len(cells) // width
    if rows * len(columns) == len(quoted) and all(_masked(cells[at::width], at, width) == rows for at in columns):
        return Grid(cells, width, quoted, columns)
    places = sorted(chain.from_iterable(_places(cells, form) for form in (_MASK, *_AT_THE_END)))
    if len(places) != len(quoted):
        return None
    for at, text in zip(places, quoted, strict=True):
        cells[at] = text
    grid = Grid(cells, width)
    grid.partly = frozenset(at % width for at in places)
    return grid


def _masked(column: list[str], at: int, width: int) -> int:
    """How many cells of a column are masked."""
    found = column.count(_MASK)
    return found if at < width - 1 else found + sum(map(column.count, _AT_THE_END))


def _places(cells: list[str], form: str) -> Iterator[int]:
    at = -1
    try:
        while True:
            at = cells.index(form, at + 1)
            yield at
    except ValueError:
        return
