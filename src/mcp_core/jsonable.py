"""Convert Python values to JSON, for everything that is sent.

A Python string may hold a lone surrogate (half of an emoji, a byte of a file name that is not UTF-8). JSON cannot, and
clients refuse the whole message. Lone surrogates are replaced here, and only here, by an escape such as `\\udce9`, so
that different names stay different.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, overload

import pydantic_core
from pydantic import BaseModel

__all__ = ["plain_and_text", "to_json_bytes", "to_jsonable", "without_surrogates"]

_WRAPS = 64
"""Levels of nesting left free of the 254 that orjson writes: some clients read only about 200."""

_SURELY_FLAT = 128
"""Brackets in a JSON text that cannot nest too deeply, however they are placed."""

_OPTIONS: dict[str, Any] = {"by_alias": True, "bytes_mode": "base64", "inf_nan_mode": "null", "fallback": str}


def to_jsonable(value: Any) -> Any:
    """`value` as plain JSON types: datetimes, paths, sets, dataclasses and models included.

    Bytes become URL-safe base64, infinities and NaN become null, and objects of unknown types become their `str`. A
    value that contains itself or is nested too deep raises `ValueError`.
    """
    try:
        return pydantic_core.to_jsonable_python(value, **_OPTIONS)
    except UnicodeError:  # in a key, or in a path
        return pydantic_core.to_jsonable_python(_opened(value), **_OPTIONS)


def to_json_bytes(value: Any) -> bytes:
    """Compact JSON of `value`, UTF-8; raises what `to_jsonable` raises."""
    try:
        return pydantic_core.to_json(value, **_OPTIONS)
    except (pydantic_core.PydanticSerializationError, UnicodeError):
        # Usually a lone surrogate; any other error is raised again here.
        return pydantic_core.to_json(without_surrogates(to_jsonable(value)), **_OPTIONS)


def plain_and_text(value: Any) -> tuple[Any, str]:
    """`value` as plain JSON types, and the same as JSON text."""
    try:
        return value, _text(value)
    except (pydantic_core.PydanticSerializationError, UnicodeError):
        plain = without_surrogates(to_jsonable(value))
        return plain, _text(plain)


def _text(value: Any) -> str:
    """JSON of a value that is not nested deeper than clients can read."""
    written = pydantic_core.to_json(value, **_OPTIONS)
    if written.count(b"[") + written.count(b"{") > _SURELY_FLAT:
        for _ in range(_WRAPS):
            value = [value]
        pydantic_core.to_json(value, **_OPTIONS)  # raises ValueError if it is nested too deeply
    return written.decode("utf-8")


@overload
def without_surrogates(value: str) -> str: ...
@overload
def without_surrogates(value: Any) -> Any: ...
def without_surrogates(value: Any) -> Any:
    """Escape lone surrogates in a value of plain JSON types, also in keys."""
    if isinstance(value, str):
        return _visible(value)
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_surrogates(item) for item in value]
    return value


def _visible(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # Two halves that form a pair are a character.
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return whole.encode("utf-8", "backslashreplace").decode("utf-8")
    return text


def _opened(value: Any) -> Any:
    """Containers, models and paths as plain values without lone surrogates."""
    if isinstance(value, BaseModel):
        return _opened(value.model_dump(by_alias=True))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: _opened(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {_opened(key) if isinstance(key, str | PurePath) else key: _opened(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_opened(item) for item in value]
    return _visible(str(value)) if isinstance(value, str | PurePath) else value
