"""Loops that serve several arrays at once, and lists that are made only when needed.

An array that a loop goes over, or makes, is a *flow* while code is emitted: the block in which each of its elements
is at hand. Whoever goes over the same array next adds to that block instead of starting a loop of its own. The list
itself is there only when something else names it.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

from rolltop.transform.compile.code import Code, Field, Var
from rolltop.transform.compile.common_values import AtHand
from rolltop.transform.compile.routine import Block, Collect, Filter, Gather, Let, Source

__all__ = ["Flow", "guarded", "path_of"]


class _Guarded(Code):
    """An array, or a surprise when the value is none; `guard` names the helper that tells."""

    __slots__ = ()

    def __init__(self, guard: str, array: Code) -> None:
        super().__init__(guard, "(", array, ")")


def guarded(guard: str, array: Code) -> Code:
    """What a loop goes over; without a guard, what is an array for sure."""
    return _Guarded(guard, array) if guard else array


def path_of(code: Code) -> tuple[str, ...] | None:
    """The names that lead to a value which is the same whenever it is asked for in one round; None for other code."""
    if isinstance(code, Var):
        return (code.name,)
    if isinstance(code, Field):
        target = path_of(code.target)
        return None if target is None else (*target, code.name)
    if isinstance(code, _Guarded):
        guard, _, array, _ = code.parts
        inner = path_of(array) if isinstance(array, Code) else None
        return None if inner is None else (f"{guard}()", *inner)
    return None


class Flow:
    """An array whose elements are at hand in a block."""

    __slots__ = ("at_hand", "block", "element", "held", "home", "loop", "serial")

    def __init__(self, loop: Source, home: Block, *, serial: int, at_hand: AtHand) -> None:
        self.loop = loop
        self.home = home
        """The block that the loop is in: only code there may still add to it."""
        self.block = loop.body
        self.element: Code = loop.item
        self.held: Collect | None = None
        self.serial = serial
        """Names that were bound later have no value in the block."""
        self.at_hand = at_hand
        """The values that are known in the block, for the sharing of equal code."""

    def when(self, test: Code, at_hand: AtHand) -> Flow:
        """The elements that pass a test."""
        inner = copy(self)
        inner.block, inner.at_hand, inner.held = Block(), at_hand, None
        self.block.add(Filter(test, inner.block))
        return inner

    def gather(self, made: Gather) -> None:
        """Add something of each element to what is made in the loop."""
        self.loop.gathered.append(made)
        self.block.add(made)

    def collect(self, into: Var, element: Code) -> Flow:
        """A list of something that there is of each element; its own flow."""
        inner = copy(self)
        inner.element, inner.held = element, Collect(into, element)
        self.gather(inner.held)
        return inner

    def named(self, temporary: Callable[[], Var]) -> Code:
        """A variable that holds the element."""
        if self.held is not None and not isinstance(self.element, Var):
            name = temporary()
            self.block.parts.insert(self.block.parts.index(self.held), Let(name, self.element))
            self.held.element = self.element = name
        return self.element
