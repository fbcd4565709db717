"""XML text as tokens, for functions that rewrite markup and leave the rest exactly as it is.

The text is checked by a real parser first, so the cutting here may rely on well-formedness.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.xml.canonical_form import parse_tree

__all__ = ["Element", "Token", "attributes_of", "name_in", "tokens", "tree", "with_attributes"]

Kind = Literal["start", "empty", "end", "text", "cdata", "other"]


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str


@dataclass(slots=True)
class Element:
    """A start tag, what is inside, and the end tag ("" when the start tag closes itself)."""

    start: Token
    children: list[Element | Token] = field(default_factory=list)
    end: str = ""


_QUOTED = r"(?:[^<>\"']|\"[^\"]*\"|'[^']*')"
_TOKEN = re.compile(
    rf"(?P<other><!--.*?-->|<\?.*?\?>|<!DOCTYPE(?:[^\[>]|\[.*?\]\s*(?=>))*>)|(?P<cdata><!\[CDATA\[.*?\]\]>)"
    rf"|(?P<end></[^>]*>)|(?P<start><{_QUOTED}*>)|(?P<text>[^<]+)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([^\s=<>"'/]+)\s*=\s*("[^"]*"|'[^']*')""")
_NAME = re.compile(r"</?\s*([^\s/>]+)")


def tokens(text: str, function: str) -> Iterator[Token]:
    """The tokens of a well-formed text; others are refused."""
    if parse_tree(text) is None:
        fail(f"{function}: the XML is not well-formed", hint="Check it with parseXml, which says where it goes wrong.")
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "start" and match[0].endswith("/>"):
            kind = "empty"
        yield Token(kind, match[0])  # type: ignore[arg-type]


def name_in(tag: str) -> str:
    match = _NAME.match(tag)
    return match[1] if match else ""


def attributes_of(tag: str) -> list[tuple[str, str]]:
    """Names and values (still in their quotes) of a start tag."""
    inside = tag[len(name_in(tag)) + 1 :]
    return [(match[1], match[2]) for match in _ATTRIBUTE.finditer(inside)]


def with_attributes(tag: str, name: str, attributes: list[tuple[str, str]]) -> str:
    """A start tag with the same closing under another name and with other attributes."""
    shown = "".join(f" {key}={value}" for key, value in attributes)
    return f"<{name}{shown}{'/>' if tag.endswith('/>') else '>'}"


def tree(text: str, function: str) -> list[Element | Token]:
    """What stands at the top of a document: one element, and what is around it."""
    top: list[Element | Token] = []
    open_: list[Element] = []
    for token in tokens(text, function):
        into = open_[-1].children if open_ else top
        if token.kind == "end":
            open_.pop().end = token.text
        elif token.kind in ("start", "empty"):
            element = Element(token)
            into.append(element)
            if token.kind == "start":
                open_.append(element)
        else:
            into.append(token)
    return top
