"""Functions over rows, compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform.columns.selection import Selection
from rolltop.transform.columns.unpacking import Over
from rolltop.transform.compile.compiler import function_of

__all__ = ["Each"]


class Each:
    """What code makes of the rows that it is given."""

    def __init__(self, over: Over, constants: Mapping[str, Any]) -> None:
        self._fields = over.fields
        self._run = function_of(over.code, constants)

    def of(self, rows: Selection) -> Any:
        return self._run(rows.rows(self._fields), rows.total)
