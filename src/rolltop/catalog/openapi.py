"""Documents of OpenAPI 3 as definitions: every operation is a tool. Nothing is asked of the service."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rolltop.catalog import yaml_text
from rolltop.catalog.definition import Definition
from rolltop.catalog.found import ExampleCode, Found
from rolltop.catalog.inference import Schema
from rolltop.catalog.prose import described
from rolltop.catalog.rlang.markup import parse_markup
from rolltop.catalog.rlang.plain import to_text
from rolltop.catalog.sources import SourceTree
from rolltop.catalog.tree_files import read_inside
from rolltop.errors import InvalidData

__all__ = ["Operation", "openapi_tools", "operations_in"]

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
_ASKS = frozenset({"put", "post", "delete", "patch"})
_PLACES = ("path", "query", "header")
_NOT_THE_CALLERS = frozenset({"accept", "authorization", "connection", "content-type", "cookie", "host"})
"""Headers that are the client's own affair, or the owner's."""
_DEEPEST = 12
_KEPT = (
    "type", "items", "properties", "required", "enum", "description", "default", "format", "minimum", "maximum",
    "minLength", "maxLength", "minItems", "maxItems", "pattern", "additionalProperties", "anyOf",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path. `places` says where each argument goes: path, query, header, field of the body, body."""

    name: str
    method: str
    path: str
    places: Mapping[str, str]
    parameters: Schema
    described: Mapping[str, Any]
    returns: Schema | None = None


def openapi_tools(tree: SourceTree) -> Iterator[Found]:
    for file in tree.openapi_files:
        for operation in operations_in(file, tree.root):
            said = operation.described
            text = "\n\n".join(str(said[key]).strip() for key in ("summary", "description") if said.get(key))
            tags = said.get("tags")
            definition = Definition(
                name=f"{tree.package}-{operation.name}",
                description=to_text(parse_markup(text)) or f"{operation.method.upper()} {operation.path}",
                parameters=operation.parameters,
                category=str(tags[0]) if isinstance(tags, list) and tags else None,
                dangerous=operation.method == "delete",
                requires_approval=operation.method in _ASKS,
                language="openapi",
                returns=operation.returns,
            )
            yield Found(definition, ExampleCode(), file, 1)


def operations_in(file: Path, root: Path) -> list[Operation]:
    """The operations of a document, in its order."""
    document = yaml_text.load(read_inside(file, root).decode("utf-8", errors="replace"), str(file))
    version = str(document.get("openapi", "")) if isinstance(document, Mapping) else ""
    if not version.startswith("3."):
        raise InvalidData(f"{file} is no OpenAPI 3 document", hint="It begins with openapi: 3.0.0 or later.")
    return list(_Document(document).operations())


class _Document:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self._open: list[str] = []

    def operations(self) -> Iterator[Operation]:
        for path, item in (self.document.get("paths") or {}).items():
            shared = self.resolved(item)
            for method in _METHODS:
                if isinstance(shared.get(method), Mapping):
                    yield self._operation(str(path), method, shared, shared[method])

    def _operation(self, path: str, method: str, item: Mapping[str, Any], said: Mapping[str, Any]) -> Operation:
        properties: dict[str, Schema] = {}
        places: dict[str, str] = {}
        required: list[str] = []
        given = [self.resolved(each) for each in (*(item.get("parameters") or ()), *(said.get("parameters") or ()))]
        for each in given:
            name, place = str(each.get("name")), str(each.get("in"))
            if place not in _PLACES or (place == "header" and name.lower() in _NOT_THE_CALLERS):
                continue
            properties[name] = self.schema(each.get("schema") or {}, each.get("description"))
            places[name] = place
            if (each.get("required") or place == "path") and name not in required:
                required.append(name)
        body = self.resolved(said.get("requestBody") or {})
        self._take_body(body, properties, places, required)
        parameters: Schema = {"type": "object", "properties": properties, "required": required}
        return Operation(_name(path, method, said), method, path, places, parameters, said, self._returns(said))

    def _take_body(
        self, body: Mapping[str, Any], properties: dict[str, Schema], places: dict[str, str], required: list[str]
    ) -> None:
        content = _json_of(body)
        if content is None:
            return
        schema = self.schema(content.get("schema") or {}, body.get("description"))
        fields = schema.get("properties") if schema.get("type") == "object" else None
        if fields and not set(fields) & set(properties):
            properties |= fields
            places |= dict.fromkeys(fields, "field")
            required += [name for name in schema.get("required", ()) if body.get("required")]
            return
        name = next(each for each in ("body", "request_body", "request_body_") if each not in properties)
        properties[name], places[name] = schema, "body"
        required += [name] if body.get("required") else []

    def _returns(self, said: Mapping[str, Any]) -> Schema | None:
        for status, answer in (said.get("responses") or {}).items():
            content = _json_of(self.resolved(answer)) if str(status).startswith("2") else None
            if content is not None:
                return self.schema(content.get("schema") or {}, None)
        return None

    def schema(self, schema: Any, description: Any, depth: int = 0) -> Schema:
        """A schema without references, each part with a type; what is nested too deep may be anything."""
        reference = schema.get("$ref") if isinstance(schema, Mapping) else None
        if depth > _DEEPEST or reference in self._open:  # a tree of its own kind: described once
            return {"type": "object", "description": ""}
        self._open.append(reference or "#")
        try:
            return self._schema(self.resolved(schema), description, depth)
        finally:
            self._open.pop()

    def _schema(self, known: Mapping[str, Any], description: Any, depth: int) -> Schema:
        for part in known.get("allOf") or ():
            inner = self.schema(part, None, depth + 1)
            merged = {**(known.get("properties") or {}), **(inner.get("properties") or {})}
            known = {**inner, **known, **({"properties": merged} if merged else {})}
        kept: Schema = {key: known[key] for key in _KEPT if key in known}
        if "oneOf" in known:
            kept["anyOf"] = known["oneOf"]
        kept["type"] = _kinds(kept, known)
        if isinstance(kept.get("properties"), Mapping):
            kept["properties"] = {
                str(name): self.schema(each, None, depth + 1) for name, each in kept["properties"].items()
            }
        if kept["type"] == "array" or "items" in kept:
            kept["items"] = self.schema(kept.get("items") or {}, None, depth + 1)
        if isinstance(kept.get("additionalProperties"), Mapping):
            kept["additionalProperties"] = self.schema(kept["additionalProperties"], None, depth + 1)
        if "anyOf" in kept:
            kept["anyOf"] = [self.schema(each, None, depth + 1) for each in kept["anyOf"]]
        text = to_text(parse_markup(str(description or kept.get("description") or "")))
        return {"type": kept.pop("type"), **kept, "description": described(text)}

    def resolved(self, node: Any) -> Mapping[str, Any]:
        """What a node or the reference in it says; references lead into this document only."""
        for _ in range(_DEEPEST):
            if not isinstance(node, Mapping):
                return {}
            reference = node.get("$ref")
            if not isinstance(reference, str):
                return node
            if not reference.startswith("#/"):
                raise InvalidData(
                    f"the reference {reference} leads out of the document", hint="Bundle it into one file."
                )
            node = self.document
            for part in reference[2:].split("/"):
                key = part.replace("~1", "/").replace("~0", "~")
                node = node.get(key) if isinstance(node, Mapping) else None
        return {}


def _json_of(part: Mapping[str, Any]) -> Mapping[str, Any] | None:
    content = part.get("content") or {}
    found = next((each for kind, each in content.items() if re.match(r"application/(?:.+\+)?json", str(kind))), None)
    return found if isinstance(found, Mapping) else None


def _kinds(kept: Schema, known: Mapping[str, Any]) -> Any:
    every = ["string", "number", "boolean", "object", "array", "null"]
    kinds = kept.get("type") or ("object" if "properties" in kept else "string" if "enum" in kept else every)
    if known.get("nullable") and isinstance(kinds, str):
        return [kinds, "null"]
    return kinds


def _name(path: str, method: str, said: Mapping[str, Any]) -> str:
    written = str(said.get("operationId") or f"{method}{path}")
    return re.sub(r"[^A-Za-z0-9._]+", "_", written).strip("_")[:100]
