"""Types of inputs from schemas in any format."""

from __future__ import annotations

from collections.abc import Mapping

from rolltop.errors import InvalidInput
from rolltop.transform import formats
from rolltop.transform.check.schema_types import type_of_schema
from rolltop.transform.formats.table import canonical
from rolltop.transform.types import Type

__all__ = ["SCHEMA_FORMATS", "format_of_schema", "type_of_source", "types_for"]

_SUFFIXES = {
    ".xsd": "xsd", ".avsc": "avro", ".proto": "proto", ".json": "jsch", ".yaml": "jsch", ".yml": "jsch",
}  # fmt: skip
_NAMES_ELSEWHERE = {"xsd": "xsd", "avro": "avro", "proto": "protobuf"}
SCHEMA_FORMATS = ("jsch", "xsd", "avro", "proto", "tsch")


def format_of_schema(path: str) -> str:
    """The schema format that a file's name tells; JSON Schema when it tells nothing."""
    return next((format_ for suffix, format_ in _SUFFIXES.items() if path.lower().endswith(suffix)), "jsch")


def type_of_source(text: str, format_: str) -> Type:
    """The type of the values that a schema in this format allows. JSON Schema may be written as YAML."""
    format_ = canonical(format_)
    if format_ == "jsch":
        return type_of_schema(formats.read("json" if text.lstrip()[:1] == "{" else "yaml", text))
    if format_ == "tsch":
        schema = formats.read("json", formats.write("jsch", formats.read("tsch", text)).text)
        return type_of_schema({**schema, "type": "array", "items": {"$ref": "#/$defs/Record"}}, closed=True)
    if format_ not in _NAMES_ELSEWHERE:
        known = ", ".join(SCHEMA_FORMATS)
        raise InvalidInput(f"an input's type cannot be read from {format_}", hint=f"Known are {known}.")
    from rolltop.transform.structure import describe_source  # noqa: PLC0415 - JSON Schema, the usual one, needs none

    return type_of_schema(
        describe_source(text, _NAMES_ELSEWHERE[format_])["structure"], closed=True, xml=format_ == "xsd"
    )


def types_for(inputs: list[str], given: Mapping[str, Type]) -> dict[str, Type]:
    """The types of a program's inputs; a single one is meant whatever it is called."""
    if len(inputs) == 1 and len(given) == 1:
        return {inputs[0]: next(iter(given.values()))}
    for name in given:
        if name not in inputs:
            raise InvalidInput(f"the program declares no input {name[:60]!r}", hint=f"It has {', '.join(inputs)}.")
    return dict(given)
