"""Avro schemas (JSON): describing in `avro_describe`, generating in `avro_generate`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.json import read as read_json
from rolltop.transform.formats.json import write as write_json
from rolltop.transform.schemas.avro_check import check_schema
from rolltop.transform.schemas.avro_describe import describe
from rolltop.transform.schemas.avro_generate import generate
from rolltop.transform.schemas.directives import enrich, without
from rolltop.transform.values import Node

__all__ = ["describe", "generate", "read", "write"]


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    raw = read_json(data, options)
    if not isinstance(raw, dict):
        if isinstance(raw, (str, list)):
            return raw
        raise ReadFailure("an Avro schema is an object, an array (union) or a type name")
    return enrich(Node(raw, None, None, {"schemaType": "avro-schema"}), describe)


def write(value: Any, options: Mapping[str, Any]) -> str:
    """Raw Avro as it is, else a schema from the directives."""
    if isinstance(value, dict) and not _is_own(value):
        return write_json(generate(value, options), {})
    if options.get("validate") is not False:
        check_schema(without(value) if isinstance(value, dict) else value)
    return write_json(value, {})


def _is_own(value: Mapping[str, Any]) -> bool:
    """Whether the schema is Avro itself and not one of another format that is to become it."""
    if "%types" in value and value.get("type") in ("object", None):
        return False
    return any(key in value for key in ("type", "fields", "name"))
