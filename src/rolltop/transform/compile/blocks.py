"""Statements of generated code: loops that serve several arrays at once, and lists that are made only when needed.

An array that a loop goes over, or makes, is a *flow* while code is emitted: the block in which each of its elements
is at hand. Whoever goes over the same array next adds to that block instead of starting a loop of its own. The list
itself is there only when something else names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from copy import copy

from rolltop.transform.compile.common_values import AtHand
from rolltop.transform.compile.scopes import CannotCompile

__all__ = ["Block", "Flow", "Loop", "is_name", "rendered"]

_NAME = re.compile(r"\b[tv][0-9]+\w*")
_BOUND = re.compile(r"\b([tv][0-9]+\w*)(?= :?= )")
_TARGETS = re.compile(r"\b(?:for|lambda) ([^:]*?)(?: in |:)")
_TEXTS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")


def is_name(code: str) -> bool:
    """Whether code is a variable, which costs nothing to name again."""
    return _NAME.fullmatch(code) is not None


class Block:
    """Statements that run one after the other."""

    __slots__ = ("flows", "parts")

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.flows: dict[str, Flow] = {}
        """Loops that are in the block, by the code of what they go over."""

    def add(self, part: Part) -> None:
        self.parts.append(part)


class Held:
    """A statement that appends an element to a list; left out when nothing names the list and the element is one."""

    __slots__ = ("element", "name")

    def __init__(self, name: str, element: str) -> None:
        self.name = name
        self.element = element


class Condition:
    """`if`."""

    __slots__ = ("body", "test")

    def __init__(self, test: str, body: Block) -> None:
        self.test = test
        self.body = body


class Loop:
    """`for`, and what has to be there before it."""

    __slots__ = ("array", "before", "body", "item")

    def __init__(self, array: str, item: str) -> None:
        self.array = array
        self.item = item
        self.before: list[str | Held] = []
        """Statements; a `Held` stands for its empty list."""
        self.body = Block()


Part = str | Held | Condition | Loop


class Flow:
    """An array whose elements are at hand in a block."""

    __slots__ = ("at_hand", "block", "element", "held", "home", "loop", "serial")

    def __init__(self, loop: Loop, home: Block, *, serial: int, at_hand: AtHand) -> None:
        self.loop = loop
        self.home = home
        """The block that the loop is in: only code there may still add to it."""
        self.block = loop.body
        self.element = loop.item
        self.held: Held | None = None
        self.serial = serial
        """Names that were bound later have no value in the block."""
        self.at_hand = at_hand
        """The values that are known in the block, for the sharing of equal code."""

    def when(self, test: str, at_hand: AtHand) -> Flow:
        """The elements that pass a test."""
        inner = copy(self)
        inner.block, inner.at_hand, inner.held = Block(), at_hand, None
        self.block.add(Condition(test, inner.block))
        return inner

    def collect(self, name: str, element: str) -> Flow:
        """A list of something that there is of each element; its own flow."""
        inner = copy(self)
        inner.element, inner.held = element, Held(name, element)
        self.loop.before.append(inner.held)
        self.block.add(inner.held)
        return inner

    def named(self, temporary: Callable[[], str]) -> str:
        """A variable that holds the element."""
        if self.held is not None and not is_name(self.element):
            name = temporary()
            self.block.parts.insert(self.block.parts.index(self.held), f"{name} = {self.element}")
            self.held.element = self.element = name
        return self.element


def rendered(block: Block, result: str, given: Iterable[str]) -> list[str]:
    """The lines of a function's body that gives the result; `given` are the variables that it begins with.

    `CannotCompile` when a variable would be used before it has its value: it might have that of an earlier round.
    """
    _check(result, _checked(block, set(given)))
    used = _used(block, result)
    return [*_lines(block, used, "    "), f"    return {result}"]


def _checked(block: Block, known: set[str]) -> set[str]:
    """The variables that have values after the block."""
    for part in block.parts:
        if isinstance(part, Loop):
            _check(part.array, known)
            for line in part.before:
                known.update(_BOUND.findall(line) if isinstance(line, str) else [line.name])
            _checked(part.body, {*known, part.item})
        elif isinstance(part, Condition):
            _check(part.test, known)
            _checked(part.body, set(known))
        else:
            _check(f"{part.name}.append({part.element})" if isinstance(part, Held) else part, known)
    return known


def _check(code: str, known: set[str]) -> None:
    """Add what code binds to what is known, and see that it names nothing else."""
    bare = _TEXTS.sub("''", code)
    known.update(_BOUND.findall(bare))
    for targets in _TARGETS.findall(bare):
        known.update(_NAME.findall(targets))
    if not known.issuperset(_NAME.findall(bare)):
        raise CannotCompile("a value that is not there yet")


def _used(block: Block, result: str) -> set[str]:
    """The variables that something besides their own making names."""
    used = set(_NAME.findall(result))
    waiting: list[Held] = []
    for part in _all(block):
        if isinstance(part, Held) and is_name(part.element):
            waiting.append(part)
        else:
            used.update(_NAME.findall(_text(part)))
    found = True
    while found:
        found = False
        for held in waiting:
            if held.name in used and held.element not in used:
                used.add(held.element)
                found = True
    return used | {held.name for held in _all(block) if isinstance(held, Held) and not is_name(held.element)}


def _all(block: Block) -> Iterator[Part]:
    for part in block.parts:
        yield part
        if isinstance(part, (Loop, Condition)):
            yield from _all(part.body)


def _text(part: Part) -> str:
    """The code of a statement's own line."""
    if isinstance(part, Held):
        return part.element
    if isinstance(part, Condition):
        return part.test
    return part.array if isinstance(part, Loop) else part


def _lines(block: Block, used: set[str], indent: str) -> Iterator[str]:
    for part in block.parts:
        if isinstance(part, Loop):
            yield from _loop_lines(part, used, indent)
        elif isinstance(part, Condition):
            body = list(_lines(part.body, used, indent + " "))
            yield f"{indent}if {part.test}:"
            yield from body or [f"{indent} pass"]
        elif isinstance(part, Held):
            if part.name in used:
                yield f"{indent}{part.name}.append({part.element})"
        else:
            yield f"{indent}{part}"


def _loop_lines(loop: Loop, used: set[str], indent: str) -> Iterator[str]:
    short = _comprehension(loop, used) if indent == "    " else None
    if short is not None:
        yield f"{indent}{short}"
        return
    for line in loop.before:
        if not isinstance(line, Held):
            yield f"{indent}{line}"
        elif line.name in used:
            yield f"{indent}{line.name} = []"
    yield f"{indent}for {loop.item} in {loop.array}:"
    yield from list(_lines(loop.body, used, indent + " ")) or [f"{indent} pass"]


def _comprehension(loop: Loop, used: set[str]) -> str | None:
    """A loop that only makes one list: faster as a comprehension when there is much to go over."""
    tests, body = "", loop.body
    while len(body.parts) == 1 and isinstance(part := body.parts[0], Condition):
        tests, body = f"{tests} if {part.test}", part.body
    kept = [part for part in body.parts if not isinstance(part, Held) or part.name in used]
    if len(kept) != 1 or not isinstance(only := kept[0], Held) or any(isinstance(line, str) for line in loop.before):
        return None
    if ":=" in loop.array or len([line for line in loop.before if isinstance(line, Held) and line.name in used]) != 1:
        return None
    return f"{only.name} = [{only.element} for {loop.item} in {loop.array}{tests}]"
