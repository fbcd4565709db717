"""Names at run time: scopes, and what to say about a name that nobody bound."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from rolltop.transform.errors import EvaluationFailure
from rolltop.transform.stdlib.registry import all_names

__all__ = ["ALL_FUNCTIONS", "Scope", "closest", "unknown_function", "unknown_name"]

ALL_FUNCTIONS = "`rolltop transform functions` lists what there is."
"""A hint for people at a command line; others have their own way to look functions up."""


class Scope:
    """A set of names inside another one."""

    __slots__ = ("names", "outer")

    def __init__(self, names: dict[str, Any], outer: Scope | None) -> None:
        self.names = names
        self.outer = outer

    def holder(self, name: str) -> dict[str, Any] | None:
        """The innermost names that have it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names
            scope = scope.outer
        return None

    def visible(self) -> set[str]:
        return set(self.names) | (self.outer.visible() if self.outer else set())


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant."""
    return _closest(name, frozenset(known))


@lru_cache(maxsize=512)
def _closest(name: str, known: frozenset[str]) -> str | None:
    """Comparing with hundreds of names takes milliseconds, and programs repeat their mistakes."""
    import difflib  # noqa: PLC0415 - only mistakes need it

    candidates = sorted(known)
    near = difflib.get_close_matches(name, candidates, n=1, cutoff=0.78)
    if near:
        return near[0]
    return next((other for other in candidates if other.lower() == name.lower()), None)


def unknown_name(name: str, scope: Scope) -> EvaluationFailure:
    return EvaluationFailure(f"Undefined variable: {name}", code="unknown_name", hint=name_hint(name, scope.visible()))


def name_hint(name: str, visible: set[str]) -> str | None:
    """What to do about an unknown variable."""
    if "-" in name and all(part in visible for part in name.split("-")):
        return "A hyphen belongs to a name: put blanks around a minus."
    meant = closest(name, visible | all_names())
    if meant is not None:
        return f"Did you mean `{meant}`?"
    if name[:1].isupper():
        return "Is it a field? Write it after the value that has it, as in x." + name + "."
    return f"A field is read from its object: $input.{name}, or x.{name} with x => …; a name is bound with `let`."


def unknown_function(name: str, scope: Scope) -> EvaluationFailure:
    return EvaluationFailure(
        f"unknown function `{name}`", code="unknown_function", hint=function_hint(name, scope.visible())
    )


def function_hint(name: str, visible: set[str]) -> str | None:
    """What to do about an unknown function."""
    meant = closest(name, visible | all_names())
    if meant is not None:
        return f"Did you mean `{meant}`?"
    if name in ("fn", "lambda", "fun"):
        return "Lambdas are written x => … or (a, b) => …"
    return ALL_FUNCTIONS
