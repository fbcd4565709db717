"""What XML functions need to know of element values: names, namespaces, text, and their form as XML text."""

from __future__ import annotations

from typing import Any

from rolltop.transform.errors import WriteFailure, fail
from rolltop.transform.formats.xml_write import element_text
from rolltop.transform.values import TEXT_KEY, Node, kind_of, scalar_text

__all__ = ["element_of", "name_of", "namespaces_of", "split_name", "text_of", "uri_of", "xml_text"]

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
