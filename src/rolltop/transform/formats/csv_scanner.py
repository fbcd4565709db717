"""Learning the pattern of a table: which columns are quoted, how lines end, what cells look like.

All of that comes from parts of the table that were cut by `csv_grid`. A part that the pattern does not match goes the
way that it would have gone without, and the pattern is made wider for the next one like it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rolltop.transform.formats.csv_cells import ANYTHING
from rolltop.transform.formats.csv_grid import Grid
from rolltop.transform.formats.csv_pattern import ALWAYS, LOOKS, NEVER, SOMETIMES, Cut, Manner, RowPattern, Sought
from rolltop.transform.formats.csv_style import Style

__all__ = ["Scanner"]

_FEWEST, _MOST = 2, 250
"""Columns of tables with patterns: of one column, empty lines are no rows; of many, a pattern is long in the making."""
_LESSONS = 12
"""So many times an expression is made anew for what it did not match."""
_TRIALS = 16
"""So many parts are tried before a table is judged, when most of them did not match."""


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
        quoted = [SOMETIMES if at in grid.partly else ALWAYS if at in grid.wholly else NEVER for at in self._all()]
        if self._pattern is None:
            self._end, self._quoted = end, quoted
        elif end != self._end:
            self._pattern = None  # both in one table: for good
            return
        self._quoted = [one if one == other else SOMETIMES for one, other in zip(self._quoted, quoted, strict=True)]
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
            look for look, matches in LOOKS if (known is None or look in known) and all(map(matches, cells))
        ]
