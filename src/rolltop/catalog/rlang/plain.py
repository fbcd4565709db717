"""Markup as plain text that reads well to a person and to a model.

Lines of a paragraph are joined, paragraphs and list items keep their own lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rolltop.catalog.rlang.markup import Markup, Node

__all__ = ["MARK", "reflow", "to_text", "to_text_with_marks", "unmark"]

MARK = re.compile("\x00(\\d+)\x00")

_SYMBOLS = {"dots": "...", "ldots": "...", "R": "R", "cr": "\n", "tab": " ", "sspace": " ", "item": "\n- "}
# Shown by other means than text, or only by evaluating code: nothing remains of them.
_DROPPED = frozenset({"out", "figure", "Sexpr", "if", "dontshow", "testonly", "RdOpts"})
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_HEADING = re.compile(r"\s*#{1,6}\s+(.*?)\s*#*\s*$")


def to_text(markup: Markup) -> str:
    """The text of a piece of documentation, markup removed, white space tidied."""
    return reflow(_rendered(markup))


def to_text_with_marks(markup: Markup) -> tuple[str, list[str]]:
    """The same with each piece of code as a mark (`MARK`), and the pieces in order.

    Sentences can then be told apart without stumbling over the dots and colons of code.
    """
    codes: list[str] = []

    def mark(node: Node) -> Node:
        if node.name == "code" and node.arguments:
            codes.append(_rendered(node.arguments[0]).strip())
            return Node("text", f"\x00{len(codes) - 1}\x00")
        inner = tuple(Markup(tuple(mark(child) for child in argument.nodes)) for argument in node.arguments)
        return Node(node.name, node.raw, inner, node.option)

    marked = Markup(tuple(mark(node) for node in markup.nodes))
    return to_text(marked), codes


def unmark(text: str, codes: list[str]) -> str:
    """Put the pieces of code back."""
    return MARK.sub(lambda found: codes[int(found[1])], text)


def reflow(text: str) -> str:
    """Join the lines of each paragraph and list item; keep one blank line between paragraphs."""
    paragraphs: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines: list[str] = []
        for line in paragraph.splitlines():
            heading = _HEADING.match(line)
            starts_line = heading or _LIST_ITEM.match(line) or not lines
            words = " ".join((heading[1] if heading else line).split())
            if starts_line:
                lines.append(words)
            else:
                lines[-1] = f"{lines[-1]} {words}".strip()
        if joined := "\n".join(line for line in lines if line):
            paragraphs.append(joined)
    return "\n\n".join(paragraphs)


def _rendered(markup: Markup) -> str:
    return "".join(_node(node) for node in markup.nodes)


def _node(node: Node) -> str:
    if node.name == "text":
        return node.raw
    if node.name in _DROPPED:
        return ""
    if node.name == "preformatted":
        return f"\n\n{node.raw}\n\n"
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
    return f"\n\n{': '.join(part.strip() for part in parts)}\n\n"


def _table(node: Node, parts: list[str]) -> str:
    return f"\n{parts[-1]}\n" if parts else ""


def _list(node: Node, parts: list[str]) -> str:
    return "\n" + re.sub(r"\n\s*\n(?=- )", "\n", parts[0].strip()) + "\n" if parts else ""


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
}
