"""Where elements stand in the inputs of the running program.

Values do not know their parents: parts are shared, and most programs never ask. The first question
walks the inputs once and remembers where every object is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = ["Place", "place_of", "reading"]

Place = tuple[Any, str, int]
"""The object that holds a value, under which name, and the position there (0 when it is alone)."""


class _Inputs:
    __slots__ = ("places", "roots")

    def __init__(self, roots: Mapping[str, Any]) -> None:
        self.roots = roots
        self.places: dict[int, Place] | None = None

    def find(self, value: Any) -> Place | None:
        if self.places is None:
            self.places = {}
            for root in self.roots.values():
                self._walk(root)
        return self.places.get(id(value))

    def _walk(self, root: Any) -> None:
        assert self.places is not None
        waiting = [root]
        while waiting:
            holder = waiting.pop()
            if isinstance(holder, list):
                waiting.extend(holder)
            elif isinstance(holder, dict):
                for name, child in holder.items():
                    self._note(holder, name, child)
                    waiting.append(child)

    def _note(self, holder: Any, name: str, child: Any) -> None:
        assert self.places is not None
        if isinstance(child, list):
            for at, item in enumerate(child, start=1):
                if isinstance(item, dict):
                    self.places[id(item)] = (holder, name, at)
        elif isinstance(child, dict):
            self.places[id(child)] = (holder, name, 0)


_current: ContextVar[_Inputs | None] = ContextVar("rolltop_transform_inputs", default=None)


@contextmanager
def reading(inputs: Mapping[str, Any]) -> Iterator[None]:
    """Run the block as a program with these inputs."""
    token = _current.set(_Inputs(inputs))
    try:
        yield
    finally:
        _current.reset(token)


def place_of(value: Any) -> Place | None:
    """Where an object or element of the inputs stands; None for roots and for what the program made."""
    inputs = _current.get()
    return None if inputs is None else inputs.find(value)
