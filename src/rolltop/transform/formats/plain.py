"""Values as JSON and YAML have them: no elements, no dates, no doubles that are whole numbers."""

from __future__ import annotations

import base64
import datetime as dt
import math
from decimal import Decimal
from typing import Any

from rolltop.transform.errors import WriteFailure
from rolltop.transform.values import Node, as_decimal, iso_text

__all__ = ["plain"]


def plain(value: Any, *, write_attributes: bool = False, skip_namespaces: bool = False) -> Any:
    """A copy of the value made of null, booleans, numbers, texts, lists and dicts only.

    Attributes become `@name` keys before the properties; the text of an element that also has
    attributes or children is `#text`. An element with text and attributes alone is written as its
    text, unless `write_attributes` asks to keep them; so is an object with nothing but `_text`.
    """
    return _Plain(write_attributes, skip_namespaces).convert(value)


class _Plain:
    def __init__(self, write_attributes: bool, skip_namespaces: bool) -> None:
        self.write_attributes = write_attributes
        self.skip_namespaces = skip_namespaces

    def convert(self, value: Any) -> Any:
        kind = type(value)
        if kind is str or kind is int or kind is bool or value is None:
            return value
        if kind is float:
            return whole(value)
        if kind is Decimal:
            return _decimal(value)
        if kind is list:
            return [self.convert(item) for item in value]
        if kind is dict:
            if "_text" in value:
                return self._text(value)
            return {key: self.convert(item) for key, item in value.items()}
        if kind is Node:
            return self._node(value)
        if isinstance(value, (dt.date, dt.time)):
            return iso_text(value)
        if kind is bytes:
            return base64.b64encode(value).decode()
        raise WriteFailure(
            "a function cannot be written" if callable(value) else f"a {kind.__name__} cannot be written",
            hint="Call it, or leave it out of the result.",
        )

    def _text(self, value: dict[str, Any]) -> Any:
        """An object that was made like an element with text; with nothing else it is that text."""
        if len(value) == 1:
            return self.convert(value["_text"])
        return {("#text" if key == "_text" else key): self.convert(item) for key, item in value.items()}

    def _node(self, node: Node) -> Any:
        if len(node) == 1 and "_text" in node and not (self.write_attributes and _real_attributes(node)):
            return self.convert(node["_text"])
        shown: dict[str, Any] = {
            "@" + name: text
            for name, text in node.attributes.items()
            if not (self.skip_namespaces and name.startswith("xmlns"))
        }
        for key, item in node.items():
            shown["#text" if key == "_text" else key] = self.convert(item)
        return shown


def _real_attributes(node: Node) -> bool:
    return any(not name.startswith("xmlns") for name in node.attributes)


def _decimal(number: Decimal) -> Any:
    """A decimal as the integer or double that has its digits; else it stays one, and writers print its digits."""
    if number == number.to_integral_value() and abs(number) < _LARGEST:
        return int(number)
    nearest = float(number)
    return nearest if as_decimal(nearest) == number else number


_LARGEST = 2.0**63
"""What comes after the largest integer of 64 bits is still written in full, as what it is."""


def whole(number: float) -> int | float | None:
    """A double without its empty fraction; what JSON lacks (NaN, Infinity) is null."""
    if number.is_integer():
        return int(number) if -_LARGEST <= number <= _LARGEST else number
    return number if math.isfinite(number) else None
