"""The schema of an input as callers give it: JSON Schema, or what `get_input_schema` answered."""

from __future__ import annotations

from typing import Any

from rolltop.transform.formats.text import NUMERIC, typed

__all__ = ["declares_types", "describes_xml", "plain_schema", "read_as_texts", "read_from_xml"]


def plain_schema(given: Any) -> Any:
    """JSON Schema with `attributes`; an answer's envelope and `primitive` at the root are undone."""
    if not isinstance(given, dict):
        return given
    inner = given.get("data")
    if isinstance(inner, dict) and "structure" in inner:
        given = inner
    structure = given.get("structure")
    if isinstance(structure, dict) and "properties" not in given:
        given = structure
    if given.get("type") == "primitive":
        return {**given, "type": given.get("valueType")} if "valueType" in given else True
    return given


def describes_xml(given: Any) -> bool:
    """Whether a schema is that of XML: an answer about XML or XSD, or attributes anywhere in it."""
    if isinstance(given, dict):
        inner = given.get("data")
        if isinstance(inner, dict) and "structure" in inner:
            given = inner
        if "structure" in given and "format" in given:
            return given["format"] in ("xml", "xsd")
        if "dataFormat" in given:
            return given["dataFormat"] in ("xml", "xsd")
    waiting = [given]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if isinstance(part.get("attributes"), dict) and part.get("type") == "object":
                return True
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return False


def declares_types(given: Any) -> bool:
    """Whether a schema says what documents may hold; the structure of a sample says what one document held."""
    if isinstance(given, dict) and isinstance(given.get("data"), dict):
        given = given["data"]
    if not isinstance(given, dict):
        return True
    return given.get("mode", "schema") == "schema" and given.get("dataFormat") != "xml"


def read_as_texts(schema: Any) -> Any:
    """The same schema for what is read with `inferTypes: false`: all scalars are texts, elements may be empty."""
    if isinstance(schema, list):
        return [read_as_texts(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kinds = schema.get("type")
    if kinds not in (None, "object", "array", "null"):
        nullable = isinstance(kinds, list) and "null" in kinds
        text: dict[str, Any] = {"type": ["string", "null"] if nullable else "string"}
        return {"anyOf": [text, _EMPTY]}
    kept = {key: part for key, part in schema.items() if key not in ("enum", "const", "examples", "required")}
    read = {key: _named_as_texts(key, part) for key, part in kept.items()}
    return {**read, "required": schema["required"]} if "required" in schema else read


def _named_as_texts(key: str, part: Any) -> Any:
    if key in ("properties", "$defs", "definitions", "attributes") and isinstance(part, dict):
        return {name: read_as_texts(schema) for name, schema in part.items()}
    return read_as_texts(part)


def read_from_xml(schema: Any, *, declared: bool = True) -> Any:
    """The same schema for what the reader of XML makes of such documents.

    Attributes are texts. Of elements, those that are `declared` as texts may spell a number, and be empty; truth values
    are texts or 1 and 0. An element with attributes that are not required may come without any, as its bare value; one
    that may be nil can be anything.
    """
    if isinstance(schema, list):
        return [read_from_xml(part, declared=declared) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("nullable") is True:
        return True
    if schema.get("type") not in (None, "object", "array") and "attributes" not in schema:
        return _leaf_from_xml(schema) if declared else schema
    read = {key: _parts_from_xml(key, part, declared) for key, part in schema.items()}
    properties = read.get("properties")
    if declared and isinstance(properties, dict) and "_text" in properties:
        return _text_from_xml(read, properties)
    return read


_EMPTY = {"type": "object"}
_ANY_TEXT = {"anyOf": [{"type": ["string", "number"]}, _EMPTY]}
_NEVER_NUMBERS = frozenset({"date", "date-time", "time", "email", "uuid"})


def _leaf_from_xml(schema: dict[str, Any]) -> Any:
    """What the text of an element is read as: a number where it spells one, else a text."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if set(kinds) <= {"number", "integer"}:
        return schema
    if kinds == ["boolean"]:
        return {**schema, "type": ["string", "integer"]}
    if kinds != ["string"]:
        return _ANY_TEXT
    if isinstance(schema.get("enum"), list):
        texts = [str(value) for value in schema["enum"]]
        read = [typed(text) if text[:1] in NUMERIC and text else text for text in texts]
        return {"enum": read} if all(texts) else _ANY_TEXT
    if schema.get("format") in _NEVER_NUMBERS:
        return schema
    return _ANY_TEXT


def _text_from_xml(read: dict[str, Any], properties: dict[str, Any]) -> Any:
    """An element with text and attributes: an object, or the bare text where it has no attribute."""
    text = properties["_text"]
    required = [name for name in read.get("required") or () if name != "_text" or text is not _ANY_TEXT]
    if "anyOf" in text:
        properties = {**properties, "_text": {"type": ["string", "number"]}}
    shown = {**read, "properties": properties, "required": required}
    bare = not any(name != "_text" for name in required)
    return {"anyOf": [shown, text]} if bare else shown


def _parts_from_xml(key: str, part: Any, declared: bool) -> Any:
    if key in ("properties", "$defs", "definitions") and isinstance(part, dict):
        return {name: read_from_xml(schema, declared=declared) for name, schema in part.items()}
    if key == "attributes" and isinstance(part, dict):
        return {name: {"type": "string"} for name in part}
    if key in ("required", "enum", "examples", "const", "default"):
        return part
    return read_from_xml(part, declared=declared)
