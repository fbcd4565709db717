"""What a Python function returned as JSON: in the form that an argument of that type has, and that `returns` says.

Runs inside the sandbox, beside `worker.py`: only the standard library and `describe.py`.
"""

from __future__ import annotations

import base64
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import inspect
import itertools
import math
import types
import uuid
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from describe import mcp_describe  # type: ignore[import-not-found]

__all__ = ["as_data", "taken"]

Schema = Mapping[str, Any]

_MOST_ITEMS = 1_000_000
_MOST_BITS = 14_000
"""Of whole numbers: Python reads no more than 4,300 digits of one back."""
_DEEPEST = 20


def taken(x: Any, schema: Schema) -> Any:
    """The items of a generator or another iterator as a list, which can be both shown and sent; else `x` itself."""
    if not isinstance(x, collections.abc.Iterator) or not (_is_array(schema) or _is_of_python(x)):
        return x
    items = list(itertools.islice(x, _MOST_ITEMS + 1))
    if len(items) > _MOST_ITEMS:
        raise ValueError(f"the result is an iterator of more than {_MOST_ITEMS} items: return a part of it")
    return items


def _is_of_python(x: Any) -> bool:
    """A generator, `map`, `zip` and the like; not a file, whose lines nobody asked for."""
    return isinstance(x, types.GeneratorType) or type(x).__module__ in ("builtins", "itertools")


def as_data(x: Any, schema: Schema, depth: int = 0) -> Any:
    """The value as JSON; what is no data has only its description."""
    if depth > _DEEPEST:
        return mcp_describe(x, 20)
    if isinstance(x, enum.Enum):
        return _choice(x, schema)
    if x is None or isinstance(x, (str, int, float)):
        return _scalar(x)
    if isinstance(x, collections.abc.Mapping):
        return _object(x.items(), schema, depth)
    if isinstance(x, tuple) and hasattr(x, "_fields") and not _is_array(schema):
        return _object(zip(x._fields, x, strict=False), schema, depth)
    return _other(taken(x, schema), schema, depth)


def _other(x: Any, schema: Schema, depth: int) -> Any:
    if isinstance(x, _WRITTEN):
        return _written(x)
    if dataclasses.is_dataclass(x) and not inspect.isclass(x):
        fields = [field.name for field in dataclasses.fields(x) if hasattr(x, field.name)]
        return _object(((name, getattr(x, name)) for name in fields), schema, depth)
    if isinstance(x, _ARRAYS):
        items = schema.get("items") or {}
        return [as_data(item, items, depth + 1) for item in x]
    return _foreign(x, schema, depth)


def _is_array(schema: Schema) -> bool:
    kinds = schema.get("type") or ()
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return "array" in kinds and "object" not in kinds


def _choice(x: enum.Enum, schema: Schema) -> Any:
    """By its value; by its name where that is what the definition has, or the value is nothing JSON has."""
    if not isinstance(x.value, (str, int, float)):
        return x.name
    choices = schema.get("enum") or ()
    return x.name if x.name in choices and x.value not in choices else _scalar(x.value)


def _scalar(x: Any) -> Any:
    if isinstance(x, float):
        return x if math.isfinite(x) else None
    if isinstance(x, int) and x.bit_length() > _MOST_BITS:
        return mcp_describe(x, 20)
    return x


def _object(fields: Iterable[tuple[Any, Any]], schema: Schema, depth: int) -> dict[str, Any]:
    known, other = schema.get("properties") or {}, schema.get("additionalProperties")
    otherwise = other if isinstance(other, collections.abc.Mapping) else {}
    return {
        name: as_data(value, known.get(name) or otherwise, depth + 1)
        for key, value in fields
        for name in [str(as_data(key, {}, depth + 1))]
    }


_ARRAYS = (collections.abc.Sequence, collections.abc.Set, collections.abc.ValuesView)
_WRITTEN = (
    datetime.date, datetime.time, datetime.timedelta, PurePath, uuid.UUID, decimal.Decimal, complex,
    bytes, bytearray,
)  # fmt: skip
"""Types that have one form in JSON, the one that an argument is read from."""


def _written(x: Any) -> Any:
    match x:
        case datetime.date() | datetime.time():
            return x.isoformat()
        case datetime.timedelta():
            return x.total_seconds()
        case decimal.Decimal():
            return _number(x)
        case complex():
            return str(x).strip("()")
        case bytes() | bytearray():
            return base64.b64encode(x).decode()
    return str(x)


def _number(x: decimal.Decimal) -> Any:
    """A whole number to its last digit; of fractions JSON's readers keep about 17."""
    if not x.is_finite():
        return None
    if x.adjusted() < 4000 and x == x.to_integral_value():
        return _scalar(int(x))
    return float(x) if math.isfinite(float(x)) else mcp_describe(x, 20)


def _foreign(x: Any, schema: Schema, depth: int) -> Any:
    """Arrays, scalars and tables of numpy and pandas, pydantic's models, by the methods that give their data.

    What has none, or one that fails, has its description: the call itself succeeded.
    """
    if inspect.isclass(x):
        return mcp_describe(x, 20)
    try:
        data = _given_by(x)
    except Exception:
        return mcp_describe(x, 20)
    return mcp_describe(x, 20) if data is x else as_data(data, schema, depth + 1)


def _given_by(x: Any) -> Any:
    if type(x).__name__ == "DataFrame" and hasattr(x, "to_dict"):
        return x.to_dict(orient="records")
    for method in ("tolist", "model_dump"):
        if callable(convert := getattr(x, method, None)):
            return convert()
    return x
