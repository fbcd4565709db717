"""Elements by the text of their keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rolltop.transform.stdlib._text import group_key, selector

__all__ = ["Key", "by_key", "group"]

Key = str | Callable[[Any], Any]
"""A property name, or a function of the element."""


def group(array: list[Any], key: Key) -> dict[str, list[Any]]:
    """The elements by the text of their key, in the order of first appearance; those without one under `null`."""
    groups: dict[str, list[Any]] = {}
    key_of = selector(key)
    for item in array:
        value = key_of(item)
        text = value if type(value) is str else group_key(value)
        members = groups.get(text)
        if members is None:
            groups[text] = [item]
        else:
            members.append(item)
    return groups


def by_key(array: list[Any], key: Key) -> dict[str, list[Any]]:
    """The elements that have a key, by its text: what joins and lookups match, because null is no key."""
    found: dict[str, list[Any]] = {}
    key_of = selector(key)
    for item in array:
        value = key_of(item)
        if value is None:
            continue
        text = value if type(value) is str else group_key(value)
        if text in found:
            found[text].append(item)
        else:
            found[text] = [item]
    return found
