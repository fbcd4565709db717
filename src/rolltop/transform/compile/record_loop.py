"""The one loop over the records of a routine: what the passes that skip records and take columns look for."""

from __future__ import annotations

from typing import NamedTuple

from rolltop.transform.compile.code import Both, Code, Length, Var, walk
from rolltop.transform.compile.python import filters_of
from rolltop.transform.compile.routine import Block, Routine, Source, all_codes, used_by

__all__ = ["RecordLoop", "loop_over_records", "parts_of"]


class RecordLoop(NamedTuple):
    """A loop over all records."""

    source: Source
    tests: list[Code]
    """What has to be true of a record for anything to be done with it."""
    body: Block
    """What is done then."""

    @property
    def item(self) -> str:
        """The variable of the record."""
        return self.source.item.name


def loop_over_records(routine: Routine) -> RecordLoop | None:
    """The loop, if all that a routine does with its records besides counting them is to go over them once."""
    records = routine.parameters[0]
    loops = [
        part
        for part in routine.block.parts
        if isinstance(part, Source) and isinstance(part.array, Var) and part.array.name == records
    ]
    counted = sum(1 for code in all_codes(routine) for node in walk(code) if _is_count(node, records))
    if len(loops) != 1 or used_by(routine).count(records) != 1 + counted:
        return None
    return RecordLoop(loops[0], *filters_of(loops[0].body))


def _is_count(node: Code, records: str) -> bool:
    return isinstance(node, Length) and isinstance(node.array, Var) and node.array.name == records


def parts_of(tests: list[Code]) -> list[Code]:
    """What has to be true, one after the other."""
    parts: list[Code] = []
    for test in tests:
        parts += parts_of([*test.sides]) if isinstance(test, Both) else [test]
    return parts
