"""OData JSON: control information (`@odata.…`) becomes attributes, and comes back on output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform.formats.json import read as read_json
from rolltop.transform.formats.json import render
from rolltop.transform.formats.plain import plain
from rolltop.transform.values import Node

__all__ = ["read", "write"]

_FULL = ("odata.type", "odata.id", "odata.etag")


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    """JSON with its annotations moved aside; a bare collection becomes an array."""
    return _from(read_json(data, options))


def _from(value: Any) -> Any:
    if isinstance(value, list):
        return [_from(item) for item in value]
    if not isinstance(value, dict):
        return value
    properties: dict[str, Any] = {}
    attributes: dict[str, str] = {}
    notes: dict[str, dict[str, str]] = {}
    for key, item in value.items():
        owner, mark, name = key.partition("@odata.")
        if not mark:
            properties[key] = _from(item)
        elif owner:
            notes.setdefault(owner, {})["odata." + name] = _text(item)
        else:
            attributes["odata." + name] = _text(item)
    for owner, found in notes.items():
        if isinstance(properties.get(owner), dict):
            properties[owner] = _with(properties[owner], found)
    if not attributes and len(properties) == 1 and isinstance(properties.get("value"), list):
        return properties["value"]
    return Node(properties, attributes) if attributes else properties


def _with(value: dict[str, Any], attributes: dict[str, str]) -> Node:
    return Node(value, {**getattr(value, "attributes", {}), **attributes})


def _text(value: Any) -> str:
    return value if isinstance(value, str) else render(plain(value), 0)


def write(value: Any, options: Mapping[str, Any]) -> str:
    """OData JSON with as much control information as `metadata` asks for."""
    level = options.get("metadata", "minimal")
    if level not in ("minimal", "full", "none"):
        raise InvalidInput(f"unknown OData metadata level {level!r}", hint="Known are minimal, full and none.")
    shown = _to(value, full=level == "full")
    is_list = isinstance(shown, list)
    head: dict[str, Any] = {}
    context = options.get("context") or getattr(value, "attributes", {}).get("odata.context")
    if level != "none" and context is not None:
        head["@odata.context"] = context
    if not is_list or options.get("wrapCollection") is False:
        return render(shown if is_list or not isinstance(shown, dict) else {**head, **shown})
    if level == "full":
        head["@odata.count"] = len(shown)
    return render({**head, "value": shown})


def _to(value: Any, *, full: bool) -> Any:
    if isinstance(value, list):
        return [_to(item, full=full) for item in value]
    if not isinstance(value, dict):
        return plain(value)
    shown: dict[str, Any] = {}
    attributes: dict[str, str] = getattr(value, "attributes", {})
    if full:
        shown.update({"@" + name: attributes[name] for name in _FULL if name in attributes})
    for key, item in value.items():
        if full and isinstance(item, Node):
            shown.update({f"{key}@{name}": text for name, text in item.attributes.items() if name not in _FULL})
        shown["#text" if key == "_text" else key] = _to(item, full=full)
    return shown
