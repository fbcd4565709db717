"""What the checker lets pass but nobody means: methods of data, values that are thrown away."""

from __future__ import annotations

from collections.abc import Iterator

from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.repair.habits.methods import METHODS
from rolltop.transform.stdlib.registry import all_names, find
from rolltop.transform.syntax import tree
from rolltop.transform.syntax.parser import Parsed

__all__ = ["suspicions"]


def suspicions(parsed: Parsed) -> list[Diagnostic]:
    """Warnings about a program without syntax errors, in the order of the source."""
    if parsed.problems:
        return []
    own = _function_fields(parsed.program.body)
    found = [
        parsed.source.diagnostic(code, message, at, hint=hint, severity="warning")
        for node in tree.walk(parsed.program.body)
        for code, message, at, hint in (*_method(node, own), *_thrown_away(node))
    ]
    found += _foreign_header(parsed)
    return sorted(found, key=lambda item: (item.line, item.column))


def _foreign_header(parsed: Parsed) -> list[Diagnostic]:
    if not parsed.program.header.directive.startswith("%dw"):
        return []
    at = parsed.source.text.index("%dw")
    hint = "Write `%utlx 1.0`."
    return [parsed.source.diagnostic("W704", "This is a header of DataWeave", at, hint=hint, severity="warning")]


_Found = Iterator[tuple[str, str, int, str]]


def _function_fields(body: tree.Expr) -> set[str]:
    """Fields that hold functions of the program; calling those is fine."""
    entries = (entry for node in tree.walk(body) if isinstance(node, tree.ObjectLiteral) for entry in node.entries)
    return {entry.key for entry in entries if isinstance(entry.value, (tree.Lambda, tree.Name))}


def _method(node: tree.Expr, own: set[str]) -> _Found:
    target = node.function if isinstance(node, tree.Call) else None
    if isinstance(target, tree.Member) and target.kind == "property" and target.name not in own:
        name = target.name
        if name in METHODS or name in all_names():
            meant = METHODS.get(name, name)
            yield (
                "W701",
                f"Data has no method '{name}'",
                target.at,
                f"Call the function with the value: {meant}(x, …), or x |> {meant}(…).",
            )


def _thrown_away(node: tree.Expr) -> _Found:
    for item in node.items[:-1] if isinstance(node, tree.Sequence) else ():
        if not _has_effect(item):
            yield (
                "W702",
                "This value is not used",
                item.at,
                "Only the last expression counts: join them with an operator.",
            )


def _has_effect(item: tree.Expr) -> bool:
    call = item.target if isinstance(item, tree.Pipe) else item
    if isinstance(call, tree.Call) and isinstance(call.function, tree.Name):
        declared = find(call.function.name)
        return declared is not None and not declared.pure
    return isinstance(item, tree.Try)
