"""Paths such as `.spec.items[0].name` into objects and arrays."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from rolltop.transform.errors import fail

__all__ = ["delete", "exists", "resolve", "set_at"]

Step = str | int
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(-?\d{1,9})\]|\[\"([^\"]*)\"\]|\['([^']*)'\]")
_MISSING = object()
LONGEST_GAP = 10_000


@lru_cache(maxsize=512)
def steps(path: str) -> tuple[Step, ...]:
    """Names and positions, in order; `$` and a leading dot mean the value itself."""
    rest = path.strip().removeprefix("$")
    if rest in ("", "."):
        return ()
    found: list[Step] = []
    at = 0
    while at < len(rest):
        match = _STEP.match(rest, at)
        if match is None:
            fail(f"{path[:60]!r} is no path", hint='A path looks like .spec.items[0].name or .labels["a.b"].')
        name, index, *quoted = match.groups()
        found.append(int(index) if index is not None else next(text for text in (name, *quoted) if text is not None))
        at = match.end()
    return tuple(found)


def _child(value: Any, step: Step) -> Any:
    if isinstance(step, int):
        return value[step] if isinstance(value, list) and -len(value) <= step < len(value) else _MISSING
    return value.get(step, _MISSING) if isinstance(value, dict) else _MISSING


def _walk(value: Any, path: str) -> Any:
    for step in steps(path):
        value = _child(value, step)
        if value is _MISSING:
            return _MISSING
    return value


def resolve(value: Any, path: str) -> Any:
    found = _walk(value, path)
    return None if found is _MISSING else found


def exists(value: Any, path: str) -> bool:
    return _walk(value, path) is not _MISSING


def set_at(value: Any, path: str, new: Any) -> Any:
    """A copy with another value at a path; objects and arrays on the way are made when missing."""
    return _set(value, steps(path), new)


def _set(value: Any, way: tuple[Step, ...], new: Any) -> Any:
    if not way:
        return new
    step, inner = way[0], _child(value, way[0])
    changed = _set(None if inner is _MISSING else inner, way[1:], new)
    if isinstance(step, str):
        return {**value, step: changed} if isinstance(value, dict) else {step: changed}
    items = list(value) if isinstance(value, list) else []
    at = step + len(items) if step < 0 else step
    if not 0 <= at <= len(items) + LONGEST_GAP:
        fail(f"there is no position {step} in an array of {len(items)}", hint="Positions start at 0.")
    items.extend([None] * (at + 1 - len(items)))
    items[at] = changed
    return items


def delete(value: Any, path: str) -> Any:
    """A copy without what is at a path; the same value when nothing is there."""
    way = steps(path)
    if not way or not exists(value, path):
        return value
    return _delete(value, way)


def _delete(value: Any, way: tuple[Step, ...]) -> Any:
    step, rest = way[0], way[1:]
    if isinstance(step, str):
        if rest:
            return {**value, step: _delete(value[step], rest)}
        return {key: item for key, item in value.items() if key != step}
    at = step % len(value)
    if rest:
        return [_delete(item, rest) if position == at else item for position, item in enumerate(value)]
    return [*value[:at], *value[at + 1 :]]
