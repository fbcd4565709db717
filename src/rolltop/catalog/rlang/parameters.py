"""One documented parameter as a JSON Schema property: type, description, enum, default, examples."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from rolltop.catalog.inference import Schema, array_of, fits, infer_type
from rolltop.catalog.prose import Prose, example_values, prose_of
from rolltop.catalog.rlang.constants import Constant, constant
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
_IRREGULAR_PLURALS = frozenset({"children", "people", "criteria", "media", "phenomena"})


def parameter_schema(name: str, markup: Markup, formal: Formal | None) -> Schema:
    """The property of `parameters.properties` for one parameter."""
    prose = prose_of(markup)
    schema = _typed(name, prose.text, formal)
    return finished(schema, prose)


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


def _typed(name: str, text: str, formal: Formal | None) -> Schema:
    default = formal.default if formal else None
    if default is not None and default.kind == "missing" and default.of:
        return _of_missing(text, default)
    if default is None or default.kind in ("null", "missing"):
        schema = infer_type(text)
        return schema | ({"default": None} if default and default.kind == "null" else {})
    if default.kind == "character" and len(default.values) > 1:
        return _choices(name, text, default)
    known, value = _known_type(default), default.to_json()
    if _is_first_of_choices(name, default):
        known, value = {"type": "boolean"}, default.values[0]
    schema = infer_type(text, known, value)
    return _with_default(schema, known, value)


def _of_missing(text: str, default: Constant) -> Schema:
    """The type of a default such as `Inf`, which has one although JSON has no value for it."""
    kind = _TYPE_OF_KIND[default.of]
    value: Any = "" if kind == "string" else 1
    if default.scalar:
        return infer_type(text, {"type": kind}, value)
    return infer_type(text, array_of(kind), [value])


def _choices(name: str, text: str, default: Constant) -> Schema:
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
