"""Metadata in a listing: numbers are compared with numbers, texts with texts, and the rest is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from rolltop.errors import InvalidInput

__all__ = ["metadata_condition"]

_SIGNS = {"=": "=", "==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_HOLDS = "EXISTS(SELECT 1 FROM metadata m WHERE m.document = d.id AND m.key = ? AND {})"
_NUMBER = "json_type(m.value) IN ('integer', 'real')"
_TEXT = "json_type(m.value) = 'text'"
_WIDEST = 1 << 63
"""Whole numbers from here on are no numbers to SQLite."""


def metadata_condition(key: str, wanted: Any) -> tuple[str, list[Any]]:
    """SQL for "the value of this key is `wanted`", or what `{">=": 3}` says of it."""
    comparisons = wanted if isinstance(wanted, dict) and wanted else {"=": wanted}
    tests, values = [], list[Any]()
    for test, more in _tests(key, comparisons):
        tests.append(test)
        values += more
    return _HOLDS.format(" AND ".join(tests)), [key, *values]


def _tests(key: str, comparisons: dict[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    for written, value in comparisons.items():
        sign = _SIGNS.get(written)
        if sign is None:
            raise InvalidInput(
                f"metadata.{key} is compared in a way that there is not",
                hint='Compare with =, !=, <, <=, > or >=; an object is compared as a whole, as in {"=": {"a": 1}}.',
            )
        if sign in ("=", "!="):
            test, values = _equal(key, value)
            yield (test if sign == "=" else f"NOT ({test})"), values
        else:
            yield _ordered(key, sign, value)


def _equal(key: str, value: Any) -> tuple[str, list[Any]]:
    if _is_number(key, value) and (isinstance(value, float) or abs(value) < _WIDEST):
        return f"{_NUMBER} AND json_extract(m.value, '$') = ?", [value]
    return "m.value = ?", [json.dumps(value, ensure_ascii=False, sort_keys=True)]


def _ordered(key: str, sign: str, value: Any) -> tuple[str, list[Any]]:
    if _is_number(key, value):
        return f"{_NUMBER} AND json_extract(m.value, '$') {sign} ?", [_bound(value)]
    if isinstance(value, str):
        return f"{_TEXT} AND json_extract(m.value, '$') {sign} ?", [value]
    raise InvalidInput(
        f"metadata.{key} is compared with what has no order", hint="Only numbers and texts are smaller or larger."
    )


def _is_number(key: str, value: Any) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(f"metadata.{key} is compared with a number that is not finite")
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _bound(value: float) -> float:
    """The number as SQLite takes it."""
    if not isinstance(value, int) or abs(value) < _WIDEST:
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
