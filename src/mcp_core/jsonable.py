"""Python values to JSON, for everything that goes on a wire."""

from __future__ import annotations

import json
from typing import Any

import pydantic_core

__all__ = ["to_json_bytes", "to_jsonable"]


def to_jsonable(value: Any) -> Any:
    """`value` as plain JSON types: datetimes, paths, sets, dataclasses and models included.

    Bytes become base64, infinities and NaN become null (JSON has neither), and what nobody knows how
    to serialise becomes its `str`: an answer must never fail at the moment it is given.
    """
    return pydantic_core.to_jsonable_python(
        value, by_alias=True, bytes_mode="base64", inf_nan_mode="null", serialize_unknown=True, fallback=str
    )


def to_json_bytes(value: Any) -> bytes:
    """Compact JSON of `value`, UTF-8."""
    try:
        return pydantic_core.to_json(
            value, by_alias=True, bytes_mode="base64", inf_nan_mode="null", serialize_unknown=True, fallback=str
        )
    except (pydantic_core.PydanticSerializationError, UnicodeError):
        # A lone surrogate (half of an emoji that something cut) has no UTF-8 form; escape it instead.
        return json.dumps(to_jsonable(value), separators=(",", ":")).encode("ascii")
