"""Tables read in parts: each is some rows, by column, and says what its cells hold.

A part is cut into cells by `csv_grid` where it is regular and by the `csv` module where it is not. Both must begin with
a row, and prove by reading it that it ends with one; a part that ends inside a quoted cell is read with more after it.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, Protocol

from rolltop.transform.formats.csv_cells import ANYTHING, Column, TextColumn, cell
from rolltop.transform.formats.csv_grid import Grid, grid_of
from rolltop.transform.formats.csv_pattern import Cut, Sought
from rolltop.transform.formats.csv_rows import Lines, has_open_ends, is_open_ended, raise_limit, rows_in, rows_of
from rolltop.transform.formats.csv_scanner import Scanner
from rolltop.transform.formats.csv_style import Style, number_reader, region_of, style_of
from rolltop.transform.formats.text import typed

__all__ = ["Layout", "Opening", "Rows", "SurplusCells", "Table", "open_table", "tables"]

_UNFINISHED = "unexpected end of data"
"""What the csv module says of a text that ends inside a quoted cell."""
_TRIALS = 16
"""So many parts are tried before a table is judged irregular, when most of them were."""


class SurplusCells(csv.Error):
    """A row has more cells than the header has names."""

    def __init__(self, row: list[str], width: int) -> None:
        super().__init__(f"a row has {len(row)} cells and the header {width} names")


@dataclass(frozen=True, slots=True)
class Layout:
    """What is the same for all parts of a table."""

    style: Style
    width: int
    """Cells of the header, or of the first row without one."""
    names: tuple[str, ...] | None
    """None: there is no header, and records are arrays. One less than cells where the header ends with a delimiter."""
    number: Callable[[str], Any]
    """What makes a number, where it is one, of the text of a cell."""
    columns: tuple[Column, ...]
    """What reads the cells, column by column."""
    scanner: Scanner
    """What takes out the cells of those columns that are read."""
    texts: bool = False
    """Whether cells are the texts that they are, with the blanks around them."""
    drops_surplus: bool = False
    """Whether cells beyond the header are dropped; else they are refused."""

    @classmethod
    def of(cls, row: list[str], options: Mapping[str, Any], *, open_ended: bool = False) -> Layout:
        """The layout that options and the first row ask for; whether that ends with a delimiter."""
        number = number_reader(region_of(options))
        named = row[:-1] if open_ended else row
        names = None if options.get("headers") is False else tuple(name.strip() for name in named)
        texts = options.get("inferTypes") is False
        style, columns = style_of(options), tuple(TextColumn(number) if texts else Column(number) for _ in row)
        scanner = Scanner(style, len(row), plain_numbers=number is typed)
        return cls(style, len(row), names, number, columns, scanner, texts, options.get("extraCells") == "drop")

    def rows(self, rows: list[list[str]]) -> Rows:
        """Rows of any width, none of them with more than the header has names for."""
        if self.names is not None and not self.drops_surplus:
            width = self.width
            for row in rows:
                if len(row) > width and any(row[width:]):
                    raise SurplusCells(row, width)
        return Rows(rows)

    def index(self) -> dict[str, int]:
        """Where the columns are; of two columns of one name the last counts."""
        return {name: at for at, name in enumerate(self.names or ())}


class Cells(Protocol):
    count: int
    clean: bool
    """Whether none is known to have anything in it that is escaped in JSON."""

    def column(self, at: int) -> Sequence[str]:
        """The cells of a column, maybe with blanks around them; missing ones are empty."""

    def proved(self, at: int) -> str:
        """What is known of the cells of a column before they are looked at, in words of `csv_cells`."""


class Rows:
    """Rows of any width."""

    clean = False

    def __init__(self, rows: list[list[str]]) -> None:
        self.rows = rows
        self.count = len(rows)

    def column(self, at: int) -> list[str]:
        try:
            return [row[at] for row in self.rows]
        except IndexError:
            return [row[at] if at < len(row) else "" for row in self.rows]

    def proved(self, at: int) -> str:
        return ANYTHING


class Picked:
    """Rows of which the columns read are at hand; the others are cut when they are asked for all the same."""

    def __init__(self, text: str, cut: Cut, layout: Layout) -> None:
        self._text, self._layout = text, layout
        self.sought = None if cut.sought is None else Found(cut)
        """Those that hold what was sought."""
        self._columns = cut.columns if cut.sought is None else {}
        self._proved = cut.proved
        self.count = cut.count
        self.clean = cut.clean

    def column(self, at: int) -> Sequence[str]:
        return self._columns[at] if at in self._columns else self._all.column(at)

    def proved(self, at: int) -> str:
        return self._proved[at] if at in self._columns else ANYTHING

    @cached_property
    def _all(self) -> Grid | Rows:
        style = self._layout.style
        return grid_of(self._text, self._layout.width, style) or Rows(rows_of(self._text, style))


class Found:
    """Those rows that hold what was sought, with the columns that were asked for."""

    def __init__(self, cut: Cut) -> None:
        self._cut = cut
        self.what, self.clean = cut.sought, cut.clean
        self.count = len(next(iter(cut.columns.values())))

    def column(self, at: int) -> Sequence[str]:
        return self._cut.columns[at]

    def proved(self, at: int) -> str:
        return self._cut.proved[at]


@dataclass(frozen=True, slots=True)
class Table:
    """Some rows of a table."""

    layout: Layout
    cells: Cells

    def holding(self, sought: Sought | None) -> Table | None:
        """Only the rows that hold something, if they are at hand."""
        found = self.cells.sought if isinstance(self.cells, Picked) else None
        return Table(self.layout, found) if found is not None and found.what == sought else None

    def values(
        self, at: int, kinds: frozenset[type] | None = None, chosen: list[Any] | None = None
    ) -> Sequence[Any] | None:
        """What a column holds, in all rows or those chosen; None when that is not of these kinds."""
        cells = self.cells.column(at)
        if chosen is not None:
            cells = list(compress(cells, chosen))
        return self.layout.columns[at].values(cells, kinds, self.cells.proved(at))

    def records(self) -> list[Any]:
        """An object for each row by header, or an array."""
        layout, cells = self.layout, self.cells
        if layout.names is None and isinstance(cells, Rows):
            if layout.texts:
                return list(map(list, cells.rows))
            return [[cell(text, layout.number) for text in row] for row in cells.rows]
        names = layout.names
        columns = [self.values(at) or () for at in range(layout.width if names is None else len(names))]
        rows = zip(*columns, strict=True)
        return list(map(list, rows)) if names is None else [dict(zip(names, row, strict=True)) for row in rows]


@dataclass(frozen=True, slots=True)
class Opening:
    """The beginning of a table."""

    layout: Layout
    start: int
    """Bytes in UTF-8 before the first record."""
    after: str
    """What was read from there on."""


def open_table(texts: Iterator[str], options: Mapping[str, Any]) -> Opening:
    """Read as far as the first row; it and the options say what the layout is."""
    raise_limit()
    style = style_of(options)
    passed, text = 0, next(texts, "")
    while text:
        lines = Lines(text)
        try:
            row = next(rows_in(lines, style), None)
        except csv.Error as error:
            text += _more(error, texts, len(text))
            continue
        if row is not None:
            end = 0 if options.get("headers") is False else lines.tell()
            layout = Layout.of(row, options, open_ended=is_open_ended(row, lines, style))
            return Opening(layout, passed + len(text[:end].encode()), text[end:])
        passed, text = passed + len(text.encode()), next(texts, "")
    return Opening(Layout.of([], options), passed, "")


def _more(error: csv.Error, texts: Iterator[str], size: int) -> str:
    """As much text again after one that ends inside a cell, so that a long cell is not read over and over."""
    parts: list[str] = []
    while str(error) == _UNFINISHED and sum(map(len, parts)) < size and (text := next(texts, "")):
        parts.append(text)
    if not parts:
        raise error
    return "".join(parts)


def tables(texts: Iterator[str], layout: Layout) -> Iterator[Table]:
    """The rows in texts of whole lines, the first of which begins with a row; `csv.Error` where they are no table."""
    raise_limit()
    headless = layout.names is None
    source = _Source(filter(None, texts), layout.style, headless=headless)
    tried = irregular = 0
    while text := source.take():
        if layout.texts:
            yield Table(layout, layout.rows(source.rows(text)))
            continue
        if headless and has_open_ends(text, layout.style):
            yield Table(layout, Rows(source.rows(text)))
            continue
        picked = layout.scanner.cut(text)
        if picked is not None:
            yield Table(layout, Picked(text, picked, layout))
            continue
        width = 0 if irregular * 2 > tried > _TRIALS else layout.width  # of no width there is no grid
        tried += width > 0
        grid = grid_of(text, width, layout.style)
        if grid is None and (cut := source.give_back(text)):
            text = text[:cut]
            grid = grid_of(text, width, layout.style)
        irregular += grid is None and width > 0
        if grid is not None:
            layout.scanner.learn(grid, text)
        yield Table(layout, grid or layout.rows(source.rows(text)))


class _Source:
    """Texts that are put together again where a row goes on in the next."""

    def __init__(self, texts: Iterator[str], style: Style, *, headless: bool) -> None:
        self._texts = texts
        self._style = style
        self._headless = headless
        self._held = ""

    def take(self) -> str:
        text, self._held = self._held + next(self._texts, ""), ""
        return text

    def give_back(self, text: str) -> int:
        """Cut a text so that it ends with a row, if the quotes in it are as they should be; 0 when it need not be."""
        cut = _cut(text, self._style.quote)
        self._held = text[cut:] if cut else ""
        return cut

    def rows(self, text: str) -> list[list[str]]:
        """The rows of a text that was taken; more is taken when it does not end with one."""
        while True:
            try:
                return rows_of(text, self._style, headless=self._headless)
            except csv.Error as error:
                text += _more(error, iter(self.take, ""), len(text))


def _cut(text: str, quote: str | None) -> int:
    """Where, if quotes do not come in pairs, the last line ends before which they do; 0 for nowhere."""
    end = len(text)
    if quote is None:
        return 0
    odd = text.count(quote) % 2 == 1
    while odd and end:
        at = text.rfind("\n", 0, text.rfind(quote, 0, end)) + 1
        odd = text.count(quote, at, end) % 2 == 0
        end = at
    return end if end < len(text) else 0
