"""The inline elements of pandoc's tree as typst markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rolltop.reports.typeset.limits import FORMULAS, CannotSet, refuse_raw
from rolltop.reports.typeset.markup import length, literal, text
from rolltop.reports.typeset.pictures import as_svg

__all__ = ["Images", "Inlines", "plain_text"]

Node = Mapping[str, Any]

_REMOTE = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)


class Images:
    """The pictures that a page shows, as SVG, under names of our own; those from the network are left out."""

    def __init__(self, find: Callable[[str], bytes | None]) -> None:
        self._find = find
        self.used: dict[str, str] = {}

    def place(self, target: str) -> str | None:
        data = self._find(target)
        if data is None and _REMOTE.match(target):
            return None
        if data is None:
            raise CannotSet(f"the picture {target} was not found")
        drawing = as_svg(data)
        if drawing is None:
            raise CannotSet(f"the picture {target} is of a kind that typst does not show")
        name = f"image-{len(self.used) + 1}.svg"
        self.used[name] = drawing
        return name


class Inlines:
    """Writes sequences of inline elements."""

    def __init__(self, images: Images, blocks: Callable[[Sequence[Node]], str]) -> None:
        self._images = images
        self._blocks = blocks

    def write(self, nodes: Sequence[Node]) -> str:
        return "".join(self._one(node) for node in nodes)

    def _one(self, node: Node) -> str:
        kind: str = node["t"]
        content: Any = node.get("c")
        if kind in _WRAPPERS:
            return f"#{_WRAPPERS[kind]}[{self.write(content)}]"
        match kind:
            case "Str":
                return text(content)
            case "Space" | "SoftBreak":
                return " "
            case "LineBreak":
                return " \\\n"
            case "Code":
                return f"#raw({literal(content[1])})"
            case "Math":
                raise CannotSet(FORMULAS)
            case "RawInline":
                refuse_raw(content[0])
            case "Quoted":
                left, right = _QUOTES[content[0]["t"]]
                return f"{left}{self.write(content[1])}{right}"
            case "Span" | "Cite":
                return self.write(content[1])
            case "Link":
                return self._link(content)
            case "Image":
                return self._image(content)
            case "Note":
                return f"#footnote[{self._blocks(content).strip()}]"
        return ""  # raw HTML means nothing here

    def _link(self, content: Sequence[Any]) -> str:
        words = self.write(content[1])
        # typst cannot make a link of nothing visible, such as a soft hyphen.
        visible = "#picture" in words or any(c.isprintable() and not c.isspace() for c in plain_text(content[1]))
        return f"#link({literal(content[2][0])})[{words}]" if visible else words

    def _image(self, content: Sequence[Any]) -> str:
        target = content[2][0]
        name = self._images.place(target)
        if name is None:
            return f"#emph[{text(f'[image: {target}]')}]"
        width = length(dict(content[0][2]).get("width", ""))
        sized = f", width: {width}" if width else ""
        return f"#picture({literal(name)}, {literal(plain_text(content[1]))}{sized})"


_QUOTES = {"SingleQuote": ("\u2018", "\u2019"), "DoubleQuote": ("\u201c", "\u201d")}

_WRAPPERS = {
    "Emph": "emph",
    "Strong": "strong",
    "Underline": "underline",
    "Strikeout": "strike",
    "Superscript": "super",
    "Subscript": "sub",
    "SmallCaps": "smallcaps",
}


def plain_text(nodes: Sequence[Node]) -> str:
    """The words of inline elements without their looks."""
    words = []
    for node in nodes:
        content: Any = node.get("c")
        if node["t"] == "Str":
            words.append(content)
        elif node["t"] in ("Space", "SoftBreak", "LineBreak"):
            words.append(" ")
        elif node["t"] in ("Code", "Math"):
            words.append(content[1])
        elif node["t"] in _WRAPPERS:
            words.append(plain_text(content))
        elif node["t"] in ("Quoted", "Span", "Cite", "Link"):
            words.append(plain_text(content[1]))
    return "".join(words)
