"""How an expression that somebody began to write may go on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rolltop.guide.content import Limits
from rolltop.guide.discovery import Tree
from rolltop.guide.errors import PathUnsafe
from rolltop.guide.expression import escape, pieces
from rolltop.guide.model import Project
from rolltop.guide.pattern import Pattern

__all__ = ["complete"]

_EVERYTHING = Pattern.compile("**")


def complete(docroot: Path, project: Project, text: str, limits: Limits, excluded: Sequence[Pattern] = ()) -> list[str]:
    """Whole expressions: what was written so far, with its last name or pattern completed."""
    head, term = _behind(text, ",")
    term = term.lstrip()
    name, slash, patterns = term.partition("/")
    if not slash:
        names = sorted([*project.categories, *project.collections])
        return [f"{head}{each}" for each in names if each.startswith(name)]
    category = project.categories.get(name.strip())
    if category is None:
        return []
    before, last = _behind(patterns, "+")
    try:
        found = Tree(category.root or docroot, limits.depth, limits.entries).find(category.dir, _EVERYTHING)
    except PathUnsafe:
        return []
    given_out = [item.path for item in found if not any(pattern.matches(item.path) for pattern in excluded)]
    paths = [escape(path.replace("\\", "\\\\")) for path in given_out]
    return [f"{head}{category.name}/{before}{path}" for path in paths if path.startswith(last)]


def _behind(text: str, sign: str) -> tuple[str, str]:
    """What is written up to the last such sign that is not escaped, and what follows it."""
    at = end = 0
    for piece in pieces(text):
        at += len(piece)
        if piece == sign:
            end = at
    return text[:end], text[end:]
