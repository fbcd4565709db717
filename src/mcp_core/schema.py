"""JSON Schemas of argument models, for the wire and for readers."""

from __future__ import annotations

import json
import re
import types
import typing
from collections.abc import Mapping
from typing import Any, NotRequired

import typing_extensions
from pydantic import BaseModel, PydanticUserError, TypeAdapter

__all__ = [
    "brief_schema",
    "listed_schema",
    "model_schema",
    "schema_markdown",
    "type_label",
    "type_schema",
    "without_titles",
]

Schema = Mapping[str, Any]

_BOUNDS = {
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "multipleOf": "a multiple of {}",
    "pattern": "matching `{}`",
}


def model_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a model with wire names and without generated titles, which would cost tokens."""
    schema = without_titles(model.model_json_schema(by_alias=True))
    schema.pop("description", None)
    schema["properties"] = {name: _without_null_default(each) for name, each in schema.get("properties", {}).items()}
    for definition in schema.get("$defs", {}).values():
        if "properties" in definition:
            inner = definition["properties"]
            definition["properties"] = {name: _without_null_default(each) for name, each in inner.items()}
    return schema


def _without_null_default(schema: dict[str, Any]) -> dict[str, Any]:
    """`anyOf [X, null], default null` says no more than an optional X; null is still accepted.

    Where null means something else than nothing, the field says so: `json_schema_extra={"nullable": True}`.
    """
    options = schema.get("anyOf")
    if schema.get("nullable"):
        return {key: value for key, value in schema.items() if key not in ("nullable", "default")}
    if not isinstance(options, list) or schema.get("default", ...) is not None:
        return schema
    real = [option for option in options if option.get("type") != "null"]
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    return {**real[0], **rest} if len(real) == 1 else {"anyOf": real, **rest}


def type_schema(kind: Any) -> dict[str, Any]:
    """The schema of any type that pydantic can serialise."""
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
    except PydanticUserError as error:
        if error.code != "typed-dict-version":
            raise
        adapter = TypeAdapter(_with_readable_dicts(kind, {}))
    return without_titles(adapter.json_schema(by_alias=True, mode="serialization"))


def _with_readable_dicts(kind: Any, known: dict[Any, Any]) -> Any:
    """A type with the same `TypedDict`s in it in a form that says which keys are required: before Python 3.12, those of
    `typing` do not, and pydantic refuses them."""
    if typing.is_typeddict(kind):
        if kind not in known:
            known[kind] = dict[str, Any]  # a recursive type
            hints = typing.get_type_hints(kind, include_extras=True)
            fields = {name: _with_readable_dicts(hint, known) for name, hint in hints.items()}
            required = kind.__required_keys__
            known[kind] = typing_extensions.TypedDict(  # type: ignore[operator]
                kind.__name__,
                {name: field if name in required else NotRequired[field] for name, field in fields.items()},
            )
        return known[kind]
    inner = typing.get_args(kind)
    if not inner or typing.get_origin(kind) is typing.Literal:
        return kind
    made = tuple(_with_readable_dicts(each, known) for each in inner)
    if made == inner:
        return kind
    if isinstance(kind, types.UnionType):
        return typing.Union[made]  # noqa: UP007 - made of a tuple
    return kind.copy_with(made) if hasattr(kind, "copy_with") else typing.get_origin(kind)[made]


def without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    """Remove the titles that pydantic generates; a property named title stays."""
    cleaned: dict[str, Any] = _strip(schema, is_mapping_of_schemas=False)
    return cleaned


def _strip(node: Any, *, is_mapping_of_schemas: bool) -> Any:
    if isinstance(node, list):
        return [_strip(item, is_mapping_of_schemas=False) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: value
        if key in ("default", "const", "enum", "examples") and not is_mapping_of_schemas
        else _strip(value, is_mapping_of_schemas=not is_mapping_of_schemas and key in ("properties", "$defs"))
        for key, value in node.items()
        if is_mapping_of_schemas or key != "title" or not isinstance(value, str)
    }


def listed_schema(schema: Schema) -> dict[str, Any]:
    """The same schema in fewer words, for `tools/list`.

    Alternatives of plain types become one list of types, definitions used once are inlined, and keywords that only
    repeat a default are dropped. Unknown arguments are refused by name, so objects need not forbid them.
    """
    return dict(_shortened(_inlined(dict(schema)), is_mapping_of_schemas=False))


def brief_schema(schema: Schema) -> dict[str, Any]:
    """The listed schema without bounds and most defaults; descriptions up to their first stop, or none where the name
    of an argument says what it is."""
    brief: dict[str, Any] = _brief(listed_schema(schema), is_mapping_of_schemas=False)
    return brief


_UNSAID = frozenset({"minimum", "maximum", "exclusiveMinimum", "minLength", "minItems"})
_SPEAKING = frozenset((
    "action", "active", "add_tags", "after_context", "arguments", "atomic", "before_context", "binary", "category",
    "color", "confirm", "content", "context", "count", "created_before", "cursor", "depth", "description",
    "detailed", "dry_run", "end_line", "engine", "exclude", "facets", "feature_name", "figures", "file_types",
    "filename", "files_with_matches", "files_without_match", "find", "format", "formats", "fresh", "fuzzy", "graph",
    "hash", "ignore_case", "include_content", "indexed_after", "indexed_before", "inputFormat", "invert", "keep",
    "length", "limit", "line_numbers", "match_all", "max_count", "metadata", "mime", "mime_type", "modified_after",
    "modified_before", "offset", "outputFormat", "outputPath", "outputs", "overwrite", "page", "params",
    "paths_only", "project", "query", "raw", "recent", "remove", "remove_tags", "renderer", "replace",
    "run_examples", "similarity", "sort_by", "sort_order", "start_line", "tags", "template", "text", "timeout",
    "title", "to", "type", "verbose", "version", "with_filename", "word",
))  # fmt: skip
"""Arguments whose names need no description."""
_REMARK = re.compile(r" \([^)]*\)|[.;:](\s.*|$)", re.DOTALL)


def _brief(node: Any, *, is_mapping_of_schemas: bool) -> Any:
    if isinstance(node, list):
        return [_brief(item, is_mapping_of_schemas=False) for item in node]
    if not isinstance(node, dict):
        return node
    if is_mapping_of_schemas:
        short = {name: _brief(each, is_mapping_of_schemas=False) for name, each in node.items()}
        for name in _SPEAKING & short.keys():
            short[name].pop("description", None)
        return short
    made = {}
    for key, value in node.items():
        if key in _UNSAID or (key == "default" and isinstance(value, int | float) and value is not True):
            continue
        if key == "description" and isinstance(value, str):
            made[key] = _REMARK.sub("", value)
        elif key in ("default", "const", "enum", "required"):
            made[key] = value
        else:
            made[key] = _brief(value, is_mapping_of_schemas=key in ("properties", "$defs"))
    return made


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Inline definitions that are used once."""
    text = json.dumps(schema)
    definitions = dict(schema.get("$defs", {}))
    once = {name for name in definitions if text.count(json.dumps(f"#/$defs/{name}")) == 1}

    def placed(node: Any) -> Any:
        if isinstance(node, list):
            return [placed(item) for item in node]
        if not isinstance(node, dict):
            return node
        name = str(node.get("$ref", "")).removeprefix("#/$defs/")
        if name in once:
            rest = {key: value for key, value in node.items() if key != "$ref"}
            return {**placed(definitions[name]), **rest}
        return {key: placed(value) for key, value in node.items()}

    kept = {name: placed(each) for name, each in definitions.items() if name not in once}
    made = {key: placed(value) for key, value in schema.items() if key != "$defs"}
    return {**made, "$defs": kept} if kept else made


def _shortened(node: Any, *, is_mapping_of_schemas: bool) -> Any:
    if isinstance(node, list):
        return [_shortened(item, is_mapping_of_schemas=False) for item in node]
    if not isinstance(node, dict):
        return node
    short = {
        key: value
        if key in ("default", "const", "enum", "examples") and not is_mapping_of_schemas
        else _shortened(value, is_mapping_of_schemas=not is_mapping_of_schemas and key in ("properties", "$defs"))
        for key, value in node.items()
    }
    if is_mapping_of_schemas:
        return short
    if isinstance(short.get("additionalProperties"), bool) and (
        short["additionalProperties"] or short.get("properties")
    ):
        del short["additionalProperties"]
    for key, unsaid in _OBVIOUS.items():
        if key in short and (unsaid is None or short[key] in unsaid):
            del short[key]
    if isinstance(short.get("maximum"), int) and short["maximum"] >= _MANY:
        del short["maximum"]
    options = short.get("anyOf")
    if isinstance(options, list) and all(set(option) in _PLAIN for option in options):
        kinds = list(dict.fromkeys(str(option["type"]) for option in options))
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        items = [option["items"] for option in options if "items" in option]
        if len(items) <= 1:
            rest = {key: value for key, value in short.items() if key != "anyOf"}
            return {"type": kinds, **({"items": items[0]} if items else {}), **rest}
    return short


_PLAIN = ({"type"}, {"type", "items"})
_MANY = 100
_OBVIOUS: dict[str, tuple[Any, ...] | None] = {
    "minimum": (0, 1),
    "minLength": (0, 1),
    "minItems": (0, 1),
    "maxLength": None,
    "maxItems": None,
    "maxProperties": None,
    "default": ("", [], {}),
}
"""What says no more than "not negative", "not empty", "not huge" or "nothing"; None: whatever the value. A call beyond
a bound is refused by name."""


def schema_markdown(schema: Schema) -> str:
    """The arguments as a list: name, type, required or optional, default, bounds, description."""
    definitions = schema.get("$defs", {})
    properties: Schema = schema.get("properties", {})
    if not properties:
        return "## Arguments\n\nNone."
    required = set(schema.get("required", ()))
    lines = [_property_line(name, each, name in required, definitions, 0) for name, each in properties.items()]
    return "## Arguments\n\n" + "\n".join(lines)


def _property_line(name: str, schema: Schema, required: bool, definitions: Schema, depth: int) -> str:
    facts = [type_label(schema, definitions), "required" if required else "optional"]
    if schema.get("default") is not None:
        facts.append(f"default {_literal(schema['default'])}")
    facts += _bounds(_without_null(_resolved(schema, definitions), definitions))
    line = f"{'  ' * depth}- `{name}` ({', '.join(facts)})"
    description = schema.get("description") or _resolved(schema, definitions).get("description")
    if description:
        line += f": {' '.join(str(description).split())}"
    return "\n".join([line, *_nested_lines(schema, definitions, depth)])


def _nested_lines(schema: Schema, definitions: Schema, depth: int) -> list[str]:
    if depth >= 3:  # deeper structures are for the JSON Schema itself
        return []
    inner = _without_null(_resolved(schema, definitions), definitions)
    if inner.get("type") == "array" and isinstance(inner.get("items"), dict):
        inner = _without_null(_resolved(inner["items"], definitions), definitions)
    properties = inner.get("properties")
    if not isinstance(properties, dict):
        return []
    required = set(inner.get("required", ()))
    return [_property_line(name, each, name in required, definitions, depth + 1) for name, each in properties.items()]


def _bounds(schema: Schema) -> list[str]:
    return [text.format(schema[key]) for key, text in _BOUNDS.items() if key in schema]


def _resolved(schema: Schema, definitions: Schema) -> Schema:
    for _ in range(20):  # a chain of references is short; a cycle must not hang
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/$defs/"):
            return schema
        schema = definitions.get(reference.removeprefix("#/$defs/"), {})
    return schema


def _without_null(schema: Schema, definitions: Schema) -> Schema:
    options = schema.get("anyOf")
    if isinstance(options, list):
        real = [option for option in options if option.get("type") != "null"]
        if len(real) == 1:
            return _resolved(real[0], definitions)
    return schema


def type_label(schema: Schema, definitions: Schema | None = None) -> str:
    """The type in words: `string`, `"A" | "B"`, `array of integer`, `object`."""
    definitions = definitions or {}
    schema = _resolved(schema, definitions)
    if "const" in schema:
        return _literal(schema["const"])
    if "enum" in schema:
        return " | ".join(_literal(value) for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            labels = [type_label(option, definitions) for option in schema[key] if option.get("type") != "null"]
            return " | ".join(dict.fromkeys(labels)) or "null"
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(str(each) for each in kind if each != "null")
    if kind == "array":
        return f"array of {type_label(schema['items'], definitions)}" if schema.get("items") else "array"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {type_label(schema['additionalProperties'], definitions)}"
    return str(kind) if kind else "any"


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
