"""One documented parameter as a JSON Schema property: type, description, enum, default, examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from rolltop.catalog.inference import Schema, array_of, fits, infer_type, inferred, leading_type, names_alternatives
from rolltop.catalog.prose import Prose, example_values, prose_of
from rolltop.catalog.rlang.constants import Constant, constant
from rolltop.catalog.rlang.evidence import type_of_values
from rolltop.catalog.rlang.lexer import top_level_tokens
from rolltop.catalog.rlang.markup import Markup
from rolltop.catalog.rlang.source import Formal

__all__ = ["finished", "is_plural", "parameter_schema"]

_TYPE_OF_KIND = {
    "logical": "boolean",
    "integer": "integer",
    "numeric": "number",
    "character": "string",
    "list": "object",
}

# Names that end in s and are singular.
_SINGULAR = re.compile(r"(?:ss|us|is|\b(?:alias|bias|canvas|atlas|gas|pandas|has|was|news|lens|series|species))$")
_OF_SEVERAL = re.compile(r"\bvector\s+of\s+length\s+(?:two|three|[2-9])\b", re.IGNORECASE)
_IRREGULAR_PLURALS = frozenset({"children", "people", "criteria", "media", "phenomena"})


def parameter_schema(
    name: str, markup: Markup, formal: Formal | None, seen: Sequence[Any] = (), checked: Schema | None = None
) -> tuple[Schema, bool]:
    """The property for one parameter, and whether its type is certain.

    `seen` are values that examples pass, `checked` is the type that the function insists on: they decide where neither
    the description nor the signature does.
    """
    prose = prose_of(markup)
    schema, is_certain = _typed(name, prose.text, formal)
    if not is_certain and not leading_type(prose.text):
        known = type_of_values(seen) or checked
        if known is not None and _accepts_default(known, schema):
            schema = known | {key: schema[key] for key in schema if key in ("default",)}
            is_checked = checked is not None and known["type"] == checked["type"]
            is_certain = is_checked and not names_alternatives(prose.text)
    if not all(_fits_somehow(value, schema) for value in seen):
        is_certain = False
    return finished(schema, prose), is_certain


def _accepts_default(known: Schema, schema: Schema) -> bool:
    return schema.get("default") is None or fits(schema["default"], known)


def _fits_somehow(value: Any, schema: Schema) -> bool:
    """A vector of one element and a single value are the same in R, a list is an object or an array."""
    if schema.get("type") == "object" and isinstance(value, list):
        return True
    return fits(value, schema) or fits([value], schema)


def finished(typed: Schema, prose: Prose, read: Callable[[str], list[Any]] | None = None) -> Schema:
    """A typed schema with description and examples, its fields in the order in which they are written."""
    schema: Schema = {key: typed[key] for key in ("type", "items", "properties") if key in typed}
    schema["description"] = prose.description or typed.get("description", "")
    schema |= {key: typed[key] for key in typed if key not in schema}
    if examples := example_values(prose.example_codes, schema, read or _candidates):
        schema["examples"] = examples
    return schema


def is_plural(name: str) -> bool:
    """Whether a parameter's name says that it takes several values."""
    words = re.split(r"[._]+|(?<=[a-z0-9])(?=[A-Z])", name)
    last = next((word for word in reversed(words) if word), "").lower()
    return last in _IRREGULAR_PLURALS or (len(last) > 1 and last.endswith("s") and not _SINGULAR.search(last))


def _typed(name: str, text: str, formal: Formal | None) -> tuple[Schema, bool]:
    default = formal.default if formal else None
    if default is not None and default.kind == "missing" and default.of:
        return _of_missing(text, default)
    if default is None or default.kind in ("null", "missing"):
        schema, is_certain = inferred(text)
        return schema | ({"default": None} if default and default.kind == "null" else {}), is_certain
    if default.kind == "character" and len(default.values) > 1:
        return _choices(name, text, default), True
    known, value = _known_type(default), default.to_json()
    if _is_first_of_choices(name, default):
        known, value = {"type": "boolean"}, default.values[0]
    schema, is_certain = inferred(text, known, value)
    return _with_default(schema, known, value), is_certain


def _of_missing(text: str, default: Constant) -> tuple[Schema, bool]:
    """The type of a default such as `Inf`, which has one although JSON has no value for it."""
    kind = _TYPE_OF_KIND[default.of]
    value: Any = "" if kind == "string" else 1
    if default.scalar:
        return inferred(text, {"type": kind}, value)
    return inferred(text, array_of(kind), [value])


def _choices(name: str, text: str, default: Constant) -> Schema:
    if _OF_SEVERAL.search(text):  # "a character vector of length 2": the default is a value, not a choice
        return {"type": "array", "items": {"type": "string"}, "default": list(default.values)}
    values = list(dict.fromkeys(default.values))
    if is_plural(name) or infer_type(text)["type"] == "array":
        return {"type": "array", "items": {"type": "string", "enum": values}}
    return {"type": "string", "enum": values, "default": values[0]}


def _is_first_of_choices(name: str, default: Constant) -> bool:
    """`flag = c(TRUE, FALSE)` is how R writes a switch that is on by default."""
    return default.kind == "logical" and not default.scalar and len(default.values) == 2 and not is_plural(name)


def _known_type(default: Constant) -> Schema:
    kind = _TYPE_OF_KIND[default.kind]
    if default.kind == "list":
        value = default.to_json()
        return {"type": "object"} if isinstance(value, dict) else array_of(_element_type(value))
    return {"type": kind} if default.scalar or len(default.values) == 1 else array_of(kind)


def _element_type(values: list[Any]) -> str:
    return next((kind for kind in ("string", "boolean", "integer", "number") if fits(values, array_of(kind))), "object")


def _with_default(schema: Schema, known: Schema, value: Any) -> Schema:
    """Add the default in the form the type asks for; a type that cannot hold it gives way or goes without."""
    if schema["type"] != "array" and isinstance(value, list):
        if len(value) == 1:
            value = value[0]
        elif known["type"] == "array":
            schema = known
    if schema["type"] == "array" and not isinstance(value, list):
        value = [value]
    return schema | {"default": value} if fits(value, schema) else schema


def _candidates(code: str) -> list[Any]:
    """What a piece of R code may stand for: its value, the number in quotes, the code itself as text."""
    tokens = [token for token in top_level_tokens(code) if token.kind not in ("comment", "newline")]
    known = constant(code, tokens) if tokens else None
    if known is None:
        return [code] if code else []
    if known.kind in ("null", "missing"):
        return []
    value = known.to_json()
    if isinstance(value, str):
        unquoted = constant(value, list(top_level_tokens(value)))
        return [value, unquoted.to_json()] if unquoted and unquoted.kind in ("integer", "numeric") else [value]
    return [value, code]
