"""Programs that were compiled lately: parsing, checking and generated code are paid for once.

Programs are pure and hold no state of a run, so that one may serve any number of callers.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping

from rolltop.transform.check import unresolved
from rolltop.transform.errors import ProgramInvalid
from rolltop.transform.program import Program, compile_program

__all__ = ["ProgramCache", "cached_program"]

_ENTRIES, _CHARACTERS = 128, 2_000_000
Key = tuple[str, tuple[tuple[str, str], ...], str | None, bool]


class ProgramCache:
    """The programs that were asked for last, bounded by their number and by the length of their texts."""

    def __init__(self, entries: int = _ENTRIES, characters: int = _CHARACTERS) -> None:
        self.entries, self.characters = entries, characters
        self._programs: OrderedDict[Key, Program] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def get(
        self,
        text: str,
        *,
        inputs: Mapping[str, str] | None = None,
        output_format: str | None = None,
        resolved: bool = False,
    ) -> Program:
        """What `compile_program` gives; programs that are invalid are not kept.

        `resolved` refuses names that nothing has, also where a run may not come by.
        """
        key = (text, tuple(inputs.items()) if inputs else (), output_format, resolved)
        with self._lock:
            found = self._programs.get(key)
            if found is not None:
                self._programs.move_to_end(key)
                return found
        program = compile_program(text, inputs=inputs, output_format=output_format)
        unknown = unresolved(program.parsed) if resolved else []
        if unknown:
            raise ProgramInvalid(unknown)
        self._keep(key, program)
        return program

    def _keep(self, key: Key, program: Program) -> None:
        size = len(key[0])
        if size > self.characters:
            return
        with self._lock:
            if key in self._programs:
                return
            self._programs[key] = program
            self._held += size
            while len(self._programs) > self.entries or self._held > self.characters:
                (text, *_), _ = self._programs.popitem(last=False)
                self._held -= len(text)

    def __len__(self) -> int:
        return len(self._programs)


cached_program = ProgramCache().get
"""The process's own cache."""
