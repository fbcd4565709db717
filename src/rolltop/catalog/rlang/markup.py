"""Roxygen text as a tree: Rd macros, and the inline markdown of roxygen2 where it is on.

`\\code{x}` and `` `x` `` are the same node, so everything after this module sees one kind of markup.
Braces inside quoted strings of `\\code` do not count, as in R's own reader of Rd.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Markup", "Node", "parse_markup", "walk"]

_MACRO = re.compile(r"\\([A-Za-z][A-Za-z0-9]*)")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_INLINE_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\(([^()\s]+)\)")
_REFERENCE_LINK = re.compile(r"\[((?:[^\[\]`]|`[^`]*`)+)\]\[([\w.:()=-]+)\]")
_NAME_LINK = re.compile(r"\[(`?[A-Za-z.][\w.]*(?:::[\w.]+)?(?:\(\))?`?|=[\w.]+)\](?![\[(])")
_EMPHASIS = re.compile(r"(?<![\w*\\])(\*{1,2})(?=[^\s*])([^*]+?)(?<=\S)\1(?![\w*])")
_FENCE = re.compile(r"^[ \t]*```[^\n]*\n(.*?)^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
_STOPS = re.compile(r"[\\`\[*]")
# Macros whose argument is R code: quotes protect braces there.
_R_LIKE = frozenset({"code", "dontrun", "donttest", "usage", "examples", "dontshow", "testonly"})


@dataclass(frozen=True, slots=True)
class Node:
    """A macro with its arguments; `name` is "text" for plain text, which is in `raw`."""

    name: str
    raw: str = ""
    arguments: tuple[Markup, ...] = ()
    option: str = ""


@dataclass(frozen=True, slots=True)
class Markup:
    """A parsed piece of documentation."""

    nodes: tuple[Node, ...] = field(default_factory=tuple)

    def find(self, name: str) -> Iterator[Node]:
        """Every macro of that name, at any depth, in order."""
        return (node for node in walk(self) if node.name == name)


def walk(markup: Markup) -> Iterator[Node]:
    for node in markup.nodes:
        yield node
        for argument in node.arguments:
            yield from walk(argument)


def parse_markup(text: str, *, markdown: bool = True) -> Markup:
    """Parse documentation text. Never fails: markup that is not closed is text."""
    return _Parser(text, markdown).markup()


class _Parser:
    def __init__(self, text: str, markdown: bool) -> None:
        self.text = text
        self.markdown = markdown
        self.nodes: list[Node] = []
        self.plain: list[str] = []

    def markup(self) -> Markup:
        position = 0
        while position < len(self.text):
            stop = _STOPS.search(self.text, position)
            if stop is None:
                self.plain.append(self.text[position:])
                break
            self.plain.append(self.text[position : stop.start()])
            position = self._special(stop.start())
        self._flush()
        return Markup(tuple(self.nodes))

    def _flush(self) -> None:
        if plain := "".join(self.plain):
            self.nodes.append(Node("text", plain))
        self.plain.clear()

    def _add(self, node: Node, end: int) -> int:
        self._flush()
        self.nodes.append(node)
        return end

    def _keep(self, text: str, end: int) -> int:
        self.plain.append(text)
        return end

    def _special(self, at: int) -> int:
        match self.text[at]:
            case "\\":
                return self._backslash(at)
            case "`":
                return self._backtick(at)
            case "[" | "*" if self.markdown:
                return self._link_or_emphasis(at)
        return self._keep(self.text[at], at + 1)

    def _backslash(self, at: int) -> int:
        if macro := _MACRO.match(self.text, at):
            return self._macro(macro)
        following = self.text[at + 1 : at + 2]
        return self._keep(following or "\\", at + 1 + len(following))

    def _macro(self, macro: re.Match[str]) -> int:
        name, position, option = macro[1], macro.end(), ""
        if self.text[position : position + 1] == "[" and (close := self.text.find("]", position)) > 0:
            option, position = self.text[position + 1 : close], close + 1
        raws: list[str] = []
        while (end := self._argument_end(position, name)) is not None:
            opening = self.text.index("{", position)
            raws.append(self.text[opening + 1 : end - 1])
            position = end
        arguments = tuple(parse_markup(raw, markdown=self.markdown and name not in _R_LIKE) for raw in raws)
        return self._add(Node(name, raws[0] if raws else "", arguments, option), position)

    def _argument_end(self, position: int, name: str) -> int | None:
        """The position after the argument that begins here, if one does.

        Arguments of `\\item` may stand on separate lines; of other macros they are adjacent.
        """
        if name == "item":
            position += len(self.text[position:]) - len(self.text[position:].lstrip())
        if self.text[position : position + 1] != "{":
            return None
        return _closing(self.text, position, quotes=name in _R_LIKE) or _closing(self.text, position, quotes=False)

    def _backtick(self, at: int) -> int:
        if self.markdown and (fence := _FENCE.match(self.text, self.text.rfind("\n", 0, at) + 1)) and fence.end() > at:
            return self._add(Node("preformatted", fence[1]), fence.end())
        if span := _CODE_SPAN.match(self.text, at):
            raw = span[2].strip()
            return self._add(Node("code", raw, (Markup((Node("text", raw),)),)), span.end())
        return self._keep("`", at + 1)

    def _link_or_emphasis(self, at: int) -> int:
        for pattern, group in ((_INLINE_LINK, 1), (_REFERENCE_LINK, 1), (_NAME_LINK, 1), (_EMPHASIS, 2)):
            if found := pattern.match(self.text, at):
                content = found[group].lstrip("=") if pattern is _NAME_LINK else found[group]
                return self._add(Node("link", content, (parse_markup(content),)), found.end())
        return self._keep(self.text[at], at + 1)


_BRACES = re.compile(r"\\[\\{}%]|[{}]", re.DOTALL)
_BRACES_AND_QUOTES = re.compile(r"\\[\\{}%]|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[{}]", re.DOTALL)


def _closing(text: str, start: int, *, quotes: bool) -> int | None:
    """The position after the brace that closes the one at `start`."""
    depth = 0
    for match in (_BRACES_AND_QUOTES if quotes else _BRACES).finditer(text, start):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth == 0:
                return match.end()
    return None
