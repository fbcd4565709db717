"""Code for rows of values made of a routine for records: variables instead of fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rolltop.transform.columns.records import Selection
from rolltop.transform.compile.code import (
    Code,
    Field,
    Length,
    Method,
    Same,
    Text,
    Var,
    bound_in,
    text_of,
    used_in,
    walk,
)
from rolltop.transform.compile.compiler import function_of
from rolltop.transform.compile.python import PythonWriter
from rolltop.transform.compile.record_loop import RecordLoop, loop_over_records, parts_of
from rolltop.transform.compile.routine import Block, Routine, Source, all_codes, bound_by, used_by
from rolltop.transform.compile.scopes import CannotCompile

__all__ = ["Each", "Over", "RowWriter", "Sought", "Unpacked", "unpack"]

Change = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Over:
    """A function `run(rows, count)`. Rows are tuples of the fields, or what the only field holds.

    `count` is the number of all records, of which the rows may be those that were chosen.
    """

    source: str
    fields: tuple[str, ...]
    change: Change | None = None
    """What is done with the only field, if that is a change of case."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A part of a condition: that a field is this text."""

    field: str
    text: str
    rest: Over | None
    """What else has to be true."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A program in two functions of rows."""

    test: Over | None
    """What tells of each row whether it is chosen; None when all are."""
    sought: Sought | None
    run: Over
    """What makes the result of the rows chosen."""
    routine: Routine
    loop: RecordLoop
    """The loop over the rows chosen."""
    writer: RowWriter


def unpack(routine: Routine) -> Unpacked:
    """Take a routine apart; `CannotCompile` when it does more with its records than go over them once."""
    loop = loop_over_records(routine)
    if loop is None:
        raise CannotCompile("the program does more with the records than go over them once")
    codes = list(all_codes(routine))
    fields = tuple(dict.fromkeys(field.name for code in codes for field in _fields(code, loop.item)))
    if used_by(routine).count(loop.item) != sum(1 for code in codes for _ in _fields(code, loop.item)):
        raise CannotCompile("the records are used as a whole")
    if loop.tests and not _is_known_before(loop.tests, loop.item, routine):
        loop = RecordLoop(loop.source, [], loop.source.body)
    writer = RowWriter(loop, routine.parameters[0], fields)
    tests = parts_of(loop.tests)
    test = writer.each(tests) if tests else None
    return Unpacked(test, _sought(tests, writer), writer.whole(routine), routine, loop, writer)


def _fields(code: Code, item: str) -> list[Field]:
    """The fields of the record that an expression reads."""
    return [
        node
        for node in walk(code)
        if isinstance(node, Field) and isinstance(node.target, Var) and node.target.name == item
    ]


def _is_known_before(tests: list[Code], item: str, routine: Routine) -> bool:
    """Whether the condition of the loop can be told before the loop runs.

    A name that is bound outside has no value yet; one that is bound inside may be asked for later.
    """
    used, bound = (
        [name for test in tests for name in used_in(test)],
        {name for test in tests for name in bound_in(test)},
    )
    if (bound_by(routine) - bound - {item}).intersection(used):
        return False
    everywhere = used_by(routine)
    return all(used.count(name) == everywhere.count(name) for name in bound)


def _sought(tests: list[Code], writer: RowWriter) -> Sought | None:
    """A comparison with a text, if that is what a condition begins with: rows that fail there are not asked more."""
    match tests[:1]:
        case [Same(sides=(Field() as field, Text(value=text)))] if writer.is_cell(field):
            return Sought(field.name, text, writer.each(tests[1:]) if len(tests) > 1 else None)
    return None


class RowWriter(PythonWriter):
    """The back end that writes a routine over rows."""

    def __init__(self, loop: RecordLoop, records: str, fields: tuple[str, ...]) -> None:
        self._loop = loop
        self._records = records
        self._fields = fields
        self._row = fields

    def is_cell(self, code: Code) -> bool:
        """Whether an expression is a field of the record."""
        return isinstance(code, Field) and isinstance(code.target, Var) and code.target.name == self._loop.item

    def whole(self, routine: Routine) -> Over:
        """The routine for the rows chosen."""
        read = {name for code in _codes_without(self._loop, routine) for name in self._read(code)}
        self._row = tuple(field for field in self._fields if field in read)
        return Over(self.source(routine), self._row)

    def each(self, made: list[Code]) -> Over:
        """A function that gives what is made of each row, in a list; of several expressions, whether all are true."""
        read = {name for code in made for name in self._read(code)}
        fields = tuple(field for field in self._fields if field in read)
        text = " and ".join(map(self.text, made))
        source = f"def run(rows, count): return [{text} for {self._names(fields)} in rows]"
        return Over(source, fields, self._change(made))

    def parameters(self, routine: Routine) -> str:
        return "rows, count"

    def loop(self, loop: Source) -> str:
        return f"{self._names(self._row)} in rows" if loop is self._loop.source else super().loop(loop)

    def body(self, loop: Source) -> Block:
        return self._loop.body if loop is self._loop.source else super().body(loop)

    def text(self, code: Code) -> str:
        return text_of(code, self._spelled)

    def _spelled(self, code: Code) -> str | None:
        """A variable instead of a field, and the number of all records instead of counting the rows chosen."""
        if isinstance(code, Field) and self.is_cell(code):
            return self._variable(code.name)
        if isinstance(code, Length) and isinstance(code.array, Var) and code.array.name == self._records:
            return "count"
        return None

    def _read(self, code: Code) -> list[str]:
        return [field.name for field in _fields(code, self._loop.item)]

    def _variable(self, field: str) -> str:
        return f"{self._loop.item}_{field}"

    def _names(self, fields: tuple[str, ...]) -> str:
        """The variables of these fields, as a loop assigns them."""
        names = [self._variable(field) for field in fields]
        return names[0] if len(names) == 1 else f"({', '.join(names)})"

    def _change(self, made: list[Code]) -> Change | None:
        match made:
            case [Method(target=Field() as field, name="upper" | "lower" as how)] if self.is_cell(field):
                return str.upper if how == "upper" else str.lower
        return None


def _codes_without(loop: RecordLoop, routine: Routine) -> list[Code]:
    """The expressions of a routine besides the tests that were taken out of its loop."""
    tests = {id(test) for test in loop.tests}
    return [code for code in all_codes(routine) if id(code) not in tests]


class Each:
    """What code makes of the rows that it is given."""

    def __init__(self, over: Over, constants: Mapping[str, Any]) -> None:
        self._fields = over.fields
        self._run = function_of(over.source, constants)
        self._change = over.change

    def of(self, rows: Selection) -> Any:
        if self._change is not None:
            changed = _changed(rows.column(self._fields[0]), self._change)
            if changed is not None:
                return changed
        return self._run(rows.rows(self._fields), rows.total)


def _changed(values: Sequence[Any], change: Change) -> list[str] | None:
    """All texts of a column changed at once; None when they are not all plain ones."""
    try:
        text = "\n".join(values)
    except TypeError:
        return None
    changed = change(text).split("\n") if text.isascii() else []
    return changed if len(changed) == len(values) else None
