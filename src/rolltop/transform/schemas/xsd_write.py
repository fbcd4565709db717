"""Values to XSD: raw `xs:` elements as they are, else complex types generated from the directives."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform.errors import WriteFailure
from rolltop.transform.formats.table import Rendered
from rolltop.transform.formats.xml_write import write as write_xml
from rolltop.transform.schemas.completion import complete, mentioned
from rolltop.transform.schemas.model import XSD_TYPES, Distinct, fields_of, flag, text_of, unaliased, universal
from rolltop.transform.schemas.xsd_tree import NAMESPACE, Counts, count
from rolltop.transform.values import Node, scalar_text

__all__ = ["generate", "write"]

_NAME = re.compile(r"[^\W\d][\w.-]*")
_VERSIONING = "http://www.w3.org/2007/XMLSchema-versioning"
_FROM_UNIVERSAL = {
    "number": "xs:double", "binary": "xs:base64Binary", "bytes": "xs:base64Binary", "datetime": "xs:dateTime",
    **dict.fromkeys(("any", "object", "map", "array", "union", "null"), "xs:anyType"),
}  # fmt: skip


def write(value: Any, options: Mapping[str, Any]) -> Rendered:
    if not isinstance(value, dict):
        raise WriteFailure("output xsd needs a schema: xs: elements, or %types")
    if any(key.startswith("xs:") for key in value):
        schema = _raw(value, options)
    else:
        schema = generate(value, options)
    if options.get("version") == "1.1":
        schema.attributes.setdefault("xmlns:vc", _VERSIONING)
        schema.attributes.setdefault("vc:minVersion", "1.1")
    _check_pattern(options.get("pattern"), count(_as_nodes(schema)))
    metadata = {"xmlEncoding": "UTF-8"}
    return write_xml(Node({"xs:schema": schema}, None, None, metadata), options)


def _raw(value: dict[str, Any], options: Mapping[str, Any]) -> Node:
    """A schema that was written element by element; the wrapper may be left out."""
    inner = value.get("xs:schema") if list(value) == ["xs:schema"] else value
    if not isinstance(inner, dict):
        raise WriteFailure("xs:schema must be an object")
    kept = {key: item for key, item in inner.items() if not key.startswith("%")}
    documented = _documented(kept, keep=options.get("addDocumentation") is not False)
    attributes = {"xmlns:xs": NAMESPACE, **getattr(inner, "attributes", {})}
    return Node(documented, attributes)


def _documented(value: Any, *, keep: bool) -> Any:
    """`_documentation` anywhere becomes an annotation before everything else."""
    if isinstance(value, list):
        return [_documented(item, keep=keep) for item in value]
    if not isinstance(value, dict):
        return value
    parts = {key: _documented(item, keep=keep) for key, item in value.items() if key != "_documentation"}
    note = value.get("_documentation")
    if note is not None and keep:
        parts = {**_annotation(scalar_text(note)), **parts}
    if not isinstance(value, Node):
        return parts
    ordered = value.content and [
        piece if isinstance(piece, str) else (piece[0], _documented(piece[1], keep=keep)) for piece in value.content
    ]
    return Node(parts, value.attributes, value.name, value.metadata, None if note is not None else ordered)


def _annotation(note: str | None) -> dict[str, Any]:
    return {"xs:annotation": {"xs:documentation": note}} if note else {}


def _as_nodes(schema: Node) -> Node:
    """Names on the nodes, as the reader would have put them, so that patterns can be counted."""
    named: dict[str, Any] = {}
    for key, value in schema.items():
        items = value if isinstance(value, list) else [value]
        named[key] = [_named(key, item) for item in items]
    return Node(named, schema.attributes, "xs:schema")


def _named(name: str, value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    inner = _as_nodes(Node(value, getattr(value, "attributes", {})))
    return Node(inner, inner.attributes, name)


def _check_pattern(wanted: Any, found: Counts) -> None:
    if wanted is None:
        return
    rules = {
        "russian-doll": (found.elements == 1 and found.types == 0, "exactly one global element and no global type"),
        "salami-slice": (found.elements > 1, "more than one global element"),
        "venetian-blind": (found.types > 0, "global types"),
        "garden-of-eden": (found.inline == 0, "no inline types"),
    }
    if wanted not in rules:
        raise InvalidInput(f"unknown XSD pattern {wanted!r}", hint=f"Known are {', '.join(rules)}.")
    holds, needs = rules[wanted]
    if not holds:
        raise WriteFailure(f"the schema does not follow the pattern {wanted}: it needs {needs}")


# ---- from directives --------------------------------------------------------------------------


def generate(value: Mapping[str, Any], options: Mapping[str, Any]) -> Node:
    """The schema element of the types."""
    types = complete(value, "xsd")
    attributes = {"xmlns:xs": NAMESPACE}
    namespace = text_of(value, "%namespace")
    if namespace:
        attributes["targetNamespace"] = namespace
        if _refers(types):
            attributes["xmlns"] = namespace  # types are named without a prefix
    form = options.get("elementFormDefault", "qualified")
    if form not in ("qualified", "unqualified"):
        raise InvalidInput(f"elementFormDefault is qualified or unqualified, not {form!r}")
    attributes["elementFormDefault"] = form
    content = _Generator(types, options).content()
    return Node({**_root_element(value, types), **content}, attributes)


def _root_element(value: Mapping[str, Any], types: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """A global element for the document that a JSON Schema describes; its type is named by the title."""
    if "$schema" not in value and "properties" not in value:
        return {}
    name = text_of(value, "title") or "Root"
    if name not in types or types[name].get("%kind", "structure") != "structure":
        return {}
    shown = _type_names(types)[name]
    return {"xs:element": Node({}, {"name": shown, "type": shown})}


def _refers(types: Mapping[str, dict[str, Any]]) -> bool:
    """Whether a type is used by its name."""
    return any(name in types for type_ in types.values() for name in mentioned(type_))


def _anonymous(types: Mapping[str, dict[str, Any]]) -> set[str]:
    """The types that need no name: they stood inside an element, and are at most in one place, not in themselves."""
    uses = {name: [used for used in mentioned(type_) if used in types] for name, type_ in types.items()}
    counted = Counter(used for names in uses.values() for used in names)

    def recurs(name: str) -> bool:
        seen: set[str] = set()
        waiting = list(uses[name])
        while waiting:
            seen.add(used := waiting.pop())
            waiting += [inner for inner in uses[used] if inner not in seen]
        return name in seen

    inline = {name for name, type_ in types.items() if flag(type_, "%xsdInline")}
    return {name for name in inline if counted[name] == 0 or (counted[name] == 1 and not recurs(name))}


def _type_names(types: Iterable[str]) -> dict[str, str]:
    """Names that XML allows, each once: other formats have blanks and slashes in theirs."""
    given = Distinct()
    return {name: given(re.sub(r"[^\w.-]", "_", name if _NAME.match(name) else f"_{name}")) for name in types}


def _element_name(name: str) -> str:
    if _NAME.fullmatch(name) is None:
        raise WriteFailure(
            f"{name!r} is no name for an XML element",
            hint="Give the field another %name: letters, digits, '_', '-', '.'.",
        )
    return name


class _Generator:
    def __init__(self, types: Mapping[str, dict[str, Any]], options: Mapping[str, Any]) -> None:
        self.types = types
        self.names = _type_names(types)
        self.simple = {name for name, type_ in types.items() if self._is_simple(name, type_)}
        self.aliases = {name: type_ for name, type_ in types.items() if name not in self.simple}
        self.notes = options.get("addDocumentation") is not False
        self.inline = _anonymous(types)

    def content(self) -> dict[str, Any]:
        used = {field.get("%type") for type_ in self.types.values() for field in fields_of(type_)}
        outermost = self.inline - used
        parts: dict[str, Any] = {
            "xs:element": [self._inline_element(name) for name in self.types if name in outermost],
            "xs:complexType": [
                Node(self._complex(type_), {"name": self.names[name]})
                for name, type_ in self.types.items()
                if type_.get("%kind", "structure") == "structure" and name not in self.inline
            ],
            "xs:simpleType": [
                Node(self._simple(type_), {"name": self.names[name]})
                for name, type_ in self.types.items()
                if name in self.simple
            ],
        }
        return {key: items for key, items in parts.items() if items}

    def _is_simple(self, name: str, type_: Mapping[str, Any]) -> bool:
        """Whether it becomes a simple type; any other name for something is written where it is used."""
        if type_.get("%kind") != "primitive":
            return type_.get("%kind") == "enumeration"
        found = unaliased({"%type": name}, self.types)
        base = str(found["%type"])
        if base in self.types:
            return self.types[base].get("%kind") == "enumeration"
        return not flag(found, "%array") and self._type(base) != "xs:anyType"

    def _inline_element(self, name: str) -> Node:
        type_ = self.types[name]
        element = text_of(type_, "%xsdElement") or name.removesuffix("_InlineType")
        return Node({"xs:complexType": self._complex(type_)}, {"name": element})

    def _note(self, part: Mapping[str, Any]) -> dict[str, Any]:
        return _annotation(text_of(part, "%documentation", "%description")) if self.notes else {}

    def _complex(self, type_: Mapping[str, Any]) -> dict[str, Any]:
        elements = [self._element(field) for field in fields_of(type_)]
        attributes = [self._attribute(part) for part in type_.get("%attributes") or []]
        more: dict[str, Any] = {"xs:attribute": attributes} if attributes else {}
        if type_.get("%content") and not elements:
            extension = Node(more, {"base": self._simple_type(type_["%content"])})
            return {**self._note(type_), "xs:simpleContent": {"xs:extension": extension}}
        return {**self._note(type_), "xs:sequence": {"xs:element": elements} if elements else None, **more}

    def _attribute(self, part: Mapping[str, Any]) -> Node:
        attributes = {"name": _element_name(str(part["%name"])), "type": self._simple_type(part)}
        if flag(part, "%required"):
            attributes["use"] = "required"
        return Node(self._note(part), attributes)

    def _simple_type(self, part: Mapping[str, Any]) -> str:
        """The type of a text; what is no text stands there as one."""
        field = unaliased(part, self.aliases)
        name = str(field.get("%type", "string"))
        simple = name in self.simple or (name not in self.types and not flag(field, "%array"))
        type_ = self._type(name) if simple else "xs:anyType"
        return "xs:string" if type_ == "xs:anyType" else type_

    def _element(self, given: Mapping[str, Any]) -> Node:
        field = unaliased(given, self.aliases)
        attributes = {"name": _element_name(str(field["%name"]))}
        content = self._note(field)
        type_ = "map" if flag(field, "%map") else str(field.get("%type", "string"))
        if type_ in self.inline:
            content["xs:complexType"] = self._complex(self.types[type_])
        elif field.get("%enum") and type_ not in self.types:
            content["xs:simpleType"] = self._simple({"%type": type_, "%values": field["%enum"]})
        else:
            attributes["type"] = self._type(type_)
        if not flag(field, "%required"):
            attributes["minOccurs"] = "0"
        if flag(field, "%array"):
            attributes["maxOccurs"] = "unbounded"
        if flag(field, "%nullable"):
            attributes["nillable"] = "true"
        return Node(content, attributes)

    def _type(self, name: str) -> str:
        if name in self.types:
            return self.names[name]
        if ":" in name:
            return name
        if name not in _FROM_UNIVERSAL and name not in XSD_TYPES:
            name = universal(name)
        if name in _FROM_UNIVERSAL:
            return _FROM_UNIVERSAL[name]
        if name not in XSD_TYPES:
            raise WriteFailure(
                f"the type {name!r} is not declared",
                hint="Add it to %types; types of other files are not carried over.",
            )
        return f"xs:{name}"

    def _simple(self, type_: Mapping[str, Any]) -> dict[str, Any]:
        values = [item.get("%value") if isinstance(item, dict) else item for item in type_.get("%values") or []]
        facets = [Node((), {"value": scalar_text(value) or ""}) for value in values]
        base = self._type(str(type_.get("%type", "string")))
        restriction = Node({"xs:enumeration": facets} if facets else {}, {"base": base})
        return {**self._note(type_), "xs:restriction": restriction}
