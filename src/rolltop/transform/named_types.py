"""Objects that a schema defines once and refers to: known by name, their fields read when they are asked for.

A definition may refer to itself, so two of them are the same only if they are one object; whoever goes down into types
keeps account of those that it is inside of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rolltop.transform.types import ObjectType

__all__ = ["NamedObject"]

_PARTS = ("described", "fields", "index", "required", "rest")


class NamedObject(ObjectType):
    """An object type with a name; `build` gives what it has."""

    __slots__ = ("_build", "name")
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __init__(self, name: str, build: Callable[[], ObjectType]) -> None:
        self.name = name
        self._build = build

    def __getattr__(self, wanted: str) -> Any:
        if wanted not in _PARTS:
            raise AttributeError(wanted)
        built = self._build()
        super().__init__(built.fields, built.required, built.rest, described=built.described)
        return getattr(self, wanted)

    def __str__(self) -> str:
        return self.name
