"""Markup as plain text that reads well to a person and to a model."""

from __future__ import annotations

import re
from collections.abc import Callable

from rolltop.catalog.paragraphs import fenced, reflow
from rolltop.catalog.rlang.markup import Markup, Node

__all__ = ["MARK", "to_text", "to_text_with_marks", "unmark"]

MARK = re.compile("\x00(\\d+)\x00")

_CELL, _ROW = "\x02", "\x03"
_SYMBOLS = {"dots": "...", "ldots": "...", "R": "R", "cr": _ROW, "tab": _CELL, "sspace": " ", "item": "\n- "}
# Shown by other means than text, or only by evaluating code: nothing remains of them.
_DROPPED = frozenset({"out", "figure", "if", "dontshow", "testonly", "RdOpts"})
_BADGE = re.compile(r"""(?:lifecycle::)?badge\(\s*["'](\w+)["']\s*\)""")
_ESCAPED = re.compile(r"\\([\\%{}])")


def to_text(markup: Markup) -> str:
    """The text of a piece of documentation, markup removed, white space tidied."""
    return reflow(_rendered(markup).replace(_CELL, " ").replace(_ROW, "\n"))


def to_text_with_marks(markup: Markup) -> tuple[str, list[str]]:
    """The same with each piece of code as a mark (`MARK`), and the pieces in order.

    Sentences can then be told apart without stumbling over the dots and colons of code.
    """
    codes: list[str] = []

    def mark(node: Node) -> Node:
        if node.name == "code" and node.arguments:
            codes.append(_rendered(node.arguments[0]).strip())
            return Node("text", f"\x00{len(codes) - 1}\x00")
        if node.name in ("preformatted", "inline_r"):
            return node
        inner = tuple(Markup(tuple(mark(child) for child in argument.nodes)) for argument in node.arguments)
        return Node(node.name, node.raw, inner, node.option)

    marked = Markup(tuple(mark(node) for node in markup.nodes))
    return to_text(marked), codes


def unmark(text: str, codes: list[str]) -> str:
    """Put the pieces of code back."""
    return MARK.sub(lambda found: codes[int(found[1])], text)


def _rendered(markup: Markup) -> str:
    return "".join(_node(node) for node in markup.nodes)


def _node(node: Node) -> str:
    if node.name == "text":
        return node.raw
    if node.name in _DROPPED:
        return ""
    if node.name == "preformatted":
        return fenced(node.raw if node.option else _ESCAPED.sub(r"\1", node.raw), node.option.strip("`"))
    parts = [_rendered(argument) for argument in node.arguments]
    if special := _SPECIAL.get(node.name):
        return special(node, parts)
    if not parts:
        return _SYMBOLS.get(node.name, node.name)
    return parts[0]


def _item(node: Node, parts: list[str]) -> str:
    if not parts:
        return "\n- "
    return f"\n- {parts[0]}: {parts[1].strip()}" if len(parts) > 1 else f"\n- {parts[0]}"


def _second_if_any(node: Node, parts: list[str]) -> str:
    return parts[1] if len(parts) > 1 and parts[1] else parts[0] if parts else ""


def _else_branch(node: Node, parts: list[str]) -> str:
    return parts[2] if len(parts) > 2 else ""


def _titled(node: Node, parts: list[str]) -> str:
    marks = "##" if node.name == "section" else "###"
    return f"\n\n{marks} {parts[0].strip() if parts else ''}\n\n{''.join(parts[1:])}\n\n"


def _table(node: Node, parts: list[str]) -> str:
    """The rows of a table in markdown; the first one is its head."""
    rows = [row for row in (parts[-1] if parts else "").split(_ROW) if row.strip()]
    lines = [f"| {' | '.join(' '.join(cell.split()) for cell in row.split(_CELL))} |" for row in rows]
    if lines:
        lines.insert(1, "|" + "---|" * (rows[0].count(_CELL) + 1))
    return "\n\n" + "\n".join(lines) + "\n\n"


def _list(node: Node, parts: list[str]) -> str:
    """The items, indented: what is nested stands deeper than what it is in."""
    text = re.sub(r"\n\s*\n(?=\s*- )", "\n", parts[0].strip() if parts else "")
    return "\n" + "\n".join(f"  {line}" if line.strip() else "" for line in text.split("\n")) + "\n"


def _inline_r(node: Node, parts: list[str]) -> str:
    """Nothing is evaluated: a badge of lifecycle is known, and of other code nothing remains."""
    badge = _BADGE.search(node.raw)
    return f"[{badge[1].capitalize()}]" if badge else ""


def _lifecycle(node: Node, parts: list[str]) -> str:
    return f"[{parts[0].strip().capitalize()}]" if parts else ""


_SPECIAL: dict[str, Callable[[Node, list[str]], str]] = {
    "item": _item,
    "eqn": _second_if_any,
    "deqn": _second_if_any,
    "href": _second_if_any,
    "ifelse": _else_branch,
    "section": _titled,
    "subsection": _titled,
    "tabular": _table,
    "itemize": _list,
    "enumerate": _list,
    "describe": _list,
    "inline_r": _inline_r,
    "Sexpr": _inline_r,
    "lifecycle": _lifecycle,
}
