"""How an expression that somebody began to write may go on."""

from __future__ import annotations

from pathlib import Path

from rolltop.guide.content import Limits
from rolltop.guide.discovery import Tree
from rolltop.guide.errors import PathUnsafe
from rolltop.guide.expression import escape
from rolltop.guide.model import Project
from rolltop.guide.pattern import Pattern

__all__ = ["complete"]

_EVERYTHING = Pattern.compile("**")


def complete(docroot: Path, project: Project, text: str, limits: Limits) -> list[str]:
    """Whole expressions: what was written so far, with its last name or pattern completed."""
    head, comma, term = text.rpartition(",")
    name, slash, patterns = term.strip().partition("/")
    if not slash:
        names = sorted([*project.categories, *project.collections])
        return [f"{head}{comma}{each}" for each in names if each.startswith(name)]
    if name not in project.categories:
        return []
    before, plus, last = patterns.rpartition("+")
    try:
        found = Tree(docroot, limits.depth, limits.entries).find(project.categories[name].dir, _EVERYTHING)
    except PathUnsafe:
        return []
    paths = (escape(item.path.replace("\\", "\\\\")) for item in found)
    return [f"{head}{comma}{name}/{before}{plus}{path}" for path in paths if path.startswith(last)]
