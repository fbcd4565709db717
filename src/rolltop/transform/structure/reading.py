"""From a text in one of eight formats to its structure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform import formats
from rolltop.transform.formats.yaml import read as read_yaml
from rolltop.transform.structure.avro import structure_of_avro
from rolltop.transform.structure.instance import Sampling, structure_of_value
from rolltop.transform.structure.json_schema import looks_like_schema, structure_of_schema
from rolltop.transform.structure.proto import structure_of_proto
from rolltop.transform.structure.related import ALONE, Files
from rolltop.transform.structure.summary import summarize
from rolltop.transform.structure.tables import read_table
from rolltop.transform.structure.xsd import is_xsd, structure_of_xsd

__all__ = ["FORMATS", "describe_source", "with_options"]

DATA = ("xml", "json", "csv", "yaml")
Reader = Callable[[str, Files], dict[str, Any]]
SCHEMAS: dict[str, Reader] = {
    "xsd": structure_of_xsd,
    "json-schema": lambda text, files: structure_of_schema(formats.read("json", text), files),
    "avro": lambda text, files: structure_of_avro(formats.read("json", text)),
    "protobuf": structure_of_proto,
}
FORMATS = (*DATA, *SCHEMAS)
_SCHEMA_OF: dict[str, Reader] = {
    "xml": structure_of_xsd,
    "json": SCHEMAS["json-schema"],
    "yaml": lambda text, files: structure_of_schema(read_yaml(text, {}), files),
}


def describe_source(text: str, format_: str, mode: str | None = None, files: Files = ALONE) -> dict[str, Any]:
    """`format`, `mode` (found out unless given), `structure` and `summary` of a text.

    `files` says where the text is and has the other files of a schema that refers to some.
    """
    if format_ not in FORMATS:
        raise InvalidInput(f"unknown format {format_!r}", hint=f"Known are {', '.join(FORMATS)}.")
    if format_ in SCHEMAS:
        if mode == "instance":
            raise InvalidInput(f"{format_} is a schema format", hint="Leave mode out, or give the data's own format.")
        return _answer(format_, "schema", SCHEMAS[format_](text, files), None)
    if mode == "schema":
        return _answer(format_, mode, _schema_reader(format_)(text, files), None)
    if format_ == "csv":
        return _table(text)
    value = formats.read(format_, text)
    if mode is None and _is_schema(format_, value):
        return _answer(format_, "schema", _SCHEMA_OF[format_](text, files), None)
    sampling = Sampling()
    return _answer(format_, "instance", structure_of_value(value, sampling), sampling)


def _table(text: str) -> dict[str, Any]:
    """`options` are those that a program needs to read the table in the same way."""
    value, options, columns = read_table(text)
    sampling = Sampling()
    structure = structure_of_value(value, sampling)
    notes = []
    if not value and columns:
        fields = {"type": "object", "properties": {name: {"cardinality": "1"} for name in columns}}
        structure["items"] = {**fields, "required": columns}
        notes.append("there are no rows, so that types are not known")
    answer = _answer("csv", "instance", {**structure, "notes": notes}, sampling)
    return with_options(answer, options)


def with_options(answer: dict[str, Any], options: Mapping[str, str]) -> dict[str, Any]:
    """The description of a table that has to be read with options; the summary says how programs write them."""
    if not options:
        return answer
    both = {**answer.get("options", {}), **options}
    summary = answer["summary"].partition("; read with ")[0]
    shown = ", ".join(f"{name}: {json.dumps(value)}" for name, value in both.items())
    return {**answer, "options": both, "summary": f"{summary}; read with input csv {{ {shown} }}"}


def _schema_reader(format_: str) -> Reader:
    if format_ not in _SCHEMA_OF:
        raise InvalidInput("a CSV file has no schema of its own", hint="Use mode instance: columns come from the data.")
    return _SCHEMA_OF[format_]


def _is_schema(format_: str, value: Any) -> bool:
    return is_xsd(value) if format_ == "xml" else format_ != "csv" and looks_like_schema(value)


def _answer(format_: str, mode: str, structure: dict[str, Any], sampling: Sampling | None) -> dict[str, Any]:
    notes = list(structure.pop("notes", ()))
    if format_ in ("xml", "xsd"):
        # Whoever is given the structure alone has to know that one element is no array of one.
        structure = {**structure, "dataFormat": "xsd" if mode == "schema" else "xml"}
    answer = {"format": format_, "mode": mode, "structure": structure}
    if sampling is not None and sampling.skipped:
        answer["sampled"] = {"read": sampling.seen, "skipped": sampling.skipped}
        notes.append(f"types come from {sampling.seen} of {sampling.seen + sampling.skipped} array items")
    return {**answer, "summary": summarize(format_, mode, structure, notes)}
