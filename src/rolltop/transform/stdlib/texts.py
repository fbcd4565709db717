"""The text of any value, and keys that compare as the language's `==` does."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable
from contextlib import suppress
from decimal import Decimal
from typing import Any

from rolltop.transform.values import Node, as_decimal, kind_of, scalar_text, unwrap

__all__ = ["group_key", "identity", "key_text", "property_of", "quoted", "selector", "text_of"]


def text_of(value: Any) -> str:
    """What `toString` gives: null is "", arrays `[a, b]`, objects `{k: v}`."""
    if type(value) is str:
        return value
    if value is None:
        return ""
    if type(value) is int:
        return str(value)
    text = scalar_text(value)
    if text is not None:
        return text
    if isinstance(value, list):
        return f"[{', '.join(map(key_text, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {key_text(item)}" for name, item in value.items()) + "}"
    return f"<binary:{len(value)} bytes>" if isinstance(value, bytes) else f"<{kind_of(value)}>"


def quoted(text: str) -> str:
    """A text inside a message: in quotes, cut when it is long."""
    return f"'{text}'" if len(text) <= _SHOWN else f"'{text[:_SHOWN]}…'"


_SHOWN = 60


def key_text(value: Any) -> str:
    """The text of a value as the name of a property; null is `null`."""
    if type(value) is str:
        return value
    return "null" if value is None else text_of(value)


def group_key(value: Any) -> str:
    """The text under which a value groups, joins and is looked up: a moment is told in UTC, whatever clock shows it."""
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        with suppress(OverflowError):  # of the first or last day there is; no other value is that moment
            value = value.astimezone(dt.UTC)
    return key_text(value)


def identity(value: Any) -> Hashable:
    """A hashable stand-in: two values have equal ones exactly when the language calls them equal."""
    kind = type(value)
    if kind is str or kind is int or kind is float or value is None:
        return value  # type: ignore[no-any-return]
    if kind is Decimal:
        shortest = float(value)
        return shortest if as_decimal(shortest) == value else value
    if kind is list:
        return ("array", *map(identity, value))
    if isinstance(value, dict):
        attributes = frozenset(value.attributes.items()) if type(value) is Node else frozenset()
        return "object", frozenset((name, identity(item)) for name, item in value.items()), attributes
    return (dt.datetime if isinstance(value, dt.datetime) else kind), value


def property_of(value: Any, name: str) -> Any:
    """A property (`name`) or attribute (`@name`) of an object; null when it is not there."""
    if not isinstance(value, dict):
        return None
    if name in value:
        return unwrap(value[name])
    if name.startswith("@") and type(value) is Node:
        return value.attributes.get(name[1:])
    return None


def selector(key: str | Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A key given as property name or lambda, as a function of the element."""
    if isinstance(key, str):
        return lambda element: property_of(element, key)
    return key
