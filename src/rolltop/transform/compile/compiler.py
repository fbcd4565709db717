"""From a tree to something that runs: emit, compile, run, and fall back when it must."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from rolltop.errors import LimitExceeded
from rolltop.transform.compile.emitter import Emitter
from rolltop.transform.compile.places import Place
from rolltop.transform.compile.python import finished, source_of
from rolltop.transform.compile.routine import Block, Routine
from rolltop.transform.compile.runtime import HELPERS
from rolltop.transform.compile.scopes import CannotCompile, Names
from rolltop.transform.compile.typed import TypedEmitter
from rolltop.transform.run.evaluator import Evaluator
from rolltop.transform.run.recursion import OutOfStack
from rolltop.transform.stack import deep_stack
from rolltop.transform.stdlib.host import forget_notes
from rolltop.transform.stdlib.registry import find
from rolltop.transform.syntax import tree

__all__ = ["Compiled", "GeneralEmitter", "compile_tree", "function_of", "is_plain", "makes_elements"]


class GeneralEmitter(TypedEmitter):
    """Emits one program of any inputs without XML elements. The first time finds what comes again."""

    def __init__(self, program: tree.Program, shared: set[int], *, again: bool) -> None:
        super().__init__(program, Place("$input"), shared)
        self._again = again

    @property
    def settled(self) -> bool:
        return self._again

    def routine(self) -> Routine:
        names, block = Names(counter=self.counter), Block()
        self.bind_inputs(names, block)
        self.block = block
        return finished(Routine(["inputs"], block, self.answer(names)))


_PLAIN_FORMATS = frozenset({"json", "jsonl", "csv", "yaml"})
_SCALARS = frozenset({"str", "bool", "bytes", "int", "float"})
_GIVE_UP = 20
"""After this many runs of which more than half fell back, the generated code is not tried any more."""


class Compiled:
    """Generated code in front of the simple evaluator."""

    def __init__(self, run: Callable[[Mapping[str, Any]], Any], source: str, evaluator: Evaluator) -> None:
        self.source = source
        self.runs = 0
        self.fallbacks = 0
        self._run = run
        self._evaluator = evaluator

    def run(self, inputs: Mapping[str, Any]) -> Any:
        """The value of the program; by the evaluator when the code meets what it is not made for."""
        if self.fallbacks > _GIVE_UP and self.fallbacks * 2 > self.runs:
            with suppress(OutOfStack):
                return self._evaluator.run(inputs)
        self.runs += 1
        try:
            with deep_stack():
                return self._run(inputs)
        except (LimitExceeded, MemoryError):
            raise
        except Exception:
            # Failures of the program are repeated there, with their place; surprises become values.
            self.fallbacks += 1
            forget_notes()
            return self._evaluator.run(inputs)


def compile_tree(program: tree.Program, evaluator: Evaluator, *, plain: bool | None = None) -> Compiled | None:
    """The program as generated code, or None when it has something that the emitter leaves alone."""
    if plain is None:
        plain = is_plain(program)
    for emitter in _emitters(program, plain=plain):
        try:
            source = source_of(emitter.routine())
            return Compiled(function_of(source, emitter.constants), source, evaluator)
        except (CannotCompile, SyntaxError, RecursionError, MemoryError):
            # Python refuses code that nests deeper than its own parser goes; the evaluator does not.
            continue
    return None


def _emitters(program: tree.Program, *, plain: bool) -> Iterator[Emitter]:
    """The emitters to try, the one with the better code first."""
    if plain:
        shared = set[int]()
        with suppress(CannotCompile, RecursionError):
            GeneralEmitter(program, shared, again=False).routine()
            yield GeneralEmitter(program, shared, again=True)
    yield Emitter(program, plain=plain)


def function_of(source: str, constants: Mapping[str, Any]) -> Callable[..., Any]:
    """The function `run` of generated source."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python has opinions on constants in odd places
        code = compile(source, "<transform>", "exec", dont_inherit=True, optimize=2)
    space: dict[str, Any] = {**HELPERS, **constants, "STRFLOAT": frozenset({str, float})}
    exec(code, space)  # noqa: S102 - the code is ours: only constants of the program enter it, through repr
    run: Callable[..., Any] = space["run"]
    return run


def is_plain(program: tree.Program) -> bool:
    """Whether no value of the program can be an XML element: plain formats in, none made."""
    if any(port.format not in _PLAIN_FORMATS for port in program.header.inputs):
        return False
    return not any(makes_elements(node) and not _gives_scalars(node) for node in tree.walk(program.body))


def makes_elements(node: tree.Expr) -> bool:
    """Whether a node makes attributes, or names a function that has to do with elements or other formats."""
    if isinstance(node, tree.Entry):
        return node.kind in ("attribute", "computed")
    if not isinstance(node, tree.Name):
        return False
    declared = find(node.name)
    return declared is not None and declared.category in ("serialization", "crypto")


def _gives_scalars(node: tree.Expr) -> bool:
    """Whether what a function gives is no element for sure: its body says so to the type checker."""
    declared = find(node.name) if isinstance(node, tree.Name) else None
    return declared is not None and declared.body.__annotations__.get("return") in _SCALARS
