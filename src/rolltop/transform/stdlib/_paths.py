"""Steps into values: property names for objects, positions for arrays."""

from __future__ import annotations

from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._text import quoted, text_of
from rolltop.transform.values import Node, kind_of, unwrap

__all__ = ["MISSING", "position", "replaced", "step", "steps_of"]

MISSING: Any = object()


def steps_of(path: str | list[Any]) -> list[Any]:
    """The steps of a path, given as `a.b.c` or as an array."""
    if isinstance(path, str):
        return path.split(".") if path else []
    return path


def position(key: Any) -> int | None:
    """A step as a place in an array: a whole number or its digits."""
    if type(key) is int:
        return key
    if type(key) is float and key.is_integer():
        return int(key)
    return int(key) if isinstance(key, str) and key.isdecimal() and len(key) < 10 else None


def step(value: Any, key: Any) -> Any:
    """One step down, or `MISSING`."""
    if isinstance(value, dict):
        name = text_of(key)
        if name in value:
            return unwrap(value[name])
        if name.startswith("@") and type(value) is Node:
            return value.attributes.get(name[1:], MISSING)
        return MISSING
    if isinstance(value, list):
        at = position(key)
        return value[at] if at is not None and 0 <= at < len(value) else MISSING
    return MISSING


def replaced(container: Any, key: Any, new: Any, name: str) -> Any:
    """A copy of a container with the value at one step replaced; the container must have room for it."""
    if isinstance(container, list):
        at = position(key)
        if at is None or not 0 <= at < len(container):
            fail(f"{name}: {quoted(text_of(key))} is no position in an array of {len(container)} elements")
        return [*container[:at], new, *container[at + 1 :]]
    if type(container) is Node:
        changed = {**container, text_of(key): new}
        return Node(changed, dict(container.attributes), container.name, container.metadata)
    if not isinstance(container, dict):
        fail(f"{name}: the path goes through {kind_of(container)}, which has no parts")
    return {**container, text_of(key): new}
