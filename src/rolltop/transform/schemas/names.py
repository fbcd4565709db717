"""Names that a schema format allows, made from those of another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

__all__ = ["Distinct", "distinct", "dotted", "identifier", "word"]


def dotted(namespace: str) -> str:
    """A namespace as words with dots between them; one that is an address is taken apart."""
    words = [part for part in re.split(r"[^A-Za-z0-9_]+", namespace) if part]
    return ".".join(f"_{part}" if part[0].isdigit() else part for part in words)


def identifier(name: str) -> str:
    """A name of ASCII letters, digits and `_`."""
    allowed = re.sub(r"[^A-Za-z0-9_]", "_", name) or "_"
    return f"_{allowed}" if allowed[0].isdigit() else allowed


def word(name: str) -> str:
    """A name of letters of any script, digits and `_`."""
    allowed = re.sub(r"\W", "_", name) or "_"
    return f"_{allowed}" if allowed[0].isdigit() else allowed


class Distinct:
    """Gives every name once: one that is there already gets a number."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}

    def __call__(self, name: str) -> str:
        given, number = name, self._numbers.get(name, 1)
        while given in self._taken:
            number += 1
            given = f"{name}_{number}"
        self._numbers[name] = number
        self._taken.add(given)
        return given


def distinct(names: Iterable[str], taken: Iterable[str] = (), allowed: Callable[[str], str] = identifier) -> list[str]:
    """Allowed names, each once."""
    given = Distinct(taken)
    return [given(allowed(name)) for name in names]
