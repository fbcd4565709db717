"""XML Schemas and JSON Schemas with documents that they allow, made by chance from a seed."""

from __future__ import annotations

import json
import random
from typing import Any
from xml.sax.saxutils import escape, quoteattr

__all__ = ["json_case", "xsd_case"]

_TEXTS = {
    "string": ["abc", "1.0", "007", "", "12", "x y", "true", "-5", "1e3", " "],
    "token": ["a b", "42", "z"],
    "normalizedString": ["n", "3.50"],
    "boolean": ["true", "false", "1", "0"],
    "decimal": ["1.5", "20", "-0.25", "75.00"],
    "integer": ["0", "12", "-7"],
    "int": ["3", "2147483647"],
    "positiveInteger": ["1", "99"],
    "double": ["1.5", "1E3", "-2"],
    "date": ["2024-02-29"],
    "dateTime": ["2024-02-29T10:00:00Z"],
    "time": ["10:00:00"],
    "gYear": ["2024"],
    "duration": ["P1D"],
    "anyURI": ["http://a.b/c", "12"],
    "NMTOKEN": ["tok", "5"],
    "ID": ["a1"],
    "language": ["en"],
    "base64Binary": ["QUJD", "1234"],
    "hexBinary": ["0aFF", "12"],
    "anySimpleType": ["q", "9"],
}
_NAMES = ["Alpha", "beta", "Gamma", "delta", "eps", "Zeta"]


def xsd_case(seed: int) -> tuple[str, str, list[str]]:
    """A schema, a document that it allows, and paths to elements and attributes in it."""
    chance = random.Random(seed)
    schema, document, paths = _element("Root", chance, 3, "$input.Root")
    head = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">'
    return f"{head}{schema}</xs:schema>", document, ["$input", "$input.Root", *paths]


def _element(name: str, chance: random.Random, depth: int, path: str) -> tuple[str, str, list[str]]:
    if depth == 0 or chance.random() < 0.4:
        return _simple_element(name, chance)
    attributes, shown, paths = _attributes(chance, path)
    kind = chance.choice(["sequence", "sequence", "all", "choice"])
    parts, body = [], ""
    names = chance.sample(_NAMES, chance.randint(1, 4))
    chosen = chance.choice(names)
    for child in names:
        inner, text, below = _element(child, chance, depth - 1, f"{path}.{child}")
        least, most = chance.choice([(1, 1), (0, 1), (0, 3), (1, 3)]) if kind == "sequence" else (1, 1)
        times = chance.randint(least, most) if kind != "choice" else int(child == chosen)
        occurs = f' minOccurs="{least}" maxOccurs="{most}"'
        parts.append(inner.replace("<xs:element ", f"<xs:element{occurs} ", 1))
        body += text * times
        paths.append(f"{path}.{child}")
        paths += below if most == 1 and times == 1 else []
        if most > 1:
            paths.append(f"map({path}.{child} ?? [], x => x)")
    model = f"<xs:{kind}>{''.join(parts)}</xs:{kind}>"
    schema = f'<xs:element name="{name}"><xs:complexType>{model}{attributes}</xs:complexType></xs:element>'
    return schema, f"<{name}{shown}>{body}</{name}>", paths


def _attributes(chance: random.Random, path: str) -> tuple[str, str, list[str]]:
    declared, shown, paths = "", "", []
    for name in chance.sample(["id", "lang", "n"], chance.randint(0, 2)):
        kind, required = chance.choice(sorted(_TEXTS)), chance.random() < 0.5
        use = "required" if required else "optional"
        declared += f'<xs:attribute name="{name}" type="xs:{kind}" use="{use}"/>'
        if required or chance.random() < 0.5:
            shown += f" {name}={quoteattr(chance.choice(_TEXTS[kind]))}"
        paths.append(f"{path}.@{name}")
    return declared, shown, paths


def _simple_element(name: str, chance: random.Random) -> tuple[str, str, list[str]]:
    kind = chance.choice(sorted(_TEXTS))
    text = escape(chance.choice(_TEXTS[kind]))
    style = chance.random()
    if style < 0.6:
        return f'<xs:element name="{name}" type="xs:{kind}"/>', f"<{name}>{text}</{name}>", []
    if style < 0.75:
        values = chance.choice([["red", "green"], ["1", "2"], ["a", "10"]])
        facets = "".join(f'<xs:enumeration value="{value}"/>' for value in values)
        inner = f'<xs:simpleType><xs:restriction base="xs:string">{facets}</xs:restriction></xs:simpleType>'
        return f'<xs:element name="{name}">{inner}</xs:element>', f"<{name}>{chance.choice(values)}</{name}>", []
    attributes, shown, _ = _attributes(chance, name)
    inner = f'<xs:simpleContent><xs:extension base="xs:{kind}">{attributes}</xs:extension></xs:simpleContent>'
    schema = f'<xs:element name="{name}"><xs:complexType>{inner}</xs:complexType></xs:element>'
    return schema, f"<{name}{shown}>{text}</{name}>", []


def json_case(seed: int) -> tuple[dict[str, Any], str, list[str]]:
    """A JSON Schema, a document that it allows, and programs that read from it."""
    chance = random.Random(seed)
    schema, value = _json(chance, 3)
    while schema.get("type") != "object":
        schema, value = _json(chance, 3)
    programs = ["$input", *(f"$input.{name}" for name in schema["properties"])]
    programs += [
        f"toString($input.{name})" for name, part in schema["properties"].items() if part.get("type") == "string"
    ]
    programs += [
        f"$input.{name} |> map(x => {{ v: x }})"
        for name, part in schema["properties"].items()
        if part.get("type") == "array" and name in schema["required"]
    ]
    return schema, json.dumps(value), programs


def _json(chance: random.Random, depth: int) -> tuple[dict[str, Any], Any]:
    kinds = ["string", "integer", "number", "boolean", "null", "enum", "const", "union", "anyOf"]
    kind = chance.choice(kinds if depth == 0 else [*kinds, "object", "object", "array", "array", "map"])
    if kind == "object":
        parts = {name: _json(chance, depth - 1) for name in chance.sample("abcde", chance.randint(1, 4))}
        required = [name for name in parts if chance.random() < 0.6]
        value = {name: part[1] for name, part in parts.items() if name in required or chance.random() < 0.5}
        schema = {"type": "object", "properties": {name: part[0] for name, part in parts.items()}, "required": required}
        if chance.random() < 0.3:
            schema["additionalProperties"] = False
        elif chance.random() < 0.3:
            value["extra"] = [1]
        return schema, value
    if kind == "array":
        schema, value = _json(chance, depth - 1)
        return {"type": "array", "items": schema}, [value] * chance.randint(0, 2)
    if kind == "map":
        schema, value = _json(chance, depth - 1)
        return {"type": "object", "properties": {}, "required": [], "additionalProperties": schema}, {"k": value}
    if kind == "anyOf":
        (first, one), (second, other) = _json(chance, 0), _json(chance, 0)
        return {"anyOf": [first, second]}, chance.choice([one, other])
    return chance.choice(_JSON[kind])


_JSON: dict[str, list[tuple[dict[str, Any], Any]]] = {
    "string": [({"type": "string"}, "1.0"), ({"type": "string", "format": "date"}, "2024-01-01")],
    "integer": [({"type": "integer"}, 3), ({"type": "integer"}, 2**53)],
    "number": [({"type": "number"}, 1.5), ({"type": "number"}, 2), ({"type": "number"}, 1e300)],
    "boolean": [({"type": "boolean"}, True)],
    "null": [({"type": "null"}, None)],
    "enum": [({"enum": ["a", 1, None]}, 1), ({"enum": [1.5, 2]}, 2)],
    "const": [({"const": "x"}, "x"), ({"const": {"a": 1}}, {"a": 1})],
    "union": [({"type": ["string", "null"]}, None), ({"type": ["integer", "string"]}, "z")],
}
