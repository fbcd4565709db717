"""Code of calls where kinds are known: rules for what is done in place, bare library bodies for the rest."""

from __future__ import annotations

from collections.abc import Callable

from rolltop.transform.compile.calls import RESULTS
from rolltop.transform.compile.code import Method, listed, py
from rolltop.transform.compile.emitter import Emitted
from rolltop.transform.compile.loops import Arguments, LoopRules
from rolltop.transform.compile.places import Kind, Place
from rolltop.transform.compile.scopes import Names
from rolltop.transform.compile.totals import TotalRules
from rolltop.transform.stdlib.coerce import coercer_of
from rolltop.transform.stdlib.declare import Function
from rolltop.transform.stdlib.registry import find
from rolltop.transform.types import BOOLEAN, NUMBER, STRING

__all__ = ["CallRules"]

_METHODS = {"upper": "upper", "lower": "lower"}
_NUMBERS = frozenset({"round", "floor", "ceil", "abs", "toNumber", "length", "roundToCents"})
"""Functions that give a number, and nothing else."""


class CallRules(TotalRules):
    """The part of the typed emitter that deals with calls of the library."""

    def _library_call(self, name: str, arguments: Arguments, names: Names) -> Emitted:
        self.library(name)
        rule = _RULES.get((name, len(arguments)))
        return (rule(self, name, arguments, names) if rule else None) or self._direct(name, arguments, names)

    def _direct(self, name: str, arguments: Arguments, names: Names) -> Emitted:
        """The library's function; its bare body when every argument has the declared type already."""
        declared = find(name)
        assert declared is not None
        emitted = [self.emit(argument, names) for argument in arguments]
        ready = [self._ready(declared, at, kind) for at, (_, kind) in enumerate(emitted)]
        codes = [code for code, _ in emitted]
        result = _result(declared)
        if name in _METHODS and ready == [True]:
            return Method(codes[0], _METHODS[name]), result
        signature = declared.signature
        if all(ready) and signature.most is not None and signature.least <= len(codes) <= signature.most:
            self.constants[f"B_{name}"] = declared.body
            return py("B_{}({})", name, listed(codes)), result
        return py("F_{}({})", name, listed(codes)), result

    def _ready(self, declared: Function, at: int, kind: Kind) -> bool:
        parameters = declared.signature.parameters
        wanted = parameters[at].type if at < len(parameters) else None
        if wanted in (STRING, NUMBER):
            word = "str" if wanted == STRING else "num"
            found = self.use(kind, word) if isinstance(kind, Place) else kind
            self.escape(None if isinstance(kind, Place) else kind)
            return found == word
        self.escape(kind)
        return wanted is not None and coercer_of(wanted) is None


def _result(declared: Function) -> Kind:
    """What a function gives for sure: its body says so to the type checker, its signature to programs."""
    if declared.name in RESULTS or declared.name in _NUMBERS:
        return RESULTS.get(declared.name, "num")
    says = declared.body.__annotations__.get("return")
    if says == "str" and declared.signature.result == STRING:
        return "str"
    return "bool" if says == "bool" and declared.signature.result == BOOLEAN else None


_RULES: dict[tuple[str, int], Callable[[CallRules, str, Arguments, Names], Emitted | None]] = {
    ("map", 2): LoopRules.walked,
    ("filter", 2): LoopRules.walked,
    ("flatMap", 2): LoopRules.flattened,
    ("sortBy", 2): LoopRules.handed,
    ("reverse", 1): LoopRules.handed,
    ("take", 2): LoopRules.handed,
    ("drop", 2): LoopRules.handed,
    ("every", 2): LoopRules.handed,
    ("some", 2): LoopRules.handed,
    ("countBy", 2): LoopRules.handed,
    ("findIndex", 2): LoopRules.handed,
    ("sum", 1): TotalRules.summed,
    ("sumBy", 2): TotalRules.summed_by,
    ("count", 1): TotalRules.counted,
    ("size", 1): TotalRules.counted,
    ("groupBy", 2): TotalRules.grouped,
    ("mapValues", 2): TotalRules.mapped_values,
}
