"""Rows of a regular table by one regular expression, which takes out only the cells of the columns that are read.

Passing over what is not read is cheaper than making texts of it, and a narrow expression for a cell proves what the
cell holds on the way. A text of which every line matches is proved to be these rows. Nothing that is matched is given
back, and cells in front are short, so that time is linear whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from rolltop.transform.formats.csv_cells import ANYTHING, LONGEST_NUMBER, LONGEST_WORD, NUMBER, TEXT
from rolltop.transform.formats.csv_style import Style

__all__ = ["ALWAYS", "LOOKS", "NEVER", "SOMETIMES", "Cut", "Manner", "RowPattern", "Sought"]

_LONG, _PLAIN = "long", "plain"
"""The two proofs of text: too long for a word, or with a first letter that no word has."""
_PROVES = {NUMBER: NUMBER, _LONG: TEXT, _PLAIN: TEXT, ANYTHING: ANYTHING}
_NUMERIC = "+-.0123456789Ee"
_NO_FIRST = "-.0123456789"
_NO_FIRST_OF_WORDS = "FNTfnt"
_BLANK = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What `strip` takes away, spelt out: a set of characters is faster than a category."""
_LONGEST_FIRST = 255
"""Characters of a cell in the first column: not that each of many lines is searched for a delimiter to the end."""
NEVER, ALWAYS, SOMETIMES = "never", "always", "sometimes"
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
    clean: bool
    """Whether no cell has anything in it that is escaped in JSON."""


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
        return SOMETIMES in self.quoted


class RowPattern:
    """The expression for a row, and what has to be true besides."""

    def __init__(self, manner: Manner) -> None:
        self._manner = manner
        self._columns = sorted(manner.cells)
        self._unquoted = [at for at in self._columns if manner.quoted[at] == SOMETIMES]
        self._quotes = 2 * manner.quoted.count(ALWAYS)
        """In a row, when no column is quoted only sometimes."""
        self._escapes = self._escapes_of_a_row()
        self._proved = {at: _PROVES[look] for at, look in manner.cells.items()}
        self._sought = manner.sought if manner.sought is not None and _can_be_sought(manner, manner.sought) else None
        self._held = None if self._sought is None else self._columns.index(self._sought[0])
        """The group that is empty in rows that do not hold what is sought."""
        self._rows = re.compile(f"^{_row(manner, self._sought)}{manner.end}", re.MULTILINE).findall

    def cut(self, text: str) -> Cut | None:
        """The cells of the columns read, if every line of the text is a row that matches."""
        rows = self._rows(text)
        if not text.endswith("\n"):
            return None
        clean = self._is_clean(text, len(rows))
        if not clean and not self._is_regular(text, len(rows)):
            return None
        return Cut(self._by_column(rows), self._proved, len(rows), self._sought, clean)

    def _is_clean(self, text: str, count: int) -> bool:
        """Whether so many matches are all of the text, and nothing needs an escape in JSON but the ends and quotes.

        Every match has these. If there is not one escape more, no match has another line break or quote inside, and
        nothing is left between them.
        """
        if not self._escapes or not text.isascii():
            return False
        return len(orjson.dumps(text)) == len(text) + 2 + self._escapes * count

    def _escapes_of_a_row(self) -> int:
        """The characters by which a row gets longer in JSON; 0 when that would not tell quotes."""
        manner = self._manner
        quote, delimiters = manner.style.quote, manner.style.delimiter * (len(manner.quoted) - 1)
        # A row that is passed over at its end has any number of delimiters.
        if manner.mixed or _escapes(delimiters) or (quote is not None and not _escapes(quote)):
            return 0
        return _escapes(manner.end) + _escapes((quote or "") * self._quotes)

    def _is_regular(self, text: str, count: int) -> bool:
        """The same, whatever is in the cells."""
        manner = self._manner
        # As many matches as lines: each begins after a line break and has one at its end, so none has another inside.
        if text.count("\n") != count or text.count("\r") != (0 if manner.end == "\n" else count):
            return False
        if manner.style.quote is None or manner.mixed:
            return True  # no quotes, or no cell that is not quoted matches one
        return text.count(manner.style.quote) == self._quotes * count

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
            found[at] = "\n".join(found[at]).replace(self._manner.style.quote or "", "").split("\n")
        return found


def _escapes(text: str) -> int:
    return len(orjson.dumps(text)) - 2 - len(text.encode())


def _can_be_sought(manner: Manner, sought: Sought) -> bool:
    """Whether rows that hold a text are told by the pattern: no other cell of the column may mean it."""
    at, text = sought
    look = manner.cells[at]
    own = text == text.strip() and not {manner.style.delimiter, manner.style.quote, "\r", "\n"}.intersection(text)
    return own and _PROVES[look] == TEXT and manner.quoted[at] != SOMETIMES and dict(LOOKS)[look](text) is not None


def _row(manner: Manner, sought: Sought | None) -> str:
    """The expression for a row up to its end; with something sought, rows that hold it are one branch of it."""
    delimiter, columns = re.escape(manner.style.delimiter), range(len(manner.quoted))
    cells = [_cell(manner, at, manner.cells.get(at)) for at in columns]
    if sought is None:
        return delimiter.join(_with_rest(cells, max(manner.cells), manner))
    at, text = sought
    mark = re.escape(manner.style.quote or "") if manner.quoted[at] == ALWAYS else ""
    after = mark + (delimiter if at < len(cells) - 1 else manner.end)
    holding = [*cells[:at], f"{mark}({re.escape(text)}){mark}", *cells[at + 1 :]]
    others = [*cells[:at], _cell(manner, at, None, manner.cells[at])]
    others += [_cell(manner, later, None) for later in columns[at + 1 :]]
    others[at] = f"(?!{mark}{re.escape(text)}{after}){others[at]}"
    branches = [
        delimiter.join(_with_rest(row, last, manner)[at:]) for row, last in ((holding, max(manner.cells)), (others, at))
    ]
    return "".join(cell + delimiter for cell in cells[:at]) + f"(?:{'|'.join(branches)})"


def _with_rest(cells: list[str], last: int, manner: Manner) -> list[str]:
    """Cells up to the last that is read or in quotes: of the rest of a row it does not matter how many there are."""
    if manner.mixed:
        return cells
    needed = max([last, *(at for at, quoted in enumerate(manner.quoted) if quoted == ALWAYS)]) + 1
    return [*cells[:needed], f"[^{manner.end}]*+"] if needed + 1 < len(cells) else cells


def _cell(manner: Manner, at: int, read: str | None, look: str = ANYTHING) -> str:
    """The expression for the cells of a column, in a group if they are read; they look like this."""
    look, quoted, quote = read or look, manner.quoted[at], manner.style.quote or ""
    stop = manner.style.delimiter + (quote if manner.mixed else "")
    stop += manner.end if at == len(manner.quoted) - 1 else ""
    most = "" if at else str(_LONGEST_FIRST)
    opening, closing = ("(", ")") if read is not None else ("(?:", ")") if quoted == SOMETIMES else ("", "")
    found = _looking(look, stop, most) if quoted == NEVER else _looking(look, quote)
    mark = re.escape(quote)
    if quoted == ALWAYS:
        return f"{mark}{opening}{found}{closing}{mark}"
    if quoted == SOMETIMES:
        found = f"{mark}{found}{mark}|{_looking(look, stop, most)}"
    return f"{opening}{found}{closing}"


def _looking(look: str, stop: str, most: str = "") -> str:
    """An expression for a cell that looks like this, up to a character that ends it."""
    if look == NUMBER:
        return f"[{re.escape(''.join(char for char in _NUMERIC if char not in stop))}]{{0,{LONGEST_NUMBER}}}+"
    others = f"[^{re.escape(stop)}]"
    if look == _LONG:
        return f"[^{_BLANK}{re.escape(_NO_FIRST + stop)}]{others}{{{LONGEST_WORD},{most}}}+(?<![{_BLANK}])"
    if look == _PLAIN:
        first = re.escape(_NO_FIRST + _NO_FIRST_OF_WORDS + stop)
        return f"[^{_BLANK}{first}]{others}{{0,{most}}}+(?<![{_BLANK}])"
    return f"{others}{{0,{most}}}+"


LOOKS = [(look, re.compile(_looking(look, "\n")).fullmatch) for look in (NUMBER, _LONG, _PLAIN)]
