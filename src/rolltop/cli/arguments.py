"""The arguments of `rolltop call`: a JSON object, or KEY=VALUE pairs that the tool's schema gives their types."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rolltop.errors import InvalidInput, NotFound

__all__ = ["is_pair", "read_document", "read_pairs"]

_PAIR = re.compile(r"([A-Za-z_][\w.-]*)(:?=)(.*)", re.DOTALL)
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def is_pair(text: str) -> bool:
    """True for KEY=VALUE and KEY:=JSON."""
    return _PAIR.fullmatch(text) is not None


def read_document(text: str) -> dict[str, Any]:
    """Arguments as one JSON object, from the text itself, from @FILE, or from standard input with -."""
    if text == "-" or text.startswith("@"):
        text = _read(text)
    value = _json(text, "the text of the arguments")
    if not isinstance(value, dict):
        raise InvalidInput("the arguments must be a JSON object")
    return value


def read_pairs(pairs: Sequence[str], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as KEY=VALUE pairs. A KEY that is repeated, or that the schema calls an array, becomes a list."""
    values: dict[str, Any] = {}
    properties = schema.get("properties", {})
    for pair in pairs:
        matched = _PAIR.fullmatch(pair)
        if matched is None:
            raise InvalidInput(f"{pair!r} is neither KEY=VALUE nor KEY:=JSON", hint="rolltop call --help shows both.")
        key, operator, text = matched.groups()
        if text.startswith("@"):
            text = _read(text)
        if operator == ":=":
            values[key] = _json(text, key)
            continue
        kinds = _kinds(properties.get(key, {}), schema)
        if "array" in kinds and not text.lstrip().startswith("["):
            items = _kinds(_array(properties[key], schema).get("items", {}), schema)
            values[key] = [*values.get(key, []), _typed(key, text, items)]
        else:
            values[key] = _typed(key, text, kinds)
    return values


def _typed(key: str, text: str, kinds: set[str]) -> Any:
    """The value of a text for a property of these JSON types; the tool itself checks it."""
    if "string" in kinds or not kinds:
        return text
    if text == "null" and "null" in kinds:
        return None
    if "boolean" in kinds and text.lower() in _BOOLEANS and not kinds & {"integer", "number"}:
        return _BOOLEANS[text.lower()]
    try:
        return json.loads(text)
    except ValueError:
        wanted = " or ".join(sorted(kinds - {"null"}))
        raise InvalidInput(f"{key}: expected {wanted}, got text", hint=f"{key}:=JSON gives any JSON value.") from None


def _kinds(schema: Any, root: Mapping[str, Any]) -> set[str]:
    """The JSON types that a schema allows; none for one that allows any."""
    if not isinstance(schema, Mapping):
        return set()
    if "$ref" in schema:
        return _kinds(_resolved(schema["$ref"], root), root)
    kinds: set[str] = set()
    for name in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(name, ()):
            kinds |= _kinds(each, root)
    given = schema.get("type", ())
    kinds |= {given} if isinstance(given, str) else set(given)
    choices = schema.get("enum", [schema["const"]] if "const" in schema else [])
    return kinds or ({"string"} if choices and all(isinstance(each, str) for each in choices) else set())


def _array(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part of a schema that describes an array."""
    if "$ref" in schema:
        return _array(_resolved(schema["$ref"], root), root)
    for name in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(name, ()):
            if "array" in _kinds(each, root):
                return _array(each, root)
    return schema


def _resolved(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = root
    for part in reference.removeprefix("#/").split("/"):
        found = found.get(part, {})
    return found if isinstance(found, Mapping) else {}


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        hint = 'Quote it for the shell: \'{"query": "x"}\', or write query=x'
        raise InvalidInput(f"{what} is not JSON: {error}", hint=hint) from None


def _read(place: str) -> str:
    source = "standard input" if place == "-" else place[1:]
    try:
        return sys.stdin.read() if place == "-" else Path(source).read_text("utf-8")
    except FileNotFoundError:
        raise NotFound(f"the file of arguments {source} is not there") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"the arguments in {source} are not UTF-8 text") from None
    except OSError as error:
        raise InvalidInput(f"the arguments in {source} cannot be read: {error.strerror}") from None
