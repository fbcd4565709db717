"""Style: unused bindings, names, nesting. Right findings only, never a failure."""

from __future__ import annotations

import re

from rolltop.transform.check.findings import Findings
from rolltop.transform.check.scope import Binding
from rolltop.transform.syntax import tree

__all__ = ["lint"]

_CAMEL = re.compile(r"_*[a-z][a-zA-Z0-9]*|_+")
_MAX_NESTING = 5


def lint(program: tree.Program, bindings: list[Binding], findings: Findings) -> None:
    """Add the style findings about a program whose names are resolved."""
    _unused(bindings, findings)
    _naming(program.body, findings)
    deepest = _too_deep(program.body)
    if deepest is not None:
        message = f"nesting is deeper than {_MAX_NESTING}: objects, arrays, functions and conditions inside each other"
        findings.warning("W603", message, deepest.at, hint="Give inner parts a name with let or a function.")


def _unused(bindings: list[Binding], findings: Findings) -> None:
    used = {binding.at for binding in bindings if binding.used}
    for binding in bindings:
        if binding.kind in ("input", "error") or binding.at in used or binding.name.startswith("_"):
            continue
        hint = f"Remove it, or name it _{binding.name}."
        findings.warning("W601", f"Variable '{binding.name}' is defined but never used", binding.at, hint=hint)


def _naming(node: tree.Expr, findings: Findings) -> None:
    for part in tree.walk(node):
        if not isinstance(part, tree.Let) or isinstance(part.value, tree.Lambda) or _CAMEL.fullmatch(part.name):
            continue
        message = f"Variable '{part.name}' should use camelCase naming convention"
        findings.warning("W602", message, part.at, hint=f"For example {_camel(part.name)}.")


def _camel(name: str) -> str:
    words = [word for word in re.split(r"[-_]+", name) if word]
    if not words:
        return name
    head, *rest = words
    return head[:1].lower() + head[1:] + "".join(word[:1].upper() + word[1:] for word in rest)


_NESTING = (tree.ObjectLiteral, tree.ArrayLiteral, tree.Lambda, tree.Match, tree.Try, tree.If)


def _too_deep(node: tree.Expr, depth: int = 0) -> tree.Expr | None:
    depth += isinstance(node, _NESTING)
    if depth > _MAX_NESTING:
        return node
    for child in tree.children(node):
        goes_on = isinstance(node, tree.If) and child is node.otherwise and isinstance(child, tree.If)  # else if
        found = _too_deep(child, depth - goes_on)
        if found is not None:
            return found
    return None
