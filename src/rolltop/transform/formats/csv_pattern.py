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

from rolltop.transform.formats.csv_cells import ANYTHING, LONGEST_NUMBER, LONGEST_WORD, NUMBER, TEXT
from rolltop.transform.formats.csv_grid import Grid
from rolltop.transform.formats.csv_style import Style

__all__ = ["Scanner"]

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


@dataclass(frozen=True, slots=True)
class Manner:
    """How the rows of a table are written."""

    style: Style
    end: str
    quoted: tuple[str, ...]
    """Of each column, how often its cells are in quotes."""
    cells: dict[int, str]
    """The columns that are read, and what their cells look like."""


class RowPattern:
    """The expression for a row, and what has to be true besides."""

    def __init__(self, manner: Manner) -> None:
        self._end, self._quote = manner.end, manner.style.quote
        self._mixed = _SOMETIMES in manner.quoted
        self._columns = sorted(manner.cells)
        self._unquoted = [at for at in self._columns if manner.quoted[at] == _SOMETIMES]
        self._quotes = 2 * manner.quoted.count(_ALWAYS)
        """In a row, when no column is quoted only sometimes."""
        cells = [_cell(manner, at, mixed=self._mixed) for at in range(len(manner.quoted))]
        self._rows = re.compile(f"^{re.escape(manner.style.delimiter).join(cells)}{manner.end}", re.MULTILINE).findall

    def columns(self, text: str) -> dict[int, Sequence[str]] | None:
        """The cells of the columns read, if every line of the text is a row that matches."""
        lines = text.count("\n")
        if not text.endswith("\n") or not self._ends_lines(text, lines):
            return None
        rows = self._rows(text)
        # As many matches as lines: each begins after a line break and has one at its end, so none has another inside.
        if len(rows) != lines or not self._has_quotes(text, lines):
            return None
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


def _cell(manner: Manner, at: int, *, mixed: bool) -> str:
    """The expression for the cells of a column, with a group if it is read."""
    look, quoted, quote = manner.cells.get(at), manner.quoted[at], manner.style.quote or ""
    stop = manner.style.delimiter + (quote if mixed else "")
    # Not that each of many lines without a delimiter is searched for one to the end of the text.
    stop += manner.end if at in (0, len(manner.quoted) - 1) else ""
    found = _looking(look or ANYTHING, stop if quoted == _NEVER else quote)
    if quoted == _ALWAYS:
        mark = re.escape(quote)
        return f"{mark}({found}){mark}" if look is not None else f"{mark}{found}{mark}"
    if quoted == _SOMETIMES:
        found = f"{re.escape(quote)}{found}{re.escape(quote)}|{_looking(look or ANYTHING, stop)}"
        return f"({found})" if look is not None else f"(?:{found})"
    return f"({found})" if look is not None else found


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
        self._forget()

    def _forget(self) -> None:
        self._pattern: RowPattern | None = None
        self._end = ""
        self._quoted: list[str] = []
        self._looks: dict[int, list[str]] = {}
        self._lessons = self._tried = self._missed = 0

    def want(self, columns: Sequence[int]) -> None:
        """From now on these are the columns that are read."""
        wanted = tuple(sorted(set(columns)))
        if wanted != self._wanted:
            self._wanted = wanted
            self._forget()

    def cut(self, text: str) -> dict[int, Sequence[str]] | None:
        """The cells of the columns read; None when it has to be found out otherwise what the cells are."""
        if self._pattern is None or self._missed * 2 > self._tried > _TRIALS:
            return None
        self._tried += 1
        found = self._pattern.columns(text)
        self._missed += found is None
        return found

    def proves(self, at: int) -> str:
        """What the pattern proves of the cells of a column."""
        return _PROVES[self._look(at)]

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
        self._pattern = RowPattern(Manner(self._style, self._end, tuple(self._quoted), cells))

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
