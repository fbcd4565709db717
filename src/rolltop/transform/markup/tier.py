"""A program's typed code over elements, tried before everything is read as values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from rolltop.errors import LimitExceeded
from rolltop.transform.compile.compiler import function_of, makes_elements
from rolltop.transform.compile.places import Place, settle
from rolltop.transform.compile.scopes import CannotCompile
from rolltop.transform.errors import EvaluationFailure
from rolltop.transform.markup.emitter import MarkupEmitter, settle_attributes
from rolltop.transform.stack import deep_stack
from rolltop.transform.syntax import tree

__all__ = ["MarkupTier", "MarkupTiers"]

_TRIALS = 8
"""So many runs are given to a tier before it is judged."""


class MarkupTier:
    """Code over structures made of elements at one path. `root` is the document, `records` the array."""

    def __init__(self, name: str, root: Place, path: tuple[str, ...], source: str, run: Callable[[Any], Any]) -> None:
        self.name = name
        self.root = root
        self.path = path
        self.source = source
        self.run = run
        self.runs = 0
        self.failures = 0
        self.arrays: frozenset[Place] = frozenset()
        """Places of arrays for which one element alone does not serve."""
        self.records = root
        for step in path:
            if self.records.form != "record" or list(self.records.fields) != [step]:
                raise CannotCompile("the document is used as a whole")
            self.records = self.records.fields[step]
        if self.records.form != "list" or self.records.items().form in ("list", "any"):
            raise CannotCompile("the records are used as a whole")

    @property
    def hopeless(self) -> bool:
        return self.failures * 2 > self.runs > _TRIALS


def markup_tier(program: tree.Program, path: tuple[str, ...], *, strict: bool) -> MarkupTier:
    """The program on the elements at a path, or `CannotCompile` with the reason why not."""
    if any(makes_elements(node) for node in tree.walk(program.body)):
        raise CannotCompile("the program makes attributes or reads other formats")
    root, shared = Place("$input"), set[int]()
    MarkupEmitter(program, root, shared).source()
    settle(root, strict=strict)
    settle_attributes(root, strict=strict)
    emitter = MarkupEmitter(program, root, shared)
    source = emitter.source()
    if root.unsettled():
        raise CannotCompile("the second look saw more than the first")
    run = function_of(source, emitter.constants)
    tier = MarkupTier("typed" if strict else "projected", root, path, source, run)
    tier.arrays = frozenset(emitter.arrays)
    return tier


class MarkupTiers:
    """The typed ways of a program over one array of elements, tried in order."""

    def __init__(self, program: tree.Program, path: tuple[str, ...]) -> None:
        self.program = program
        self._path = path
        self.obstacle: str | None = None
        """Why there is no typed tier, once it was tried to make one."""

    @cached_property
    def typed(self) -> MarkupTier | None:
        return self._made(strict=True)

    @cached_property
    def projected(self) -> MarkupTier | None:
        return self._made(strict=False)

    def _made(self, *, strict: bool) -> MarkupTier | None:
        try:
            return markup_tier(self.program, self._path, strict=strict)
        except CannotCompile as reason:
            self.obstacle = str(reason)
        except (SyntaxError, RecursionError, MemoryError, TypeError) as reason:
            self.obstacle = f"the code is beyond Python ({type(reason).__name__})"
        return None

    @property
    def hopeless(self) -> bool:
        """Whether no tier is worth being asked again."""
        if self.typed is None:
            return True
        return self.typed.hopeless and (self.projected is None or self.projected.hopeless)

    def value(self, decode: Callable[[MarkupTier], Any]) -> tuple[bool, Any]:
        """Whether a tier could take what is decoded for it, and the program's value if so."""
        tier = self.typed
        while tier is not None:
            if not tier.hopeless:
                tier.runs += 1
                try:
                    with deep_stack():
                        return True, tier.run(decode(tier))
                except (LimitExceeded, MemoryError):
                    raise
                except EvaluationFailure:
                    break  # the evaluator says it with its place
                except Exception:
                    tier.failures += 1
            tier = self.projected if tier is self.typed else None
        return False, None
