"""What the checker lets pass but nobody means: methods of data, values that are thrown away."""

from __future__ import annotations

import re
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
        for code, message, at, hint in (*_method(node, own), *_thrown_away(node), *_pattern(node), *_template(node))
    ]
    found += _foreign_header(parsed)
    found += _unclear_pipes(parsed)
    found += _paths_as_comments(parsed)
    return sorted(found, key=lambda item: (item.line, item.column))


def _foreign_header(parsed: Parsed) -> list[Diagnostic]:
    if not parsed.program.header.directive.startswith("%dw"):
        return []
    at = parsed.source.text.index("%dw")
    hint = "Write `%utlx 1.0`."
    return [parsed.source.diagnostic("W704", "This is a header of DataWeave", at, hint=hint, severity="warning")]


def _unclear_pipes(parsed: Parsed) -> list[Diagnostic]:
    hint = "Write (if (…) a else b) |> f to say so, or if (…) a else (b |> f)."
    message = "This pipe takes the result of the whole `if`, not of its last branch"
    return [parsed.source.diagnostic("W706", message, at, hint=hint, severity="warning") for at in parsed.unclear_pipes]


_PATH_AS_COMMENT = re.compile(r"//[\w@*]")


def _paths_as_comments(parsed: Parsed) -> list[Diagnostic]:
    """`$input//Item`: what XPath finds at any depth is a comment here."""
    text = parsed.source.text
    hint = 'yamlFindByField(x, "Item") gives every value of a field, at any depth.'
    return [
        parsed.source.diagnostic("W707", "`//` begins a comment", comment.at, hint=hint, severity="warning")
        for comment in parsed.comments
        if _PATH_AS_COMMENT.match(comment.text) and re.match(r"[\w)\]]", text[comment.at - 1 : comment.at])
    ]


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


_ONE_SIGN = frozenset(".|^$*+?()[]{}")


def _pattern(node: tree.Expr) -> _Found:
    """`replace(s, ".", "")`: a pattern of one sign is hardly meant as a pattern."""
    called = node.target if isinstance(node, tree.Pipe) else node
    if not isinstance(called, tree.Call) or not isinstance(called.function, tree.Name):
        return
    at = 0 if isinstance(node, tree.Pipe) else 1
    if called.function.name not in ("replace", "replaceRegex") or len(called.arguments) <= at:
        return
    pattern = called.arguments[at]
    if isinstance(pattern, tree.Literal) and isinstance(pattern.value, str) and pattern.value in _ONE_SIGN:
        hint = (
            f'Write "[{pattern.value}]" for the sign itself.' if pattern.value not in "^[]" else _escaped(pattern.value)
        )
        yield "W708", f"'{pattern.value}' is a regular expression here", pattern.at, hint


def _escaped(sign: str) -> str:
    return f'Write "\\\\{sign}" for the sign itself.'


_HOLE = re.compile(r"\$\{\s*\$?[A-Za-z_][\w.@\[\]]*\s*\}")


def _template(node: tree.Expr) -> _Found:
    """`"Hi ${name}"`: texts in quotes are no templates."""
    if (
        isinstance(node, tree.Call)
        and isinstance(node.function, tree.Name)
        and node.function.name.startswith("replace")
    ):
        return  # there it names a group
    for part in tree.children(node):
        if isinstance(part, tree.Literal) and isinstance(part.value, str) and _HOLE.search(part.value):
            yield (
                "W709",
                "A text in quotes is no template: ${…} stays as it is",
                part.at,
                "Write `Hi ${name}` in backticks.",
            )


def _has_effect(item: tree.Expr) -> bool:
    call = item.target if isinstance(item, tree.Pipe) else item
    if isinstance(call, tree.Call) and isinstance(call.function, tree.Name):
        declared = find(call.function.name)
        return declared is not None and not declared.pure
    return isinstance(item, tree.Try)
