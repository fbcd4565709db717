"""A page for typst from pandoc's JSON: the block elements, the head, the look."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rolltop.reports.typeset.inlines import Images, Inlines, Node
from rolltop.reports.typeset.limits import refuse_raw
from rolltop.reports.typeset.markup import literal
from rolltop.reports.typeset.tables import Tables

__all__ = ["Page", "write_page"]

LOOK = """\
#set page(margin: 2.4cm, numbering: "1")
#set text(size: 10.5pt)
#set par(justify: true)
#show heading: set block(above: 1.4em, below: 0.8em)
#show raw.where(block: true): it => block(fill: luma(246), inset: 8pt, radius: 3pt, width: 100%, it)
#show link: set text(fill: rgb("#1a5fb4"))
#let picture(path, alt, width: auto) = if type(width) == ratio { box(image(path, alt: alt, width: width)) } else {
  layout(space => {
    let drawing = image(path, alt: alt, width: width)
    if measure(drawing).width > space.width { image(path, alt: alt, width: 100%) } else { drawing }
  })
}
"""


_SIDES = {"flushleft": "left", "center": "center", "flushright": "right"}
"""Classes of LaTeX's environments that say where a block stands."""


@dataclass(frozen=True, slots=True)
class Page:
    """Markup and the pictures it names."""

    markup: str
    images: Mapping[str, str]


def write_page(tree: bytes, find_image: Callable[[str], bytes | None]) -> Page:
    """The page for a document tree as `pandoc --to json` writes it; `CannotSet` when typst would not show all of it."""
    document = json.loads(tree)
    images = Images(find_image)
    writer = _Blocks(images)
    return Page(f"{LOOK}\n{writer.head(document['meta'])}\n{writer.write(document['blocks'])}", images.used)


class _Blocks:
    def __init__(self, images: Images) -> None:
        self.inlines = Inlines(images, self.write)
        self.tables = Tables(self.inlines, self.write)
        self._writers: dict[str, Callable[[Any], str]] = {
            "Plain": self._plain,
            "Para": self._para,
            "Header": self._header,
            "CodeBlock": self._codeblock,
            "BlockQuote": self._blockquote,
            "BulletList": self._bulletlist,
            "OrderedList": self._orderedlist,
            "DefinitionList": self._definitionlist,
            "LineBlock": self._lineblock,
            "HorizontalRule": self._horizontalrule,
            "Table": self.tables.write,
            "Div": self._div,
            "Figure": self._figure,
            "RawBlock": self._rawblock,
        }

    def write(self, nodes: Sequence[Node]) -> str:
        return "\n".join(self._one(node) for node in nodes)

    def _one(self, node: Node) -> str:
        write = self._writers.get(node["t"])
        return write(node.get("c")) if write else ""  # raw HTML means nothing here

    def _plain(self, inlines: Any) -> str:
        return self.inlines.write(inlines) + "\n"

    def _para(self, inlines: Any) -> str:
        body = self.inlines.write(inlines)
        if len(inlines) == 1 and inlines[0]["t"] == "Image" and inlines[0]["c"][2][1].startswith("fig:"):
            return _captioned(body, self.inlines.write(inlines[0]["c"][1]))  # pandoc 2
        return body + "\n\n"

    def _header(self, content: Any) -> str:
        return f"#heading(level: {int(content[0])})[{self.inlines.write(content[2])}]\n"

    def _codeblock(self, content: Any) -> str:
        (_, classes, _), source = content
        language = next(iter(classes), "")
        named = f", lang: {literal(language)}" if language.isalnum() else ""
        return f"#raw({literal(source)}, block: true{named})\n"

    def _blockquote(self, blocks: Any) -> str:
        return f"#quote(block: true)[{self.write(blocks)}]\n"

    def _bulletlist(self, items: Any) -> str:
        return f"#list({self._items(items)})\n"

    def _orderedlist(self, content: Any) -> str:
        return f"#enum(start: {int(content[0][0])}, {self._items(content[1])})\n"

    def _definitionlist(self, items: Any) -> str:
        return "".join(self._term(term, meanings) for term, meanings in items)

    def _lineblock(self, lines: Any) -> str:
        return " \\\n".join(self.inlines.write(line) for line in lines) + "\n\n"

    def _horizontalrule(self, _: Any) -> str:
        return "#line(length: 100%, stroke: 0.5pt + gray)\n"

    def _div(self, content: Any) -> str:
        body = self.write(content[1])
        side = next((_SIDES[name] for name in content[0][1] if name in _SIDES), None)
        return f"#align({side})[{body}]\n" if side else body

    def _figure(self, content: Any) -> str:
        return _captioned(self.write(content[2]), self.write(content[1][1]).strip())  # pandoc 3

    def _rawblock(self, content: Any) -> str:
        refuse_raw(content[0])
        return ""

    def _items(self, items: Sequence[Sequence[Node]]) -> str:
        return ", ".join(f"[{self.write(item).strip()}]" for item in items)

    def _term(self, term: Sequence[Node], meanings: Sequence[Sequence[Node]]) -> str:
        body = "\n".join(self.write(meaning).strip() for meaning in meanings)
        return f"#terms.item[{self.inlines.write(term)}][{body}]\n"

    def head(self, meta: Mapping[str, Any]) -> str:
        lines = []
        if title := self._meta(meta.get("title")):
            lines.append(f"#text(size: 20pt, weight: 700)[{title}]")
        if subtitle := self._meta(meta.get("subtitle")):
            lines.append(f"#text(size: 13pt)[{subtitle}]")
        lines += [part for key in ("author", "date") if (part := self._meta(meta.get(key)))]
        if not lines:
            return ""
        head = f"#align(center)[{' #linebreak() '.join(lines)}]\n#v(1em)\n"
        if abstract := self._meta(meta.get("abstract")):
            head += f"#block(inset: (x: 2em))[*Abstract.* {abstract}]\n"
        return head

    def _meta(self, value: Node | None) -> str:
        if value is None:
            return ""
        match value["t"]:
            case "MetaInlines":
                return self.inlines.write(value["c"])
            case "MetaBlocks":
                return self.write(value["c"]).strip()
            case "MetaString":
                return self.inlines.write([{"t": "Str", "c": value["c"]}])
            case "MetaList":
                return ", ".join(filter(None, map(self._meta, value["c"])))
        return ""


def _captioned(body: str, caption: str) -> str:
    return f"#figure([{body}], caption: [{caption}])\n" if caption else body + "\n\n"
