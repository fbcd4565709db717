"""A program's typed code over elements, tried before everything is read as values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rolltop.transform.compile.compiler import function_of, makes_elements
from rolltop.transform.compile.places import Place, settle
from rolltop.transform.compile.python import source_of
from rolltop.transform.compile.scopes import CannotCompile
from rolltop.transform.compile.ways import Judged, Ways
from rolltop.transform.markup.emitter import MarkupEmitter, settle_attributes
from rolltop.transform.syntax import tree

__all__ = ["MarkupTier", "MarkupTiers"]


class MarkupTier(Judged):
    """Code over structures made of elements at one path. `root` is the document, `records` the array."""

    def __init__(self, name: str, root: Place, path: tuple[str, ...], source: str, run: Callable[[Any], Any]) -> None:
        self.name = name
        self.root = root
        self.path = path
        self.source = source
        self.run = run
        self.arrays: frozenset[Place] = frozenset()
        """Places of arrays for which one element alone does not serve."""
        self.records = root
        for step in path:
            if self.records.form != "record" or list(self.records.fields) != [step]:
                raise CannotCompile("the document is used as a whole")
            self.records = self.records.fields[step]
        if self.records.form != "list" or self.records.items().form in ("list", "any"):
            raise CannotCompile("the records are used as a whole")


def markup_tier(program: tree.Program, path: tuple[str, ...], *, strict: bool) -> MarkupTier:
    """The program on the elements at a path, or `CannotCompile` with the reason why not."""
    if any(makes_elements(node) for node in tree.walk(program.body)):
        raise CannotCompile("the program makes attributes or reads other formats")
    root, shared = Place("$input"), set[int]()
    MarkupEmitter(program, root, shared).routine()
    settle(root, strict=strict)
    settle_attributes(root, strict=strict)
    emitter = MarkupEmitter(program, root, shared)
    source = source_of(emitter.routine())
    if root.unsettled():
        raise CannotCompile("the second look saw more than the first")
    run = function_of(source, emitter.constants)
    tier = MarkupTier("typed" if strict else "projected", root, path, source, run)
    tier.arrays = frozenset(emitter.arrays)
    return tier


class MarkupTiers(Ways[MarkupTier]):
    """The typed ways of a program over one array of elements."""

    def __init__(self, program: tree.Program, path: tuple[str, ...]) -> None:
        self.program = program
        self._path = path

    def make(self, *, strict: bool) -> MarkupTier:
        return markup_tier(self.program, self._path, strict=strict)
