"""XML to values, on expat: conformant, streaming, with positions, and without entities of the document's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.parsers import expat

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.text import MAX_DEPTH, typed
from rolltop.transform.values import TEXT_KEY, Node

__all__ = ["Builder", "parse_document", "read"]


def read(data: str | bytes, options: Mapping[str, Any]) -> Node:
    """The document: an object whose one property is the root element."""
    arrays = options.get("arrays") or ()
    return parse_document(data, Builder(frozenset(map(str, arrays))))


def parse_document(data: str | bytes, builder: Builder) -> Node:
    """Parse with a builder; the element tree comes out wrapped in the document value."""
    builder.parse(data)
    assert builder.root is not None
    name, value = builder.root
    metadata = {"xmlEncoding": builder.encoding} if builder.encoding else None
    return Node({name: builder.listed(name, value)}, None, None, metadata)


class _Frame:
    """An element that is being read."""

    __slots__ = ("attributes", "children", "elements", "name", "namespaces", "text")

    def __init__(self, name: str, attributes: dict[str, str], namespaces: dict[str, str] | None) -> None:
        self.name = name
        self.attributes = attributes
        self.namespaces = namespaces
        self.children: list[str | tuple[str, Any]] = []
        self.text: list[str] = []
        self.elements = False
        """Whether there are elements among the children."""


class Builder:
    """Collects expat's events into values.

    `keep_leaves` keeps elements with only text as nodes; schema readers tag those with metadata.
    """

    def __init__(self, arrays: frozenset[str] = frozenset(), *, keep_leaves: bool = False) -> None:
        self.arrays = arrays
        self.keep_leaves = keep_leaves
        self.root: tuple[str, Any] | None = None
        self.encoding: str | None = None
        self.stack: list[_Frame] = []

    def parse(self, data: str | bytes) -> None:
        if isinstance(data, str):
            data = data.removeprefix("\ufeff")
        if not data.strip():
            raise ReadFailure("XML parse error at 1:1 - the document is empty")
        self.begin()
        self.take(data)
        self.finish()

    def begin(self) -> None:
        """A document begins: `take` its blocks, then `finish`."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.ordered_attributes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.XmlDeclHandler = self._declaration
        parser.EntityDeclHandler = self._entity
        self.parser = parser

    def take(self, block: str | bytes) -> None:
        self._parse(block, last=False)

    def finish(self) -> None:
        self._parse(b"", last=True)

    def _parse(self, block: str | bytes, *, last: bool) -> None:
        try:
            self.parser.Parse(block, last)
        except expat.ExpatError as error:
            line, column = self.place(error.lineno, error.offset)
            reason = expat.errors.messages[error.code] if error.code in expat.errors.messages else str(error)
            raise ReadFailure(
                f"XML parse error at {line}:{column + 1} - {reason}", line, column + 1, hint=self._hint(reason)
            ) from None
        except (ValueError, LookupError, UnicodeError) as error:
            raise ReadFailure(f"XML parse error at 1:1 - {error}", hint="Check the declared encoding.") from None

    def place(self, line: int, column: int) -> tuple[int, int]:
        """Where in the document the parser is, when it is at this line and column of what it was given."""
        return line, column

    def _hint(self, reason: str) -> str | None:
        if "mismatched" in reason and self.stack:
            return f"<{self.stack[-1].name}> is still open here."
        if "undefined entity" in reason:
            return "Only &amp; &lt; &gt; &quot; &apos; and numeric references exist without a document type."
        if "not well-formed" in reason:
            return "A bare & or < in text must be written &amp; or &lt;."
        return None

    def _refuse(self, message: str, hint: str) -> ReadFailure:
        line, column = self.place(self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber)
        return ReadFailure(f"XML parse error at {line}:{column + 1} - {message}", line, column + 1, hint=hint)

    def _entity(self, name: str, *rest: Any) -> None:
        raise self._refuse(
            f"the document declares an entity ({name[:40]}), which is refused",
            "Entities of a document's own can read files and fill memory; expand them before.",
        )

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        self.encoding = encoding

    def _start(self, name: str, pairs: list[str]) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise self._refuse(f"more than {MAX_DEPTH} levels of nesting", "No real document nests this deep.")
        if not pairs:
            outer = self.stack[-1].namespaces if self.stack else None
            self.stack.append(_Frame(name, {}, outer))
            return
        attributes = dict(zip(pairs[::2], pairs[1::2], strict=True))
        self.stack.append(_Frame(name, attributes, self._namespaces(attributes)))

    def _namespaces(self, attributes: dict[str, str]) -> dict[str, str] | None:
        """The metadata of elements here: the prefixes in scope, `prefix=uri` separated by blanks."""
        outer = self.stack[-1].namespaces if self.stack else None
        own = {
            name.partition(":")[2]: uri
            for name, uri in attributes.items()
            if name == "xmlns" or name.startswith("xmlns:")
        }
        if not own:
            return outer
        known = dict(part.split("=", 1) for part in outer["__nsContext"].split(" ")) if outer else {}
        known.update(own)
        return {"__nsContext": " ".join(f"{prefix}={uri}" for prefix, uri in known.items())}

    def _characters(self, text: str) -> None:
        frame = self.stack[-1]
        frame.text.append(text)
        if frame.children or not text.isspace():
            frame.children.append(text)

    def _end(self, name: str) -> None:
        frame = self.stack.pop()
        value = self._value(frame)
        if self.stack:
            outer = self.stack[-1]
            outer.children.append((name, value))
            outer.elements = True
        else:
            self.root = (name, value)

    def _value(self, frame: _Frame) -> Any:
        text = "".join(frame.text).strip()
        if not frame.elements:
            if not text:
                return Node((), frame.attributes, frame.name, frame.namespaces)
            if not frame.attributes and not self.keep_leaves:
                return typed(text)
            return Node({TEXT_KEY: typed(text)}, frame.attributes, frame.name, frame.namespaces)
        node = Node((), frame.attributes, frame.name, frame.namespaces)
        for child in frame.children:
            if not isinstance(child, str):
                self._add(node, *child)
        if text:
            node[TEXT_KEY] = text
            node.content = frame.children
        return node

    def _add(self, node: Node, name: str, value: Any) -> None:
        present = node.get(name)
        if present is None and name not in node:
            node[name] = self.listed(name, value)
        elif type(present) is list:
            present.append(value)
        else:
            node[name] = [present, value]

    def listed(self, name: str, value: Any) -> Any:
        """A value under a name that the `arrays` option makes an array even when there is one."""
        return [value] if name in self.arrays else value
