"""Code for ordinary values with all tests: the typed emitter's loops and sharing, with nothing known of the input."""

from __future__ import annotations

from rolltop.transform.compile.blocks import Block, rendered
from rolltop.transform.compile.places import Place
from rolltop.transform.compile.scopes import Names
from rolltop.transform.compile.typed import TypedEmitter
from rolltop.transform.syntax import tree

__all__ = ["GeneralEmitter"]


class GeneralEmitter(TypedEmitter):
    """Emits one program of any inputs without XML elements. The first time finds what comes again."""

    def __init__(self, program: tree.Program, shared: set[int], *, again: bool) -> None:
        super().__init__(program, Place("$input"), shared)
        self._again = again

    @property
    def settled(self) -> bool:
        return self._again

    def source(self) -> str:
        names = Names(counter=self.counter)
        ports = [port.name for port in self.program.header.inputs]
        inputs = {name: names.bind(name).code for name in dict.fromkeys([*ports, "input"])}
        block = self.block = Block()
        code = self.answer(names)
        lines = [f"    {variable} = inputs[{name!r}]" for name, variable in inputs.items()]
        return "\n".join(["def run(inputs):", *lines, *rendered(block, code, inputs.values())])
