"""What cells hold: one at a time, or a whole column at once.

Many columns have few different cells, which are read once and remembered. Of the others most are all texts or all
numbers, which a few passes in C can tell of all cells at hand; what a column of numbers holds is exactly what the JSON
decoder makes of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import orjson

from rolltop.transform.formats.text import typed

__all__ = ["ANYTHING", "LONGEST_NUMBER", "LONGEST_WORD", "NUMBER", "TEXT", "Column", "TextColumn", "cell", "literals"]

NUMBER, TEXT, ANYTHING = "number", "text", "anything"
"""What may be known of cells before they are read: they have only characters of numbers, and few; or there is no number
and no word among them, and no blanks are around any; or nothing."""
Number = Callable[[str], Any]
_WORDS: dict[str, Any] = {"true": True, "false": False, "": None, "null": None, "nil": None, "n/a": None}
LONGEST_WORD = 5
_SPELLINGS = frozenset(
    "".join(letters) for word in _WORDS if word for letters in product(*((char, char.upper()) for char in word))
)
"""The words in all mixtures of small and capital letters."""
LONGEST_NUMBER = 17
"""Characters of a number up to which all readers agree on what it is."""
_FEW = 256
"""Different cells of a column, up to which each is read once and remembered."""
_SHORT = 64
"""Characters of those that are remembered."""
_LITERALS = frozenset({int, float, bool, type(None)})
# The number itself must look as it does in `typed`; that it stands alone on its line is enough here.
_NUMBER_ALONE = re.compile(r"^-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$", re.MULTILINE)


def cell(text: str, number: Number = typed) -> Any:
    """What a cell holds: boolean, null, number, or its trimmed text."""
    text = text.strip()
    if len(text) <= LONGEST_WORD:
        word = text.lower()
        if word in _WORDS:
            return _WORDS[word]
    return number(text)


class Column:
    """Reads the cells of one column of a table, a part of it at a time."""

    def __init__(self, number: Number = typed) -> None:
        self._number = number
        self._known: _Known | None = _Known(number)
        """What different cells hold, while they are few."""

    def values(
        self, cells: Sequence[str], kinds: frozenset[type] | None = None, proved: str = ANYTHING
    ) -> Sequence[Any] | None:
        """What the cells hold; None when that is not of these kinds."""
        found: Sequence[Any] | None = None
        if proved == NUMBER and (kinds is None or int in kinds):
            found = _numbers(cells)
        elif proved == TEXT and (kinds is None or str in kinds):
            found = cells
        return self._looked_at(cells, kinds) if found is None else found

    def _looked_at(self, cells: Sequence[str], kinds: frozenset[type] | None) -> list[Any] | None:
        known = self._known
        if known is not None:
            found = list(map(known.__getitem__, cells))
            if known.missed > _FEW:
                self._known = None
            if kinds is None or kinds >= known.kinds:
                return found
        elif kinds is not None and int in kinds and self._number is typed:
            numbers = literals(cells)
            found = self._various(cells) if numbers is None else numbers
        else:
            found = self._various(cells)
        return found if kinds is None or kinds.issuperset(map(type, found)) else None

    def _various(self, cells: Sequence[str]) -> list[Any]:
        if self._number is typed and cells:
            found = literals(cells) if cells[0][:1] in "-0123456789" else None
            if found is None or not _LITERALS.issuperset(map(type, found)):
                found = _texts(list(map(str.strip, cells)))
            if found is not None:
                return found
        return list(map(_Known(self._number).__getitem__, cells))


class TextColumn(Column):
    """A column whose cells are texts, whatever they spell."""

    def values(
        self, cells: Sequence[str], kinds: frozenset[type] | None = None, proved: str = ANYTHING
    ) -> Sequence[Any] | None:
        return cells if kinds is None or str in kinds else None


class _Known(dict[str, Any]):
    """Cells, and what each holds."""

    def __init__(self, number: Number) -> None:
        super().__init__()
        self._number = number
        self.missed = 0
        self.kinds: set[type] = set()

    def __missing__(self, text: str) -> Any:
        found = cell(text, self._number)
        self.missed += 1
        self.kinds.add(type(found))
        if len(text) <= _SHORT:
            self[text] = found
        return found


def literals(cells: Sequence[str]) -> list[Any] | None:
    """What a column holds that is JSON as it stands: numbers, booleans, nulls, gaps, but maybe other things as well.

    Numbers are then exactly what a cell of their text holds; None when there are no such values for all cells.
    """
    if max(map(len, cells), default=0) > LONGEST_NUMBER:
        return None
    try:
        found: list[Any] = orjson.loads(f"[{','.join(cells)}]")
    except orjson.JSONDecodeError:
        return _with_gaps(cells) if "" in cells else None
    # A cell with a comma inside would make two of one, and none can make one of two.
    return found if len(found) == len(cells) else None


def _with_gaps(cells: Sequence[str]) -> list[Any] | None:
    filled = [text or "null" for text in cells]
    return literals(filled)


def _numbers(cells: Sequence[str]) -> list[Any] | None:
    """What a column holds whose cells are short and have only characters of numbers; None if one is none."""
    try:
        found: list[Any] = orjson.loads(f"[{','.join(cells)}]")
    except orjson.JSONDecodeError:
        return None
    return found if len(found) == len(cells) else None


def _texts(cells: list[str]) -> list[Any] | None:
    """The trimmed cells of a column of texts, gaps as nulls; None for any other column."""
    least = min(cells)
    if not least:
        found = _texts(present) if (present := list(filter(None, cells))) else present
        return None if found is None else [text or None for text in cells]
    if not _SPELLINGS.isdisjoint(cells):
        return None
    # No number begins with a character after the digits, and no cell with one before that of the least.
    if least[0] <= "9" and _NUMBER_ALONE.search("\n".join(cells)) is not None:
        return None
    return cells
