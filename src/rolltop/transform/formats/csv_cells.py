"""What cells hold: one at a time, or a whole column at once.

Most columns are all texts or all numbers, which a few passes in C can tell of the whole column. What a column of
numbers holds is exactly what the JSON decoder makes of it. A column that is neither is read cell by cell, equal ones
once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from operator import is_
from typing import Any

import orjson

from rolltop.transform.formats.text import typed

__all__ = ["cell", "literals", "values"]

Number = Callable[[str], Any]
_WORDS: dict[str, Any] = {"true": True, "false": False, "": None, "null": None, "nil": None, "n/a": None}
_LONGEST_WORD = 5
_SPELLINGS = frozenset(
    "".join(letters) for word in _WORDS if word for letters in product(*((char, char.upper()) for char in word))
)
"""The words in all mixtures of small and capital letters."""
_LONGEST_NUMBER = 17
"""Characters of a number up to which all readers agree on what it is."""
_SAMPLE = 64
"""So many cells tell whether a column has few different ones, of which each is read once."""
_LITERALS = frozenset({int, float, bool, type(None)})
# The number itself must look as it does in `typed`; that it stands alone on its line is enough here.
_NUMBER_ALONE = re.compile(r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$", re.MULTILINE)


def cell(text: str, number: Number = typed) -> Any:
    """What a cell holds: boolean, null, number, or its trimmed text."""
    text = text.strip()
    if len(text) <= _LONGEST_WORD:
        word = text.lower()
        if word in _WORDS:
            return _WORDS[word]
    return number(text)


def values(cells: list[str], number: Number = typed) -> list[Any]:
    """What every cell of a column holds."""
    if number is typed and len(cells) > _SAMPLE and len(set(cells[:_SAMPLE])) > _SAMPLE // 2:
        found = literals(cells) if cells[0][:1] in "-0123456789" else None
        if found is None or not _LITERALS.issuperset(map(type, found)):
            found = _texts(list(map(str.strip, cells)))
        if found is not None:
            return found
    known = {text: cell(text, number) for text in set(cells)}
    return cells if all(map(is_, known, known.values())) else [known[text] for text in cells]


def literals(cells: list[str]) -> list[Any] | None:
    """What a column holds that is JSON as it stands: numbers, booleans, nulls, gaps, but maybe other things as well.

    Numbers are then exactly what a cell of their text holds; None when there are no such values for all cells.
    """
    if max(map(len, cells), default=0) > _LONGEST_NUMBER:
        return None
    try:
        found: list[Any] = orjson.loads(f"[{','.join(cells)}]")
    except orjson.JSONDecodeError:
        return _with_gaps(cells) if "" in cells else None
    # A cell with a comma inside would make two of one, and none can make one of two.
    return found if len(found) == len(cells) else None


def _with_gaps(cells: list[str]) -> list[Any] | None:
    filled = [text or "null" for text in cells]
    return literals(filled)


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
