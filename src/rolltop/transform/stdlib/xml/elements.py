"""Questions to an XML element: name, attributes, namespace, position, path."""

from __future__ import annotations

from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.xml.ancestry import place_of
from rolltop.transform.stdlib.xml.canonical_form import (
    declared_on,
    element_of,
    name_of,
    namespaces_of,
    split_name,
    text_of,
    uri_of,
)
from rolltop.transform.values import TEXT_KEY, Node, scalar_text

_EL = 'parseXml("<n:a xmlns:n=\\"urn:n\\" i=\\"1\\"><b/>x<b/></n:a>")'
_QNAME = "{ localName: String, prefix: String, namespaceUri: String, qualifiedName: String }"


@function("localName(el: Any): String", category="serialization", examples=[(f"localName({_EL})", '"a"')])
def local_name(el: Any) -> str:
    """The name of an element without its prefix."""
    return split_name(name_of(element_of(el, "localName")))[1]


@function("namespaceUri(el: Any): String", category="serialization", examples=[(f"namespaceUri({_EL})", '"urn:n"')])
def namespace_uri(el: Any) -> str:
    """The namespace that an element is in; empty when it is in none."""
    element = element_of(el, "namespaceUri")
    return uri_of(split_name(name_of(element))[0], namespaces_of(element))


@function(
    "namespacePrefix(el: Any): String",
    category="serialization",
    examples=[(f"namespacePrefix({_EL})", '"n"'), ('namespacePrefix(parseXml("<a/>"))', '""')],
)
def namespace_prefix(el: Any) -> str:
    """The prefix of an element's name; empty when it has none."""
    return split_name(name_of(element_of(el, "namespacePrefix")))[0]


@function("qualifiedName(el: Any): String", category="serialization", examples=[(f"qualifiedName({_EL})", '"n:a"')])
def qualified_name(el: Any) -> str:
    """The name of an element as it is written, with its prefix."""
    return name_of(element_of(el, "qualifiedName"))


@function(
    "hasNamespace(el: Any): Boolean",
    category="serialization",
    examples=[(f"hasNamespace({_EL})", "true"), ('hasNamespace(parseXml("<a/>"))', "false")],
)
def has_namespace(el: Any) -> bool:
    """Whether an element is in a namespace."""
    return bool(namespace_uri(el))


@function(
    "getNamespaces(el: Any): Map<String>",
    category="serialization",
    examples=[(f"getNamespaces({_EL})", '{n: "urn:n"}')],
)
def get_namespaces(el: Any) -> dict[str, str]:
    """The namespaces that an element itself declares, by prefix; the default one has the key ""."""
    return declared_on(element_of(el, "getNamespaces"))


def _qname(local: str, uri: str, prefix: str) -> dict[str, str]:
    return {
        "localName": local,
        "prefix": prefix,
        "namespaceUri": uri,
        "qualifiedName": f"{prefix}:{local}" if prefix else local,
    }


@function(
    f"resolveQname(name: String, context: Any): {_QNAME}",
    category="serialization",
    examples=[
        (
            f'resolveQname("n:x", {_EL})',
            '{localName: "x", prefix: "n", namespaceUri: "urn:n", qualifiedName: "n:x"}',
        ),
        (f'resolveQname("z:x", {_EL})', "error: not declared"),
    ],
    params={"context": "An element whose namespaces are in scope, or an object {prefix: uri}"},
)
def resolve_qname(name: str, context: Any) -> dict[str, str]:
    """What a prefixed name means at an element."""
    prefix, local = split_name(name)
    declared_only = isinstance(context, dict) and not isinstance(context, Node)
    scope = context if declared_only else namespaces_of(element_of(context, "resolveQname"))
    if prefix and prefix != "xml" and prefix not in scope:
        fail(f"the prefix {prefix[:40]!r} is not declared there", hint="Check the xmlns attributes of the element.")
    return _qname(local, uri_of(prefix, scope), prefix)


@function(
    f"createQname(local: String, uri: String, prefix?: String): {_QNAME}",
    category="serialization",
    examples=[('createQname("x", "urn:n", "n").qualifiedName', '"n:x"')],
)
def create_qname(local: str, uri: str, prefix: str = "") -> dict[str, str]:
    """A qualified name from its parts."""
    return _qname(local, uri, prefix)


@function(
    "matchesQname(el: Any, name: String | Object): Boolean",
    category="serialization",
    examples=[
        (f'matchesQname({_EL}, "n:a")', "true"),
        (f'matchesQname({_EL}, createQname("a", "urn:n", "other"))', "true"),
        (f'matchesQname({_EL}, "{{urn:n}}a")', "true"),
    ],
    params={"name": "The name as written, {uri}local, or what createQname and resolveQname give"},
)
def matches_qname(el: Any, name: str | dict[str, Any]) -> bool:
    """Whether an element has a name: the same text, or the same local name and namespace."""
    element = element_of(el, "matchesQname")
    if isinstance(name, dict):
        return (local_name(element), namespace_uri(element)) == (name.get("localName"), name.get("namespaceUri", ""))
    if name.startswith("{"):
        return name == f"{{{namespace_uri(element)}}}{local_name(element)}"
    return name == name_of(element)


@function(
    "nodeType(v: Any): String",
    category="serialization",
    examples=[
        (f"nodeType({_EL})", '"document"'),
        (f'nodeType({_EL}["n:a"])', '"element"'),
        ('nodeType("x")', '"text"'),
    ],
)
def node_type(v: Any) -> str:
    """document, element, text, array, object or null."""
    if isinstance(v, Node):
        return "document" if v.name is None and not v.attributes and len(v) == 1 else "element"
    if isinstance(v, list):
        return "array"
    if isinstance(v, dict):
        return "object"
    return "null" if v is None else "text"


@function(
    "textContent(v: Any): String",
    category="serialization",
    examples=[('textContent(parseXml("<a>one <b>two</b> three</a>"))', '"one two three"'), ("textContent(5)", '"5"')],
)
def text_content(v: Any) -> str:
    """All text inside an element, in order; the text of a scalar."""
    return text_of(v)


@function("attributes(el: Any): Map<String>", category="serialization", examples=[(f"attributes({_EL})", '{i: "1"}')])
def attributes(el: Any) -> dict[str, str]:
    """The attributes of an element by name, without namespace declarations."""
    return {name: text for name, text in _attributes(el).items() if name != "xmlns" and not name.startswith("xmlns:")}


def _attributes(el: Any) -> dict[str, str]:
    """Also of values that are no elements: an element without attributes is read as its text."""
    if isinstance(el, Node) and (el.name is not None or el.attributes):
        return el.attributes
    if isinstance(el, dict) and len(el) == 1:
        return getattr(next(iter(el.values())), "attributes", {})
    return {}


@function(
    "attribute(el: Any, name: String): String?",
    category="serialization",
    examples=[(f'attribute({_EL}, "i")', '"1"'), (f'attribute({_EL}, "none")', "null")],
)
def attribute(el: Any, name: str) -> str | None:
    """One attribute of an element, or null."""
    return _attributes(el).get(name.removeprefix("@"))


@function(
    "hasAttribute(el: Any, name: String): Boolean",
    category="serialization",
    examples=[(f'hasAttribute({_EL}, "i")', "true")],
)
def has_attribute(el: Any, name: str) -> bool:
    """Whether an element has an attribute."""
    return name.removeprefix("@") in _attributes(el)


def _properties(el: Any) -> dict[str, Any]:
    """The children of an element by name; a document stands for its root."""
    if isinstance(el, Node) and el.name is None and not el.attributes and len(el) == 1:
        el = next(iter(el.values()))
    if not isinstance(el, dict):
        return {}
    return {name: child for name, child in el.items() if name not in (TEXT_KEY, "#text")}


@function(
    "childCount(el: Any): Integer",
    category="serialization",
    examples=[(f"childCount({_EL})", "2"), ("childCount([1, 2, 3])", "3"), ('childCount("text")', "0")],
)
def child_count(el: Any) -> int:
    """How many child elements an element has; the length of an array."""
    if isinstance(el, list):
        return len(el)
    return sum(len(child) if isinstance(child, list) else 1 for child in _properties(el).values())


@function("childNames(el: Any): Array<String>", category="serialization", examples=[(f"childNames({_EL})", '["b"]')])
def child_names(el: Any) -> list[str]:
    """The different names of an element's children, in order."""
    return list(_properties(el))


@function(
    "isEmptyElement(el: Any): Boolean",
    category="serialization",
    examples=[('isEmptyElement(parseXml("<a/>").a)', "true"), ('isEmptyElement(parseXml("<a>x</a>").a)', "false")],
)
def is_empty_element(el: Any) -> bool:
    """Whether an element has neither children nor text; attributes do not count."""
    return not has_content(el)


@function(
    "hasContent(v: Any): Boolean",
    category="serialization",
    examples=[
        ('hasContent(parseXml("<a><b/></a>").a)', "true"),
        ('hasContent("")', "false"),
        ("hasContent([])", "false"),
    ],
)
def has_content(v: Any) -> bool:
    """Whether an element has children or text, an array elements, a text characters."""
    if isinstance(v, (dict, list, bytes)):
        return bool(v)
    return v is not None and scalar_text(v) != ""


def _is_document(value: Any) -> bool:
    return isinstance(value, Node) and value.name is None


@function("parent(el: Any): Any", category="serialization", examples=[('parent(parseXml("<a><b/></a>").a)', "null")])
def parent(el: Any) -> Any:
    """The element of an input that contains an element; null for the root and for what the program made.

    Elements that were read as bare text or numbers cannot be told apart and have no parent.
    """
    place = place_of(el)
    return None if place is None or _is_document(place[0]) else place[0]


@function(
    "elementPath(el: Any): String",
    category="serialization",
    examples=[('elementPath(parseXml("<a><b/></a>").a)', '"/a"'), ('elementPath("text")', '"/"')],
)
def element_path(el: Any) -> str:
    """The way to an element from the root of its input, such as /order/item[2]; what the program made has no way."""
    steps: list[str] = []
    place = place_of(el)
    while place is not None:
        holder, name, at = place
        steps.append(f"{name}[{at}]" if at else name)
        place = place_of(holder)
    if not steps and isinstance(el, Node) and el.name is not None:
        steps.append(el.name)
    return "/" + "/".join(reversed(steps))
