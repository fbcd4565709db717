"""Which programs log or time something: what they note belongs to one run, and no other run sees it."""

from __future__ import annotations

import re

from rolltop.transform.stdlib.names import FAMILY_OF
from rolltop.transform.syntax import tree

__all__ = ["keeps_notes"]

_NAMES = frozenset({"isDebugMode", *(name for name, family in FAMILY_OF.items() if family in ("logs", "timers"))})
_ANY = re.compile("|".join(sorted(_NAMES)))


def keeps_notes(program: tree.Program, text: str) -> bool:
    """Whether a program names a function that logs, times, or reads what was."""
    if _ANY.search(text) is None:
        return False
    return any(isinstance(node, tree.Name) and node.name in _NAMES for node in tree.walk(program.body))
