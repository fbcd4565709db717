"""JSON Schema to a structure: references written out, recursion named, constraints kept."""

from __future__ import annotations

from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.structure.references import ALONE, Files, SchemaDocuments

__all__ = ["looks_like_schema", "structure_of_schema"]

_TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
_KEPT = (
    "title", "description", "format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "enum", "const", "default", "examples",
    "minProperties", "maxProperties", "deprecated",
)  # fmt: skip
_MOST_NODES = 20_000
_DEEPEST = 60


def looks_like_schema(value: Any) -> bool:
    """Whether a JSON document is a JSON Schema rather than data."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("$schema"), str) and "json-schema.org" in value["$schema"]:
        return True
    return value.get("type") in ("object", "array") and isinstance(value.get("properties", value.get("items")), dict)


def structure_of_schema(schema: Any, files: Files = ALONE) -> dict[str, Any]:
    """The structure that a schema describes; `files` are those that it may refer to."""
    if isinstance(schema, bool):
        return {"type": "primitive"}
    if not isinstance(schema, dict):
        raise ReadFailure("a JSON Schema is an object (or true or false)")
    reader = _Reader(schema, files)
    node = reader.node(schema, ())
    notes = reader.notes
    if node.get("type") not in ("object", "array"):
        node = {**node, "type": "primitive", **({"valueType": node["type"]} if "type" in node else {})}
    return {**node, "notes": notes} if notes else node


class _Reader:
    def __init__(self, root: dict[str, Any], files: Files) -> None:
        self.documents = SchemaDocuments(root, files)
        self.nodes = 0
        self.notes: list[str] = []

    def node(self, schema: Any, through: tuple[str, ...]) -> dict[str, Any]:
        """A schema as a node; `through` are the references that led here."""
        self.nodes += 1
        if not isinstance(schema, dict) or self.nodes > _MOST_NODES or len(through) > _DEEPEST:
            return {}
        reference = schema.get("$ref", schema.get("$dynamicRef"))
        if isinstance(reference, str):
            return self._referred(reference, schema, through)
        schema = self._with_parts(schema, through)
        node = {key: schema[key] for key in _KEPT if key in schema}
        kind = _kind(schema)
        if kind is not None:
            node = {"type": kind, **node}
        for choice in ("oneOf", "anyOf"):
            if isinstance(schema.get(choice), list):
                node["anyOf"] = [self.node(option, through) for option in schema[choice]]
        if isinstance(schema.get("properties"), dict) or kind == "object":
            node.update(self._object(schema, through))
        if kind == "array" or "items" in schema:
            node["items"] = self.node(_items(schema), through)
        return node

    def _referred(self, reference: str, schema: dict[str, Any], through: tuple[str, ...]) -> dict[str, Any]:
        name = reference.rpartition("/")[2].strip("#") or "the root"
        if reference in through:
            return {"type": "object", "recursive": name}
        target = self.documents.find(reference)
        if target is None:
            self._note(f"the reference {reference} is not followed")
            return {"description": f"defined in {reference}"}
        beside = {key: value for key, value in schema.items() if key in _KEPT}
        return {**self.node(target, (*through, reference)), **beside}

    def _with_parts(self, schema: dict[str, Any], through: tuple[str, ...]) -> dict[str, Any]:
        """`allOf` put together into one schema."""
        parts = schema.get("allOf")
        if not isinstance(parts, list):
            return schema
        merged = {key: value for key, value in schema.items() if key != "allOf"}
        for part in parts:
            resolved = self._resolved(part, len(through))
            for key, value in resolved.items():
                if key == "properties" and isinstance(value, dict):
                    merged[key] = {**value, **merged.get(key, {})}
                elif key == "required" and isinstance(value, list):
                    merged[key] = [*merged.get(key, []), *(name for name in value if name not in merged.get(key, []))]
                else:
                    merged.setdefault(key, value)
        return merged

    def _resolved(self, part: Any, depth: int) -> dict[str, Any]:
        for _ in range(_DEEPEST - min(depth, _DEEPEST)):
            if not isinstance(part, dict):
                return {}
            if isinstance(part.get("allOf"), list):
                return self._with_parts(part, ("",) * (depth + 1)) if depth < _DEEPEST else {}
            if not isinstance(part.get("$ref"), str):
                return part
            part = self.documents.find(part["$ref"])
        return {}

    def _object(self, schema: dict[str, Any], through: tuple[str, ...]) -> dict[str, Any]:
        properties = schema.get("properties")
        named = properties if isinstance(properties, dict) else {}
        required = [name for name in schema.get("required") or [] if isinstance(name, str)]
        parts: dict[str, Any] = {"properties": {}}
        for name, part in named.items():
            node = self.node(part, through)
            parts["properties"][name] = {**node, "cardinality": _cardinality(node, name in required)}
        if required:
            parts["required"] = required
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            parts["additionalProperties"] = self.node(more, through)
        elif more is False:
            parts["additionalProperties"] = False
        return parts

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def _kind(schema: dict[str, Any]) -> Any:
    kind = schema.get("type")
    if isinstance(kind, list):
        known = [word for word in kind if word in _TYPES]
        return known[0] if len(known) == 1 else known or None
    if kind in _TYPES:
        return kind
    return "object" if isinstance(schema.get("properties"), dict) else "array" if "items" in schema else None


def _items(schema: dict[str, Any]) -> Any:
    items = schema.get("items", {})
    return {"anyOf": items} if isinstance(items, list) else items


def _cardinality(node: dict[str, Any], required: bool) -> str:
    if node.get("type") == "array":
        return "1..n" if required and node.get("minItems", 0) else "0..n"
    return "1" if required else "0..1"
