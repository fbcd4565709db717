"""XML elements from text, and their canonical form (C14N)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit
from xml.parsers import expat

from lxml import etree

from rolltop.transform.errors import WriteFailure, fail
from rolltop.transform.formats.xml_write import element_text
from rolltop.transform.values import TEXT_KEY, Node, kind_of, scalar_text

__all__ = [
    "ALGORITHMS",
    "canonical",
    "canonical_subset",
    "element_of",
    "name_of",
    "namespaces_of",
    "parse_tree",
    "physical",
    "split_name",
    "text_of",
    "uri_of",
    "xml_text",
]

XML_URI = "http://www.w3.org/XML/1998/namespace"


def element_of(value: Any, function: str) -> Node:
    """An element that knows its name; a document stands for its root element."""
    found = _root_of(value)
    if not isinstance(found, Node) or found.name is None:
        fail(
            f"{function} needs an XML element, not {_described(value)}",
            hint="An element with text and no attribute is read as that text and has no name of its own.",
        )
    return found


def _root_of(value: Any) -> Any:
    if isinstance(value, dict) and getattr(value, "name", None) is None and len(value) == 1:
        return next(iter(value.values()))
    return value


def _described(value: Any) -> str:
    return "an object without an element name" if isinstance(value, dict) else f"a value of type {kind_of(value)}"


def name_of(element: Node) -> str:
    return element.name or ""


def split_name(name: str) -> tuple[str, str]:
    """Prefix (or "") and local name."""
    prefix, colon, local = name.partition(":")
    return (prefix, local) if colon else ("", name)


def namespaces_of(element: Node) -> dict[str, str]:
    """Prefixes in scope of an element and what they stand for; "" is the default namespace."""
    known = (element.metadata or {}).get("__nsContext", "")
    scope = dict(part.split("=", 1) for part in known.split(" ")) if known else {}
    return scope | declared_on(element)


def declared_on(element: Node) -> dict[str, str]:
    return {
        name.partition(":")[2]: uri
        for name, uri in element.attributes.items()
        if name == "xmlns" or name.startswith("xmlns:")
    }


def uri_of(prefix: str, namespaces: dict[str, str]) -> str:
    return XML_URI if prefix == "xml" else namespaces.get(prefix, "")


def text_of(value: Any) -> str:
    """All text in a value, in document order."""
    if isinstance(value, list):
        return "".join(map(text_of, value))
    if isinstance(value, dict):
        content = getattr(value, "content", None)
        if content is not None:
            return "".join(piece if isinstance(piece, str) else text_of(piece[1]) for piece in content)
        return "".join(map(text_of, value.values()))
    return "" if value is None else scalar_text(value) or ""


def xml_text(value: Any) -> str | None:
    """XML without added white space, with every namespace in scope declared; None when it is no element."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return None
    try:
        if isinstance(value, Node) and value.name is not None:
            return element_text(value.name, _self_contained(value))
        if len(value) == 1 and TEXT_KEY not in value:
            name, root = next(iter(value.items()))
            return None if isinstance(root, list) else element_text(name, root)
    except WriteFailure:
        return None
    return None


def _self_contained(element: Node) -> Node:
    """An element that was taken out of its document, with the declarations that it inherited."""
    declarations = {f"xmlns:{prefix}" if prefix else "xmlns": uri for prefix, uri in namespaces_of(element).items()}
    return Node(element, declarations | element.attributes, element.name, element.metadata, element.content)


_C14N, _EXC = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315", "http://www.w3.org/2001/10/xml-exc-c14n#"
_C14N11, _PHYSICAL = "http://www.w3.org/2006/12/xml-c14n11", "http://santuario.apache.org/c14n/physical"

ALGORITHMS: dict[str, str] = {
    "c14n": _C14N,
    "c14nwithcomments": _C14N + "#WithComments",
    "excc14n": _EXC,
    "excc14nwithcomments": _EXC + "WithComments",
    "c14n11": _C14N11,
    "c14n11withcomments": _C14N11 + "#WithComments",
    "c14nphysical": _PHYSICAL,
    "physical": _PHYSICAL,
}
"""Short names, in lower case and without hyphens, and the identifiers that signatures use."""
_IDENTIFIERS = frozenset(ALGORITHMS.values())


def identifier(name: str) -> str | None:
    """The identifier of an algorithm from it or from a short name (`c14n`, `exc-c14n`, `c14n11WithComments`)."""
    if name in _IDENTIFIERS:
        return name
    return ALGORITHMS.get(name.lower().replace("-", "").replace("_", ""))


def parse_tree(text: str) -> Any | None:
    """The root element of an XML text, or None. No network, no external entities, no entity bombs."""
    parser = etree.XMLParser(no_network=True, load_dtd=False, huge_tree=False, remove_blank_text=False)
    try:
        return etree.fromstring(_undeclared(text).encode("utf-8", "surrogatepass"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _undeclared(text: str) -> str:
    """Text is Unicode whatever encoding its declaration names."""
    text = text.removeprefix("\ufeff")
    return text[text.index("?>") + 2 :].lstrip() if text.startswith("<?xml ") and "?>" in text else text


def canonical(value: Any, algorithm: str, prefixes: Sequence[str] = ()) -> str | None:
    """The canonical form; None when the value is no well-formed XML."""
    text = xml_text(value)
    root = parse_tree(text) if text is not None else None
    if root is None:
        return None
    if algorithm == _PHYSICAL:
        return physical(_undeclared(text or ""))
    return _serialized(root.getroottree(), algorithm, prefixes)


def _serialized(node: Any, algorithm: str, prefixes: Sequence[str] = ()) -> str | None:
    exclusive = algorithm.startswith(_EXC)
    try:
        made: bytes = etree.tostring(
            node,
            method="c14n",
            exclusive=exclusive,
            with_comments=algorithm.endswith("WithComments"),
            inclusive_ns_prefixes=[scalar_text(name) or "" for name in prefixes] if exclusive and prefixes else None,
        )
    except (etree.C14NError, ValueError):
        relative = next((uri for uri in _namespaces(node) if not urlsplit(uri).scheme), None)
        if relative is None:
            return None
        fail(
            f"the namespace {relative[:60]!r} is relative, and canonical XML has none such",
            hint="Declare a whole one, such as urn:example:orders.",
        )
    return made.decode()


def _namespaces(node: Any) -> Iterator[str]:
    return (uri for element in node.iter("*") for uri in element.nsmap.values())


def canonical_subset(value: Any, xpath: str, algorithm: str) -> str | None:
    """The canonical forms of the elements that an XPath selects, one after the other."""
    text = xml_text(value)
    root = parse_tree(text) if text is not None else None
    if root is None:
        return None
    names = {prefix: uri for element in root.iter("*") for prefix, uri in element.nsmap.items() if prefix}
    try:
        selected = root.xpath(xpath, namespaces=names)
    except (etree.XPathError, ValueError) as error:
        fail(f"the XPath {xpath[:80]!r} cannot be used: {error}", hint="For example //item[@id='1'].")
    if not isinstance(selected, list):
        fail(f"the XPath {xpath[:80]!r} selects no elements", hint="For example //item.")
    elements = [node for node in selected if isinstance(node, etree._Element)]
    return "".join(_apex(element, algorithm) or "" for element in elements)


def _apex(element: Any, algorithm: str) -> str | None:
    """One subtree. Inclusive forms pull `xml:` attributes of ancestors down to the top element."""
    if algorithm == _PHYSICAL:
        return physical(etree.tostring(element, encoding="unicode", with_tail=False))
    if not algorithm.startswith(_EXC):
        for name, inherited in _inherited(element, algorithm).items():
            element.set(name, inherited)
    return _serialized(element, algorithm)


def _inherited(element: Any, algorithm: str) -> dict[str, str]:
    mark = f"{{{XML_URI}}}"
    found: dict[str, str] = {}
    base = ""
    for ancestor in [*reversed(list(element.iterancestors())), element]:
        found.update({name: text for name, text in ancestor.attrib.items() if name.startswith(mark)})
        base = urljoin(base, ancestor.get(mark + "base", ""))
    if algorithm.startswith(_C14N11):
        # Version 1.1 does not pass ids on, and joins bases instead of taking the nearest.
        found.pop(mark + "id", None)
        if base:
            found[mark + "base"] = base
    return found


_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;"})
_VALUE = str.maketrans({"&": "&amp;", "<": "&lt;", '"': "&quot;", "\t": "&#x9;", "\n": "&#xA;", "\r": "&#xD;"})


def physical(text: str) -> str:
    """Sorted attributes and full end tags, but namespace declarations and comments just as they stand."""
    parts: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: parts.append(_start_tag(name, attributes))
    parser.EndElementHandler = lambda name: parts.append(f"</{name}>")
    parser.CharacterDataHandler = lambda data: parts.append(data.translate(_TEXT))
    parser.CommentHandler = lambda data: parts.append(f"<!--{data}-->")
    parser.ProcessingInstructionHandler = lambda target, data: parts.append(f"<?{target}{' ' if data else ''}{data}?>")
    parser.Parse(text, True)
    return "".join(parts)


def _start_tag(name: str, attributes: dict[str, str]) -> str:
    ordered = sorted(attributes.items(), key=lambda pair: (not pair[0].startswith("xmlns"), pair[0]))
    shown = "".join(f' {key}="{value.translate(_VALUE)}"' for key, value in ordered)
    return f"<{name}{shown}>"
