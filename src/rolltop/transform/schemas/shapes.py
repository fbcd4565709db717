"""Whether the parts of a description have the shape that every writer counts on.

A program may put anything under a directive, and a schema that was read may hold anything where a list or a name
belongs. Writers would fail somewhere inside; here the place is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform.errors import WriteFailure
from rolltop.transform.values import kind_of, scalar_text

__all__ = ["check_shapes"]

_LISTS = ("%values", "%members", "%unionTypes", "%enum", "%reserved", "%reservedNames", "%aliases")
_PARTS = ("%fields", "%attributes", "%navigation")
"""Lists of parts, of which one alone may stand without its list."""
_TEXTS = (
    "%kind", "%type", "%itemType", "%keyType", "%logicalType", "%schemaType", "%protoType", "%oneof", "%extends",
    "%baseType", "%target", "%documentation", "%description",
)  # fmt: skip


def check_shapes(types: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse lists and names of the wrong kind, with the type and the field that they are in."""
    for name, type_ in types.items():
        _check(type_, name)


def _check(part: Mapping[str, Any], place: str) -> None:
    for key in _LISTS:
        if not isinstance(part.get(key, []), list | None):
            raise _refused(place, key, "an array", part[key])
    for key in _TEXTS:
        if scalar_text(part.get(key)) is None:
            raise _refused(place, key, "text", part[key])
    for key in _PARTS:
        inner = part.get(key)
        if inner is not None and not isinstance(inner, list | dict):
            raise _refused(place, key, "an array", inner)
        for item in [inner] if inner and isinstance(inner, dict) else inner or ():
            if not isinstance(item, dict) or not isinstance(item.get("%name"), str):
                raise WriteFailure(f"{place}: every entry of {key} needs a %name")
            _check(item, f"{place}.{item['%name']}")
    for item in (part.get("%items"), part.get("%content"), *(part.get("%unionTypes") or ())):
        if isinstance(item, dict):
            _check(item, place)


def _refused(place: str, key: str, wanted: str, found: Any) -> WriteFailure:
    kind = kind_of(found)
    return WriteFailure(
        f"{place}: {key} must be {wanted}, not {'an' if kind[0] in 'ao' else 'a'} {kind}",
        hint='For example { %name: "tags", %type: "string", %array: true }, or %values: ["A", "B"].',
    )
