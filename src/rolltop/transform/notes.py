"""Which programs log or time something: what they note belongs to one run, and no other run sees it."""

from __future__ import annotations

from rolltop.transform.stdlib.names import FAMILY_OF
from rolltop.transform.syntax import tree

__all__ = ["keeps_notes"]

_NAMES = frozenset(
    {"isDebugMode", *(name for name, family in FAMILY_OF.items() if family in ("type.logs", "type.timers"))}
)


def keeps_notes(program: tree.Program, text: str) -> bool:
    """Whether a program names a function that logs, times, or reads what was."""
    if not any(name in text for name in _NAMES):
        return False
    return any(isinstance(node, tree.Name) and node.name in _NAMES for node in tree.walk(program.body))
