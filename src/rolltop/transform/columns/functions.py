"""Functions over rows, compiled."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rolltop.transform.columns.selection import Selection
from rolltop.transform.columns.unpacking import Over
from rolltop.transform.compile.compiler import function_of

__all__ = ["Each"]

Change = Callable[[str], str]


class Each:
    """What code makes of the rows that it is given."""

    def __init__(self, over: Over, constants: Mapping[str, Any]) -> None:
        self._fields = over.fields
        self._run = function_of(over.code, constants)
        self._change = _change_of(over)

    def of(self, rows: Selection) -> Any:
        if self._change is not None:
            changed = _changed(rows.column(self._fields[0]), self._change)
            if changed is not None:
                return changed
        return self._run(rows.rows(self._fields), rows.total)


def _change_of(over: Over) -> Change | None:
    """What is done with the only field, if that is a change of case."""
    function = over.code.body[0]
    assert isinstance(function, ast.FunctionDef)
    match function.body:
        case [
            ast.Return(
                value=ast.ListComp(
                    elt=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="upper" | "lower" as how), args=[]),
                    generators=[ast.comprehension(target=ast.Name(id=field), ifs=[])],
                )
            )
        ] if name == field:
            return str.upper if how == "upper" else str.lower
    return None


def _changed(values: Sequence[Any], change: Change) -> list[str] | None:
    """All texts of a column changed at once; None when they are not all plain ones."""
    try:
        text = "\n".join(values)
    except TypeError:
        return None
    changed = change(text).split("\n") if text.isascii() else []
    return changed if len(changed) == len(values) else None
