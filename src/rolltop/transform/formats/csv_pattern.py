"""Rows of a regular table by one regular expression, which takes out only the cells of the columns that are read.

Passing over what is not read is cheaper than making texts of it, and a narrow expression for a cell proves what the
cell holds on the way. The expression is learnt from parts of the table that were cut by `csv_grid`: which columns are
quoted, how lines end, what the cells look like. A part of which every line matches is proved to be these rows; any
other part goes the way that it would have gone without.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rolltop.transform.formats.csv_cells import ANYTHING, LONGEST_NUMBER, LONGEST_WORD, NUMBER, TEXT
from rolltop.transform.formats.csv_grid import Grid
from rolltop.transform.formats.csv_style import Style

__all__ = ["Cut", "Scanner", "Sought"]

_LONG, _PLAIN = "long", "plain"
"""The two proofs of text: too long for a word, or with a first letter that no word has."""
_PROVES = {NUMBER: NUMBER, _LONG: TEXT, _PLAIN: TEXT, ANYTHING: ANYTHING}
_NUMERIC = "+-.0123456789Ee"
_NO_FIRST = "-0123456789\r\n"
_NO_FIRST_OF_WORDS = "FNTfnt"
_NEVER, _ALWAYS, _SOMETIMES = "never", "always", "sometimes"
_FEWEST, _MOST = 2, 250
"""Columns of tables with patterns: of one column, empty lines are no rows; of many, a pattern is long in the making."""
_LESSONS = 12
"""So many times an expression is made anew for what it did not match."""
_TRIALS = 16
"""So many parts are tried before a table is judged, when most of them did not match."""


Sought = tuple[int, str]
"""A column, and the text that it holds in those rows that are wanted."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The cells of the columns that are read, in all rows or in those that hold what is sought."""

    columns: dict[int, Sequence[str]]
    proved: dict[int, str]
    count: int
    """Of all rows."""
    sought: Sought | None


@dataclass(frozen=True, slots=True)
class Manner:
    """How the rows of a table are written."""

    style: Style
    end: str
    quoted: tuple[str, ...]
    """Of each column, how often its cells are in quotes."""
    cells: dict[int, str]
    """The columns that are read, and what their cells look like."""
    sought: Sought | None

    @property
    def mixed(self) -> bool:
        return _SOMETIMES in self.quoted


class RowPattern:
    """The expression for a row, and what has to be true besides."""

    def __init__(self, manner: Manner) -> None:
        self._end, self._quote, self._mixed = manner.end, manner.style.quote, manner.mixed
        self._columns = sorted(manner.cells)
        self._unquoted = [at for at in self._columns if manner.quoted[at] == _SOMETIMES]
        self._quotes = 2 * manner.quoted.count(_ALWAYS)
        """In a row, when no column is quoted only sometimes."""
        self._proved = {at: _PROVES[look] for at, look in manner.cells.items()}
        self._sought = manner.sought if manner.sought is not None and _can_be_sought(manner, manner.sought) else None
        self._held = None if self._sought is None else self._columns.index(self._sought[0])
        """The group that is empty in rows that do not hold what is sought."""
        self._rows = re.compile(f"^{_row(manner, self._sought)}{manner.end}", re.MULTILINE).findall

    def cut(self, text: str) -> Cut | None:
        """The cells of the columns read, if every line of the text is a row that matches."""
        lines = text.count("\n")
        if not text.endswith("\n") or not self._ends_lines(text, lines):
            return None
        rows = self._rows(text)
        # As many matches as lines: each begins after a line break and has one at its end, so none has another inside.
        if len(rows) != lines or not self._has_quotes(text, lines):
            return None
        return Cut(self._by_column(rows), self._proved, lines, self._sought)

    def _by_column(self, rows: list[Any]) -> dict[int, Sequence[str]]:
        """What the groups of the matches hold; those of one group alone come without tuples around them."""
        if self._held is not None:
            held = self._held
            rows = [row for row in rows if row[held]] if len(self._columns) > 1 else list(filter(None, rows))
        if not rows:
            return dict.fromkeys(self._columns, ())
        columns: Iterable[Sequence[str]] = zip(*rows, strict=True) if len(self._columns) > 1 else (rows,)
        found = dict(zip(self._columns, columns, strict=True))
        for at in self._unquoted:
            found[at] = "\n".join(found[at]).replace(self._quote or "", "").split("\n")
        return found

    def _ends_lines(self, text: str, lines: int) -> bool:
        """Whether carriage returns are nowhere but at the ends of lines."""
        return "\r" not in text if self._end == "\n" else text.count("\r") == lines

    def _has_quotes(self, text: str, lines: int) -> bool:
        """Whether quotes are only where they belong: every match has so many, which then are all that there are."""
        if self._quote is None or self._mixed:
            return True  # there are none, or no cell that is not quoted matches one
        return text.count(self._quote) == self._quotes * lines if self._quotes else self._quote not in text


def _can_be_sought(manner: Manner, sought: Sought) -> bool:
    """Whether rows that hold a text are told by the pattern: no other cell of the column may mean it."""
    at, text = sought
    look = manner.cells[at]
    own = text == text.strip() and not {manner.style.delimiter, manner.style.quote, "\r", "\n"}.intersection(text)
    return own and _PROVES[look] == TEXT and manner.quoted[at] != _SOMETIMES and dict(_LOOKS)[look](text) is not None


def _row(manner: Manner, sought: Sought | None) -> str:
    """The expression for a row up to its end; with something sought, rows that hold it are one branch of it."""
    delimiter, columns = re.escape(manner.style.delimiter), range(len(manner.quoted))
    cells = [_cell(manner, at, manner.cells.get(at)) for at in columns]
    if sought is None:
        return delimiter.join(cells)
    at, text = sought
    mark = re.escape(manner.style.quote or "") if manner.quoted[at] == _ALWAYS else ""
    after = mark + (delimiter if at < len(cells) - 1 else manner.end)
    others = [_cell(manner, at, None, manner.cells[at]), *(_cell(manner, later, None) for later in columns[at + 1 :])]
    holding = delimiter.join([f"{mark}({re.escape(text)}){mark}", *cells[at + 1 :]])
    other = f"(?!{mark}\\s*{re.escape(text)}\\s*{after}){delimiter.join(others)}"
    return "".join(cell + delimiter for cell in cells[:at]) + f"(?:{holding}|{other})"


def _cell(manner: Manner, at: int, read: str | None, look: str = ANYTHING) -> str:
    """The expression for the cells of a column, in a group if they are read; they look like this."""
    look, quoted, quote = read or look, manner.quoted[at], manner.style.quote or ""
    stop = manner.style.delimiter + (quote if manner.mixed else "")
    # Not that each of many lines without a delimiter is searched for one to the end of the text.
    stop += manner.end if at in (0, len(manner.quoted) - 1) else ""
    opening, closing = ("(", ")") if read is not None else ("(?:", ")") if quoted == _SOMETIMES else ("", "")
    found, mark = _looking(look, stop if quoted == _NEVER else quote), re.escape(quote)
    if quoted == _ALWAYS:
        return f"{mark}{opening}{found}{closing}{mark}"
    if quoted == _SOMETIMES:
        found = f"{mark}{found}{mark}|{_looking(look, stop)}"
    return f"{opening}{found}{closing}"


def _looking(look: str, stop: str) -> str:
    """An expression for a cell that looks like this, up to a character that ends it. Nothing is given back (`+`)."""
    if look == NUMBER:
        return f"[{re.escape(''.join(char for char in _NUMERIC if char not in stop))}]{{0,{LONGEST_NUMBER}}}+"
    others = f"[^{re.escape(stop)}]"
    if look == _LONG:
        return f"[^{re.escape(_NO_FIRST + stop)}]{others}{{{LONGEST_WORD},}}+"
    if look == _PLAIN:
        return f"[^{re.escape(_NO_FIRST + _NO_FIRST_OF_WORDS + stop)}]{others}*+"
    return f"{others}*+"


_LOOKS = [(look, re.compile(_looking(look, "\n")).fullmatch) for look in (NUMBER, _LONG, _PLAIN)]


class Scanner:
    """Learns the pattern of a table, for those who say which columns they read."""

    def __init__(self, style: Style, width: int, *, plain_numbers: bool) -> None:
        """Where numbers are not written plainly, cells prove nothing."""
        self._style = style
        self._width = width
        self._plain_numbers = plain_numbers
        self._wanted: tuple[int, ...] = ()
        self._sought: Sought | None = None
        self._forget()

    def _forget(self) -> None:
        self._pattern: RowPattern | None = None
        self._end = ""
        self._quoted: list[str] = []
        self._looks: dict[int, list[str]] = {}
        self._lessons = self._tried = self._missed = 0

    def want(self, columns: Sequence[int], sought: Sought | None = None) -> None:
        """From now on these are the columns that are read, if possible only where one of them holds what is sought."""
        wanted = tuple(sorted(set(columns)))
        if wanted != self._wanted or sought != self._sought:
            self._wanted, self._sought = wanted, sought
            self._forget()

    def cut(self, text: str) -> Cut | None:
        """The cells of the columns read; None when it has to be found out otherwise what the cells are."""
        if self._pattern is None or self._missed * 2 > self._tried > _TRIALS:
            return None
        self._tried += 1
        found = self._pattern.cut(text)
        self._missed += found is None
        return found

    def learn(self, grid: Grid, text: str) -> None:
        """Let the pattern match these rows, too."""
        given_up = bool(self._end) and self._pattern is None
        if not self._wanted or given_up or self._lessons >= _LESSONS or not _FEWEST <= self._width <= _MOST:
            return
        self._lessons += 1
        end = "\r\n" if "\r" in text else "\n"
        quoted = [_SOMETIMES if at in grid.partly else _ALWAYS if at in grid.wholly else _NEVER for at in self._all()]
        if self._pattern is None:
            self._end, self._quoted = end, quoted
        elif end != self._end:
            self._pattern = None  # both in one table: for good
            return
        self._quoted = [one if one == other else _SOMETIMES for one, other in zip(self._quoted, quoted, strict=True)]
        for at in self._wanted:
            self._learn_look(at, [cell.strip("\r\n") for cell in grid.column(at)])
        cells = {at: self._look(at) for at in self._wanted}
        self._pattern = RowPattern(Manner(self._style, self._end, tuple(self._quoted), cells, self._sought))

    def _all(self) -> range:
        return range(self._width)

    def _look(self, at: int) -> str:
        return next(iter(self._looks.get(at, ())), ANYTHING)

    def _learn_look(self, at: int, cells: list[str]) -> None:
        known = self._looks.get(at)
        if not self._plain_numbers:
            return
        self._looks[at] = [
            look for look, matches in _LOOKS if (known is None or look in known) and all(map(matches, cells))
        ]
