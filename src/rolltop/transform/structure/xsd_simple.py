"""The simple types of XML Schema, and the facets that restrict them."""

from __future__ import annotations

from typing import Any

from rolltop.transform.values import Node, parse_number

__all__ = ["NAMESPACE", "built_in", "facets"]

NAMESPACE = "http://www.w3.org/2001/XMLSchema"
_NODES: dict[str, dict[str, Any]] = {
    "boolean": {"type": "boolean"},
    "decimal": {"type": "number"},
    "float": {"type": "number"},
    "double": {"type": "number"},
    "integer": {"type": "integer"},
    "long": {"type": "integer"},
    "int": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    "short": {"type": "integer", "minimum": -(2**15), "maximum": 2**15 - 1},
    "byte": {"type": "integer", "minimum": -128, "maximum": 127},
    "positiveInteger": {"type": "integer", "minimum": 1},
    "nonNegativeInteger": {"type": "integer", "minimum": 0},
    "negativeInteger": {"type": "integer", "maximum": -1},
    "nonPositiveInteger": {"type": "integer", "maximum": 0},
    "unsignedLong": {"type": "integer", "minimum": 0},
    "unsignedInt": {"type": "integer", "minimum": 0},
    "unsignedShort": {"type": "integer", "minimum": 0},
    "unsignedByte": {"type": "integer", "minimum": 0, "maximum": 255},
    "date": {"type": "string", "format": "date"},
    "dateTime": {"type": "string", "format": "date-time"},
    "time": {"type": "string", "format": "time"},
    "anyURI": {"type": "string", "format": "uri"},
    "base64Binary": {"type": "string", "contentEncoding": "base64"},
    "hexBinary": {"type": "string", "contentEncoding": "base16"},
    "anyType": {},
}
_FACETS = {
    "minLength": "minLength", "maxLength": "maxLength", "minInclusive": "minimum", "maxInclusive": "maximum",
    "minExclusive": "exclusiveMinimum", "maxExclusive": "exclusiveMaximum", "pattern": "pattern",
    "totalDigits": "totalDigits", "fractionDigits": "fractionDigits",
}  # fmt: skip
_NUMERIC = ("minLength", "maxLength", "length", "totalDigits", "fractionDigits")


def built_in(name: str) -> dict[str, Any] | None:
    """The node of a type of XML Schema itself, by its qualified name."""
    space, _, local = name.rpartition("}")
    return dict(_NODES.get(local, {"type": "string"})) if space == f"{{{NAMESPACE}" else None


def facets(restriction: Node, base: dict[str, Any]) -> dict[str, Any]:
    """What a restriction allows, in JSON Schema's words."""
    found: dict[str, Any] = {}
    values: list[Any] = []
    numeric = base.get("type") in ("number", "integer")
    for parts in restriction.values():
        for part in parts if isinstance(parts, list) else [parts]:
            if not isinstance(part, Node) or "value" not in part.attributes:
                continue
            kind, text = (part.name or "").rpartition(":")[2], part.attributes["value"]
            if kind == "enumeration":
                values.append(_value(text) if numeric else text)
            elif kind == "length":
                found["minLength"] = found["maxLength"] = _value(text)
            elif kind in _FACETS:
                found[_FACETS[kind]] = _value(text) if numeric or kind in _NUMERIC else text
    return {**found, "enum": values} if values else found


def _value(text: str) -> Any:
    number = parse_number(text)
    return text if number is None else number
