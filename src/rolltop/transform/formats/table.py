"""Which module reads and writes which format."""

from __future__ import annotations

import base64
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.stack import deep_stack

__all__ = ["FORMATS", "MODULES", "Rendered", "canonical", "read", "write"]

MODULES = {
    "json": "rolltop.transform.formats.json",
    "jsonl": "rolltop.transform.formats.jsonl",
    "xml": "rolltop.transform.formats.xml",
    "csv": "rolltop.transform.formats.csv",
    "yaml": "rolltop.transform.formats.yaml",
    "odata": "rolltop.transform.formats.odata",
    "toml": "rolltop.transform.formats.toml",
    "fixed": "rolltop.transform.formats.fixed",
    "xlsx": "rolltop.transform.formats.xlsx",
    "parquet": "rolltop.transform.formats.columnar:parquet",
    "arrow": "rolltop.transform.formats.columnar:arrow",
    "auto": "rolltop.transform.formats.auto",
    "xsd": "rolltop.transform.schemas.xsd",
    "jsch": "rolltop.transform.schemas.jsch",
    "avro": "rolltop.transform.schemas.avro",
    "proto": "rolltop.transform.schemas.proto",
    "osch": "rolltop.transform.schemas.osch",
    "tsch": "rolltop.transform.schemas.tsch",
}
FORMATS = tuple(MODULES)
_ALIASES = {
    "yml": "yaml",
    "fixed-width": "fixed",
    "excel": "xlsx",
    "feather": "arrow",
    "ndjson": "jsonl",
    "json-lines": "jsonl",
    "json-schema": "jsch",
    "jsonschema": "jsch",
    "protobuf": "proto",
    "avsc": "avro",
    "edmx": "osch",
    "odata-schema": "osch",
    "table-schema": "tsch",
}


@dataclass(slots=True)  # not frozen: that would take as long as writing a small result
class Rendered:
    """A result as text, and the encoding that its declaration promises."""

    text: str
    encoding: str = "utf-8"
    data: bytes | None = None
    """The bytes of a binary format; the text is their base64."""

    @classmethod
    def binary(cls, data: bytes) -> Rendered:
        return cls(base64.b64encode(data).decode(), "ascii", data)

    def encode(self) -> bytes:
        """The bytes to store; characters that the encoding lacks become character references."""
        if self.data is not None:
            return self.data
        return self.text.encode(self.encoding, "xmlcharrefreplace")


def canonical(name: str) -> str:
    """The language's word for a format, from that word or a common other one."""
    word = name.strip().lower()
    word = _ALIASES.get(word, word)
    if word not in MODULES:
        raise InvalidInput(f"unknown format {name[:60]!r}", hint=f"Known are {', '.join(FORMATS)}.")
    return word


@cache
def _module(format_: str) -> Any:
    """The module of a format, imported when it is first used."""
    module, _, part = MODULES[canonical(format_)].partition(":")
    found = importlib.import_module(module)
    return getattr(found, part) if part else found


def read(format_: str, data: str | bytes, options: Mapping[str, Any] | None = None) -> Any:
    """The value that a text stands for."""
    module = _module(format_)
    try:
        with deep_stack():
            return module.read(data, options or {})
    except RecursionError:
        raise ReadFailure("the input is nested too deeply to be read") from None
    except UnicodeEncodeError:
        raise ReadFailure("the input has half a surrogate pair", hint="It is no valid Unicode text.") from None


def write(format_: str, value: Any, options: Mapping[str, Any] | None = None) -> Rendered:
    """A value as text."""
    module = _module(format_)
    if not hasattr(module, "write"):
        raise InvalidInput("the output format cannot be auto", hint="Say json, xml, csv, yaml or another one.")
    try:
        with deep_stack():
            rendered = module.write(value, options or {})
    except RecursionError:
        raise WriteFailure("the result is nested too deeply to be written") from None
    except UnicodeEncodeError:
        raise WriteFailure("a text of the result has half a surrogate pair") from None
    return rendered if isinstance(rendered, Rendered) else Rendered(rendered)
