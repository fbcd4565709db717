"""References of one step to the answer of an earlier one: `$1.hash`, `$prev.results[0].path`."""

from __future__ import annotations

import re
from typing import Any

from rolltop.errors import InvalidInput

__all__ = ["resolved"]

_REFERENCE = re.compile(r"\$(prev|\d+)((?:\.\w+|\[\d+\])*)")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


def resolved(value: Any, answers: list[dict[str, Any]]) -> Any:
    """The value with every string that is a reference replaced by what it refers to. `$$` begins a plain text."""
    if isinstance(value, dict):
        return {key: resolved(item, answers) for key, item in value.items()}
    if isinstance(value, list):
        return [resolved(item, answers) for item in value]
    if not isinstance(value, str) or not value.startswith("$"):
        return value
    if value.startswith("$$"):
        return value[1:]
    match = _REFERENCE.fullmatch(value)
    return _look_up(match[1], match[2], answers) if match else value


def _look_up(which: str, path: str, answers: list[dict[str, Any]]) -> Any:
    place = len(answers) if which == "prev" else int(which)
    if not 1 <= place <= len(answers):
        raise InvalidInput(f"the reference ${which} is not to an earlier step", hint="Steps count from 1.")
    found: Any = answers[place - 1]
    for name, index in _STEP.findall(path):
        try:
            found = found[name] if name else found[int(index)]
        except (KeyError, IndexError, TypeError):
            raise InvalidInput(f"the answer of step {place} has nothing at {path}") from None
    return found
