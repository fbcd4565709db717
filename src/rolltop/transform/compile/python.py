"""Passes that every routine goes through, and the back end that writes it as Python."""

from __future__ import annotations

from collections.abc import Iterator

from rolltop.transform.compile.code import Code, Var, bound_in, is_bound_in, text_of, used_in
from rolltop.transform.compile.routine import Block, Collect, Filter, Gather, Replace, Routine, Source, statements
from rolltop.transform.compile.scopes import CannotCompile

__all__ = ["PythonWriter", "filters_of", "finished", "source_of"]


def finished(routine: Routine) -> Routine:
    """The routine without lists that nobody reads.

    `CannotCompile` when a variable would be read before it has its value: it might have that of an earlier round.
    """
    _check(routine.result, _checked(routine.block, set(routine.parameters)))
    _prune(routine.block, _read(routine))
    return routine


def _checked(block: Block, known: set[str]) -> set[str]:
    """The variables that have values after the block."""
    for part in block.parts:
        if isinstance(part, Replace):
            known.update(variable.name for variable in part.binds)
        for code in part.codes():
            _check(code, known)
        if isinstance(part, Source):
            known.update(gather.into.name for gather in part.gathered)
            _checked(part.body, {*known, part.item.name})
        elif isinstance(part, Filter):
            _checked(part.body, set(known))
        else:
            known.update(variable.name for variable in part.binds)
    return known


def _check(code: Code, known: set[str]) -> None:
    """Add what an expression binds to what is known, and see that it reads nothing else."""
    known.update(bound_in(code))
    if not known.issuperset(used_in(code)):
        raise CannotCompile("a value that is not there yet")


def _read(routine: Routine) -> set[str]:
    """The variables that something reads besides lists that nobody reads."""
    read = set(used_in(routine.result))
    waiting: list[tuple[str, str]] = []
    for part in statements(routine.block):
        if isinstance(part, Collect) and isinstance(part.element, Var):
            waiting.append((part.into.name, part.element.name))
        else:
            for code in part.codes():
                read.update(used_in(code))
    found = True
    while found:
        found = False
        for into, element in waiting:
            if into in read and element not in read:
                read.add(element)
                found = True
    return read


def _prune(block: Block, read: set[str]) -> None:
    block.parts = [part for part in block.parts if not _is_idle(part, read)]
    for part in block.parts:
        if isinstance(part, Source):
            part.gathered = [gather for gather in part.gathered if not _is_idle(gather, read)]
        if isinstance(part, (Source, Filter)):
            _prune(part.body, read)


def _is_idle(part: object, read: set[str]) -> bool:
    return isinstance(part, Collect) and isinstance(part.element, Var) and part.into.name not in read


def source_of(routine: Routine) -> str:
    """The text of the function `run`."""
    return PythonWriter().source(routine)


class PythonWriter:
    """Writes a routine as the function `run`; a subclass may spell some parts of it differently."""

    def source(self, routine: Routine) -> str:
        head = f"def run({self.parameters(routine)}):"
        return "\n".join([head, *self._lines(routine.block, "    "), f"    return {self.text(routine.result)}"])

    def parameters(self, routine: Routine) -> str:
        return ", ".join(routine.parameters)

    def text(self, code: Code) -> str:
        """The Python of an expression."""
        return text_of(code)

    def loop(self, loop: Source) -> str:
        """What is behind the `for` of a loop."""
        return f"{loop.item.name} in {self.text(loop.array)}"

    def body(self, loop: Source) -> Block:
        """What is done in a round."""
        return loop.body

    def _lines(self, block: Block, indent: str) -> Iterator[str]:
        for part in block.parts:
            if isinstance(part, Source):
                yield from self._loop_lines(part, indent)
            elif isinstance(part, Filter):
                yield f"{indent}if {self.text(part.test)}:"
                yield from self._body_lines(part.body, indent)
            else:
                yield from (indent + line for line in part.lines(self.text))

    def _body_lines(self, block: Block, indent: str) -> list[str]:
        return list(self._lines(block, indent + " ")) or [f"{indent} pass"]

    def _loop_lines(self, loop: Source, indent: str) -> Iterator[str]:
        short = self._comprehension(loop) if indent == "    " else None
        if short is not None:
            yield f"{indent}{short}"
            return
        for gather in loop.gathered:
            yield f"{indent}{gather.into.name} = {gather.initial}"
        yield f"{indent}for {self.loop(loop)}:"
        yield from self._body_lines(self.body(loop), indent)

    def _comprehension(self, loop: Source) -> str | None:
        """A loop that only makes one list: faster as a comprehension when there is much to go over."""
        tests, body = filters_of(self.body(loop))
        only: Gather | None = body.parts[0] if len(body.parts) == 1 and isinstance(body.parts[0], Collect) else None
        if only is None or loop.gathered != [only] or is_bound_in(loop.array):
            return None
        where = "".join(f" if {self.text(test)}" for test in tests)
        return f"{only.into.name} = [{self.text(only.element)} for {self.loop(loop)}{where}]"


def filters_of(block: Block) -> tuple[list[Code], Block]:
    """The tests that stand around everything in a block, and what is inside of them."""
    tests: list[Code] = []
    while len(block.parts) == 1 and isinstance(part := block.parts[0], Filter):
        tests.append(part.test)
        block = part.body
    return tests, block
