"""Tables as rows of objects: what fixed width, spreadsheets and column files have in common."""

from __future__ import annotations

import base64
import binascii
import importlib
import math
from decimal import Decimal
from typing import Any

from rolltop.errors import PartMissing
from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.formats.plain import plain
from rolltop.transform.values import Node, is_temporal

__all__ = ["as_bytes", "columns_of", "library", "native", "records_of"]


def library(name: str, extra: str, what: str) -> Any:
    """An optional library; where it is not installed the error says how to install it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        from rolltop.base.installation import add_extra  # noqa: PLC0415 - only a failure needs it

        raise PartMissing(
            f"{what} needs {name.partition('.')[0]}, which is not installed",
            hint=f"Install it with: {add_extra(extra)}",
        ) from None
    except OSError:
        raise PartMissing(
            f"{what} is not available where transformations are confined",
            hint="Use rolltop transform on the command line.",
        ) from None


def as_bytes(data: str | bytes, what: str) -> bytes:
    """The bytes of a binary format; text is their base64."""
    if isinstance(data, bytes):
        return data
    try:
        return base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        raise ReadFailure(
            f"{what} is a binary format, and the input is text", hint="Give the file, or its base64."
        ) from None


def records_of(value: Any, what: str) -> list[dict[str, Any]]:
    """The rows of a result: an array of objects, or one object."""
    rows = value if isinstance(value, list) else [value]
    for at, row in enumerate(rows):
        if not isinstance(row, dict):
            raise WriteFailure(
                f"{what} is written from an array of objects, and element {at} is none",
                hint="Make an object of every row: map(rows, r => { name: r }).",
            )
    return [native(row) for row in rows]


def columns_of(records: list[dict[str, Any]]) -> list[str]:
    """The keys of all records in the order in which they appear."""
    return list(dict.fromkeys(key for record in records for key in record))


def native(value: Any) -> Any:
    """A value without elements; dates, bytes and decimals stay what they are."""
    kind = type(value)
    if kind is dict:
        return {key: native(item) for key, item in value.items()}
    if kind is list:
        return [native(item) for item in value]
    if kind is Node:
        shown = plain(Node(dict.fromkeys(value), value.attributes, value.name))
        if not isinstance(shown, dict):
            return native(value["_text"])
        return {
            key: native(value[name]) if (name := "_text" if key == "#text" else key) in value else text
            for key, text in shown.items()
        }
    if kind is float and not math.isfinite(value):
        return None
    if is_temporal(value) or kind in (bytes, Decimal):
        return value
    return plain(value)
