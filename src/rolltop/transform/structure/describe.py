"""Describe a text in one of eight formats: its structure and a summary."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform import formats
from rolltop.transform.formats.csv_table import open_table
from rolltop.transform.formats.text import decode
from rolltop.transform.formats.yaml import read as read_yaml
from rolltop.transform.structure.avro import structure_of_avro
from rolltop.transform.structure.instance import Sampling, structure_of_value
from rolltop.transform.structure.json_schema import looks_like_schema, structure_of_schema
from rolltop.transform.structure.proto import structure_of_proto
from rolltop.transform.structure.references import ALONE, Files
from rolltop.transform.structure.summary import summarize
from rolltop.transform.structure.xsd import is_xsd, structure_of_xsd

__all__ = ["FORMATS", "describe_source", "read_table", "with_options"]

_DELIMITERS = (",", ";", "\t", "|")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_LINES = 20
_LOOKED_AT = 1 << 16


def read_table(text: str) -> tuple[Any, dict[str, str], list[str]]:
    """The rows; the options with which they were read, where those are not the usual ones; the columns."""
    delimiter = _delimiter(text)
    options = {} if delimiter == "," else {"delimiter": delimiter}
    rows = formats.read("csv", text, options)
    layout = open_table(iter([decode(text, "CSV")]), options).layout
    return rows, options, list(layout.names or ())


def _delimiter(text: str) -> str:
    """The character of the header that is in most lines as often as there; of those the most frequent, or the comma."""
    shown = _QUOTED.sub("", text[:_LOOKED_AT])
    lines = [line for line in shown.splitlines()[:_LINES] if line.strip()]
    if not lines:
        return ","
    header = {mark: lines[0].count(mark) for mark in _DELIMITERS}

    def regular(mark: str) -> tuple[int, int]:
        return sum(line.count(mark) == header[mark] for line in lines), header[mark]

    return max((mark for mark in _DELIMITERS if header[mark]), key=regular, default=",")


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
