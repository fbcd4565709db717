"""Roxygen text as a tree: Rd macros, and the inline markdown of roxygen2 where it is on.

`\\code{x}` and `` `x` `` are the same node, so everything after this module sees one kind of markup.
Braces inside quoted strings of `\\code` do not count, as in R's own reader of Rd.

The time is linear in the length of the text, whatever it says: searches are bounded, or their failure is remembered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from rolltop.base.interruption import checkpoint

__all__ = ["Markup", "Node", "parse_markup", "walk"]

_MACRO = re.compile(r"\\([A-Za-z][A-Za-z0-9]*)")
# Lengths are bounded: on text made to be slow, each attempt still ends after a few hundred characters.
_BACKTICKS = re.compile(r"`+")
_INLINE_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]{0,100}\]){1,300})\]\(([^()\s]{1,500})\)")
_REFERENCE_LINK = re.compile(r"\[((?:[^\[\]`]|`[^`]{0,100}`){1,300})\]\[([\w.:()=-]{1,200})\]")
_NAME_LINK = re.compile(r"\[(`?[A-Za-z.][\w.]{0,100}(?:::[\w.]{1,100})?(?:\(\))?`?|=[\w.]{1,100})\](?![\[(])")
_EMPHASIS = re.compile(r"(?<![\w*\\])(\*{1,2})(?=[^\s*])([^*]{1,500}?)(?<=\S)\1(?![\w*])")
_FENCE = re.compile(r"[ \t]*(`{3,10})[ \t]*\{?([\w.+-]*)[^\n`]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_FENCE_LINE = re.compile(r"[ \t]*`{3,10}[ \t]*\{?[\w.+-]*[^\n`]*\n")
_DEEPEST = 40
_LONGEST_CODE = 2000
_LONGEST_OPTION = 200
_LONGEST_INDENT = 100
_CODE_SEARCHES = 20
"""How often the text may be searched for the ends of code, all searches together."""
_STEPS = 1000
"""After so many pieces of markup the reader looks whether anybody still waits."""
_BLANKS = re.compile(r"\s*")
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


def parse_markup(text: str, *, markdown: bool = True, depth: int = 0) -> Markup:
    """Parse documentation text. Never fails: markup that is not closed, or nested absurdly deep, is text."""
    if depth > _DEEPEST:
        return Markup((Node("text", text),))
    return _Parser(text, markdown, depth).markup()


class _Parser:
    def __init__(self, text: str, markdown: bool, depth: int) -> None:
        self.text = text
        self.markdown = markdown
        self.depth = depth
        self.unclosed_backticks: set[int] = set()
        self.unclosed_fences: set[str] = set()
        self.code_left = _CODE_SEARCHES * len(text) + _LONGEST_CODE
        self.nodes: list[Node] = []
        self.plain: list[str] = []

    def markup(self) -> Markup:
        position = steps = 0
        while position < len(self.text):
            steps += 1
            if steps % _STEPS == 0:
                checkpoint()
            stop = _STOPS.search(self.text, position)
            if stop is None:
                self.plain.append(self.text[position:])
                break
            self.plain.append(self.text[position : stop.start()])
            position = self._special(stop.start())
        self._flush()
        return Markup(tuple(self.nodes))

    def _inner(self, text: str, *, markdown: bool) -> Markup:
        return parse_markup(text, markdown=markdown, depth=self.depth + 1)

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
        if (
            self.text[position : position + 1] == "["
            and (close := self.text.find("]", position, position + _LONGEST_OPTION)) > 0
        ):
            option, position = self.text[position + 1 : close], close + 1
        raws: list[str] = []
        while (end := self._argument_end(position, name)) is not None:
            opening = self.text.index("{", position)
            raws.append(self.text[opening + 1 : end - 1])
            position = end
        arguments = tuple(self._inner(raw, markdown=self.markdown and name not in _R_LIKE) for raw in raws)
        return self._add(Node(name, raws[0] if raws else "", arguments, option), position)

    def _argument_end(self, position: int, name: str) -> int | None:
        """The position after the argument that begins here, if one does.

        Arguments of `\\item` may stand on separate lines; of other macros they are adjacent.
        """
        if name == "item":
            blanks = _BLANKS.match(self.text, position)
            assert blanks is not None
            position = blanks.end()
        if self.text[position : position + 1] != "{":
            return None
        quoted = self._closing_in_code(position) if name in _R_LIKE and self.code_left > 0 else None
        return quoted or self._pairs.get(position)

    def _closing_in_code(self, start: int) -> int | None:
        """The position after the brace that closes the one at `start`, where quotes protect braces.

        Only as far as code in documentation goes: beyond that the plain count of braces decides.
        """
        depth, limit = 0, start + _LONGEST_CODE
        for match in _BRACES_AND_QUOTES.finditer(self.text, start, limit):
            if match[0] == "{":
                depth += 1
            elif match[0] == "}":
                depth -= 1
                if depth == 0:
                    self.code_left -= match.end() - start
                    return match.end()
        self.code_left -= _LONGEST_CODE
        return None

    @cached_property
    def _pairs(self) -> dict[int, int]:
        """Every opening brace that is closed, with the position after its partner; found in one pass."""
        pairs: dict[int, int] = {}
        waiting: list[int] = []
        for match in _BRACES.finditer(self.text):
            if match[0] == "{":
                waiting.append(match.start())
            elif match[0] == "}" and waiting:
                pairs[waiting.pop()] = match.end()
        return pairs

    def _backtick(self, at: int) -> int:
        if self.markdown and (fence := self._fence(at)) is not None:
            # The option is never empty: it tells such code from Rd's, where a backslash protects a brace.
            return self._add(Node("preformatted", fence[3], (), fence[2] or "`"), fence.end())
        opening = _BACKTICKS.match(self.text, at)
        assert opening is not None
        closing = self._closing_backticks(opening)
        if closing is None:
            return self._keep(opening[0], opening.end())
        raw = self.text[opening.end() : closing.start()].strip()
        if self.markdown and raw.startswith("r ") and len(opening[0]) == 1:
            return self._add(Node("inline_r", raw), closing.end())
        return self._add(Node("code", raw, (Markup((Node("text", raw),)),)), closing.end())

    def _fence(self, at: int) -> re.Match[str] | None:
        """The block of code whose first backtick is at this position, if it begins a line."""
        line = at
        while line > 0 and self.text[line - 1] in " \t" and at - line < _LONGEST_INDENT:
            line -= 1
        if line > 0 and self.text[line - 1] != "\n":
            return None
        opening = _BACKTICKS.match(self.text, at)
        if opening is None or opening[0] in self.unclosed_fences:
            return None
        fence = _FENCE.match(self.text, line)
        if fence is None and _FENCE_LINE.match(self.text, line):
            self.unclosed_fences.add(opening[0])
        return fence

    def _closing_backticks(self, opening: re.Match[str]) -> re.Match[str] | None:
        """The next run of exactly as many; a length that found none once is not looked for again."""
        length = len(opening[0])
        if length in self.unclosed_backticks:
            return None
        for run in _BACKTICKS.finditer(self.text, opening.end()):
            if len(run[0]) == length:
                return run
        self.unclosed_backticks.add(length)
        return None

    def _link_or_emphasis(self, at: int) -> int:
        for pattern, group in ((_INLINE_LINK, 1), (_REFERENCE_LINK, 1), (_NAME_LINK, 1), (_EMPHASIS, 2)):
            if found := pattern.match(self.text, at):
                content = found[group].lstrip("=") if pattern is _NAME_LINK else found[group]
                return self._add(Node("link", content, (self._inner(content, markdown=True),)), found.end())
        return self._keep(self.text[at], at + 1)


_BRACES = re.compile(r"\\[\\{}%]|[{}]", re.DOTALL)
_BRACES_AND_QUOTES = re.compile(r"\\[\\{}%]|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[{}]", re.DOTALL)
