"""XML to values, on expat: conformant, streaming, with positions, and without entities of the document's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any
from xml.parsers import expat

from rolltop.transform.collector import without_collector
from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.text import MAX_DEPTH, NUMERIC, typed
from rolltop.transform.formats.xml_entities import Mixed, References, decoded
from rolltop.transform.values import TEXT_KEY, Node

__all__ = ["Builder", "Open", "Piece", "parse_document", "read"]

Piece = str | tuple[str, Any]
"""What is inside of an element: text, or the name and value of an element."""
Open = tuple[list[Piece], str, dict[str, str], dict[str, str] | None]
"""An element that is being read: the pieces of the one around it, its name, attributes and namespaces."""


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    """The document: an object whose one property is the root element; the JSON behind it with `json: true`."""
    if options.get("json") is True:
        from rolltop.transform.formats.xml_json import restored  # noqa: PLC0415 - few documents are marked

        return restored(parse_document(data, Builder(keep_leaves=True, texts=True)))
    arrays = frozenset(map(str, options.get("arrays") or ()))
    return parse_document(data, Builder(arrays, texts=options.get("inferTypes") is False))


def parse_document(data: str | bytes, builder: Builder) -> Node:
    """Parse with a builder; the element tree comes out wrapped in the document value."""
    builder.parse(data)
    assert builder.root is not None
    name, value = builder.root
    metadata = {"xmlEncoding": builder.encoding} if builder.encoding else None
    return Node({name: builder.listed(name, value)}, None, None, metadata)


class Builder:
    """Collects expat's events into values.

    `keep_leaves` keeps elements with only text as nodes; schema readers tag those with metadata. `keep_order` keeps
    the order of children whose names take turns: in a schema it says what may follow what. `texts` leaves the text of
    elements as it is: no numbers, and the blanks around it stay.
    """

    shallow = 1
    """Starts and ends of elements that are in fewer others than this are told to `shallow_start` and `shallow_end`."""

    def __init__(
        self,
        arrays: frozenset[str] = frozenset(),
        *,
        keep_leaves: bool = False,
        keep_order: bool = False,
        texts: bool = False,
    ) -> None:
        self.texts = texts
        self.arrays = arrays
        self.keep_leaves = keep_leaves
        self.keep_order = keep_order
        self.root: tuple[str, Any] | None = None
        self.encoding: str | None = None
        self.open: list[Open] = []

    def parse(self, data: str | bytes) -> None:
        if isinstance(data, str):
            data = data.removeprefix("\ufeff")
        if not data.strip():
            raise ReadFailure("XML parse error at 1:1 - the document is empty")
        self.begin()
        with without_collector():
            self.take(decoded(data))
            self.finish()

    def begin(self, encoding: str | None = None) -> None:
        """A document begins: `take` its blocks, then `finish`. An encoding given overrides what the document says."""
        parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        self._start, parser.EndElementHandler, self._characters = self._handlers()
        parser.StartElementHandler, parser.CharacterDataHandler = self._start, self._characters
        parser.XmlDeclHandler = self._declaration
        parser.EntityDeclHandler = self._entity
        self.parser = parser
        self._references, self._shows = References(), False

    def take(self, block: str | bytes) -> None:
        try:
            block = self._references.hide(block)
        except Mixed:
            raise self._refuse(
                "entities that nobody declares, and the control character U+007F besides",
                "Remove that character, or write the references as &amp;name;.",
            ) from None
        if self._references.found and not self._shows:
            parser, self._shows = self.parser, True
            shown = References.shown(self._start, self._characters)
            parser.StartElementHandler, parser.CharacterDataHandler = shown
        self._parse(block, last=False)

    def finish(self) -> None:
        self._parse(self._references.rest(), last=True)

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
        if "mismatched" in reason and self.open:
            return f"<{self.open[-1][1]}> is still open here."
        if "undefined entity" in reason:
            return (
                "Convert the document to UTF-8, or read it as a whole: then such references stay as they are written."
            )
        if "not well-formed" in reason:
            if not self.open and self.root is None:
                return "It does not begin with an element: is it XML?"
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

    def _handlers(self) -> tuple[Callable[..., None], Callable[..., None], Callable[..., None]]:
        """What expat calls. Closures, because there are three calls for most elements of a document."""
        opened, shallow, leaf_of = self.open, self.shallow, self._leaf
        bare = not self.keep_leaves and not self.texts
        pieces: list[Piece] = []

        def start(name: str, attributes: dict[str, str]) -> None:
            nonlocal pieces
            depth = len(opened)
            if depth >= MAX_DEPTH:
                raise self._refuse(f"more than {MAX_DEPTH} levels of nesting", "No real document nests this deep.")
            namespaces = opened[-1][3] if depth else None
            for key in attributes:
                if key[:5] == "xmlns":
                    namespaces = _in_scope(attributes, namespaces)
                    break
            opened.append((pieces, name, attributes, namespaces))
            pieces = []
            if depth < shallow:
                self.shallow_start(name)

        def end(name: str) -> None:
            nonlocal pieces
            outer, _, attributes, namespaces = opened.pop()
            if not pieces:
                value: Any = _node(name, attributes, namespaces)
            elif len(pieces) == 1 and type(pieces[0]) is str:
                text = pieces[0] if self.texts else pieces[0].strip()
                if text and not attributes and bare:
                    value = typed(text) if text[0] in NUMERIC else text
                else:
                    value = leaf_of(text, name, attributes, namespaces)
            else:
                value = self._composed(pieces, name, attributes, namespaces)
            pieces = outer
            if len(opened) < shallow:
                self.shallow_end(name, value, outer)
            else:
                outer.append((name, value))

        def characters(text: str) -> None:
            pieces.append(text)

        return start, end, characters

    def shallow_start(self, name: str) -> None:
        """An element begins near the root."""

    def shallow_end(self, name: str, value: Any, outer: list[Piece]) -> None:
        """An element ends near the root; its value has to be put among the pieces of the one around it."""
        self.root = (name, value)

    def _leaf(self, text: str, name: str, attributes: dict[str, str], namespaces: dict[str, str] | None) -> Any:
        """An element with nothing but text, without the white space around it."""
        if not text:
            return _node(name, attributes, namespaces)
        value = typed(text) if text[0] in NUMERIC and not self.texts else text
        if not attributes and not self.keep_leaves:
            return value
        node = _node(name, attributes, namespaces)
        node[TEXT_KEY] = value
        return node

    def _composed(
        self, pieces: list[Piece], name: str, attributes: dict[str, str], namespaces: dict[str, str] | None
    ) -> Any:
        """An element with elements inside, or with text in several pieces."""
        node, arrays = _node(name, attributes, namespaces), self.arrays
        texts = []
        for piece in pieces:
            if isinstance(piece, str):
                texts.append(piece)
                continue
            key, value = piece
            if key not in node:
                node[key] = value if key not in arrays else [value]
            elif type(present := node[key]) is list:
                present.append(value)
            else:
                node[key] = [present, value]
        text = "".join(texts).strip()
        if len(texts) == len(pieces):
            return self._leaf(text, name, attributes, namespaces)
        if text:
            node[TEXT_KEY] = text
            first = next(at for at, piece in enumerate(pieces) if not (type(piece) is str and piece.isspace()))
            node.content = pieces[first:]
        elif self.keep_order:
            children = [piece for piece in pieces if not isinstance(piece, str)]
            if sum(1 for _ in groupby(children, itemgetter(0))) > len(node):
                node.content = list(children)
        return node

    def listed(self, name: str, value: Any) -> Any:
        """A value under a name that the `arrays` option makes an array even when there is one."""
        return [value] if name in self.arrays else value


def _node(name: str, attributes: dict[str, str], namespaces: dict[str, str] | None) -> Node:
    """An element without properties; the usual way to make one costs three times as much."""
    node = _new(Node)
    node.attributes = attributes
    node.name = name
    node.metadata = namespaces
    node.content = None
    return node


_new = Node.__new__


def _in_scope(attributes: dict[str, str], outer: dict[str, str] | None) -> dict[str, str] | None:
    """The metadata of elements here: the prefixes in scope, `prefix=uri` separated by blanks."""
    own = {
        name.partition(":")[2]: uri for name, uri in attributes.items() if name == "xmlns" or name.startswith("xmlns:")
    }
    if not own:
        return outer
    known = dict(part.split("=", 1) for part in outer["__nsContext"].split(" ")) if outer else {}
    known.update(own)
    return {"__nsContext": " ".join(f"{prefix}={uri}" for prefix, uri in known.items())}
