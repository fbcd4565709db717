"""The intermediate representation of programs: what every fast tier reads, and Python is written from.

A `Routine` is a block of statements and a result. Statements say what is done with records:

===========  =======================================================================================
`Source`     goes over an array, and holds what is done with each element
`Filter`     does the rest of a round only for elements that pass a test
`Let`        names a value
`Collect`    projects: adds what was made of an element to a list (`Extend`, `Flatten`: all of an array)
`Group`      adds it to the list of its key (`GroupTotal`: to the sum of its key)
`Total`      adds it to a sum
`Replace`    puts something in the place of every group, after the loop
===========  =======================================================================================

Their expressions are `Code`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rolltop.transform.compile.code import Code, Var, bound_in, used_in

if TYPE_CHECKING:
    from rolltop.transform.compile.blocks import Flow

__all__ = [
    "Block", "Collect", "Extend", "Filter", "Flatten", "Gather", "Group", "GroupTotal", "Let", "Replace", "Routine",
    "Source", "Statement", "Total", "all_codes", "bound_by", "statements", "used_by",
]  # fmt: skip

Writer = Callable[[Code], str]
"""A back end's text of an expression."""


class Block:
    """Statements that run one after the other."""

    __slots__ = ("flows", "parts")

    def __init__(self) -> None:
        self.parts: list[Statement] = []
        self.flows: dict[tuple[str, ...], Flow] = {}
        """Loops that are in the block, by the path of what they go over."""

    def add(self, part: Statement) -> None:
        self.parts.append(part)


class Statement:
    """A statement: the expressions in it, the variables that it binds, and its lines."""

    __slots__ = ()
    binds: tuple[Var, ...] = ()

    def codes(self) -> list[Code]:
        """The expressions of the statement itself, without those of blocks in it."""
        raise NotImplementedError

    def lines(self, text: Writer) -> list[str]:
        raise NotImplementedError


class Let(Statement):
    """A variable and its value."""

    __slots__ = ("binds", "value")

    def __init__(self, variable: Var, value: Code) -> None:
        self.binds = (variable,)
        self.value = value

    def codes(self) -> list[Code]:
        return [self.value]

    def lines(self, text: Writer) -> list[str]:
        return [f"{self.binds[0].name} = {text(self.value)}"]


class Gather(Statement):
    """Adds something that there is of each element to what `into` holds, which is `initial` before the loop."""

    __slots__ = ("element", "into")
    initial = "[]"

    def __init__(self, into: Var, element: Code) -> None:
        self.into = into
        self.element = element

    def codes(self) -> list[Code]:
        return [self.element]


class Collect(Gather):
    """A list; left out when nothing reads it and the element is a variable."""

    __slots__ = ()

    def lines(self, text: Writer) -> list[str]:
        return [f"{self.into.name}.append({text(self.element)})"]


class Extend(Gather):
    """A list of what is in the arrays."""

    __slots__ = ()

    def lines(self, text: Writer) -> list[str]:
        return [f"{self.into.name} += {text(self.element)}"]


class Total(Extend):
    """A sum."""

    __slots__ = ()
    initial = "0"


class Flatten(Gather):
    """A list of values, and of what is in those that are arrays."""

    __slots__ = ("binds",)

    def __init__(self, into: Var, element: Code, held: Var) -> None:
        super().__init__(into, element)
        self.binds = (held,)

    def lines(self, text: Writer) -> list[str]:
        [held] = self.binds
        return [
            f"if ({held.name} := {text(self.element)}).__class__ is list: {self.into.name} += {held.name}",
            f"else: {self.into.name}.append({held.name})",
        ]


class Group(Gather):
    """Lists by key."""

    __slots__ = ("binds", "key")
    initial = "{}"

    def __init__(self, into: Var, key: Code, element: Code, held: Var) -> None:
        super().__init__(into, element)
        self.key = key
        self.binds = (held,)

    def codes(self) -> list[Code]:
        return [self.key, self.element]

    def lines(self, text: Writer) -> list[str]:
        return self._written(text, f".append({text(self.element)})", f"[{text(self.element)}]")

    def _written(self, text: Writer, more: str, first: str) -> list[str]:
        [held] = self.binds
        entry = f"{self.into.name}[{held.name}]"
        return [f"if ({held.name} := {text(self.key)}) in {self.into.name}: {entry}{more}", f"else: {entry} = {first}"]


class GroupTotal(Group):
    """Sums by key."""

    __slots__ = ()

    def lines(self, text: Writer) -> list[str]:
        return self._written(text, f" += {text(self.element)}", f"0 + {text(self.element)}")


class Replace(Statement):
    """Puts something in the place of each group, or of those that pass a test."""

    __slots__ = ("binds", "groups", "test", "value")

    def __init__(self, groups: Var, key: Var, group: Var, value: Code, test: Code | None) -> None:
        self.groups = groups
        self.binds = (key, group)
        self.value = value
        self.test = test

    def codes(self) -> list[Code]:
        return [self.groups, *([self.test] if self.test is not None else []), self.value]

    def lines(self, text: Writer) -> list[str]:
        key, group = self.binds
        where = "" if self.test is None else f"if {text(self.test)}: "
        change = f" {where}{self.groups.name}[{key.name}] = {text(self.value)}"
        return [f"for {key.name}, {group.name} in {self.groups.name}.items():", change]


class Filter(Statement):
    """What is done only where a test is true."""

    __slots__ = ("body", "test")

    def __init__(self, test: Code, body: Block) -> None:
        self.test = test
        self.body = body

    def codes(self) -> list[Code]:
        return [self.test]


class Source(Statement):
    """What is done with each element of an array."""

    __slots__ = ("array", "binds", "body", "gathered")

    def __init__(self, array: Code, item: Var) -> None:
        self.array = array
        self.binds = (item,)
        self.gathered: list[Gather] = []
        """What is added to in the loop, and has to be there before it."""
        self.body = Block()

    @property
    def item(self) -> Var:
        return self.binds[0]

    def codes(self) -> list[Code]:
        return [self.array]


class Routine:
    """A function: its parameters, its statements, and the expression of its result."""

    __slots__ = ("block", "parameters", "result")

    def __init__(self, parameters: list[str], block: Block, result: Code) -> None:
        self.parameters = parameters
        self.block = block
        self.result = result


def statements(block: Block) -> Iterator[Statement]:
    """All statements of a block, those inside others too."""
    for part in block.parts:
        yield part
        if isinstance(part, (Source, Filter)):
            yield from statements(part.body)


def all_codes(routine: Routine) -> Iterator[Code]:
    """The expressions of a routine."""
    for part in statements(routine.block):
        yield from part.codes()
    yield routine.result


def used_by(routine: Routine) -> list[str]:
    """The variables that expressions of a routine read, each as often as they do."""
    return [name for code in all_codes(routine) for name in used_in(code)]


def bound_by(routine: Routine) -> set[str]:
    """The variables that a routine gives values to."""
    bound = {name for code in all_codes(routine) for name in bound_in(code)}
    for part in statements(routine.block):
        bound.update(variable.name for variable in part.binds)
        if isinstance(part, Source):
            bound.update(gather.into.name for gather in part.gathered)
    return bound
