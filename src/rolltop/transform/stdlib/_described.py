"""Values described for people who look for a mistake: the type, the size, the parts."""

from __future__ import annotations

from typing import Any

from rolltop.transform.values import Node, kind_of, scalar_text

__all__ = ["described", "parts"]

LONGEST = 80


def described(value: Any) -> str:
    """The type of a value with its size or its text."""
    kind = kind_of(value)
    if isinstance(value, (dict, list)):
        named = f" <{value.name}>" if isinstance(value, Node) and value.name else ""
        return f"{kind}({len(value)}){named}"
    if value is None or kind == "function":
        return kind
    if isinstance(value, bytes):
        return f"binary of {len(value)} bytes"
    text = scalar_text(value) or ""
    shown = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    return f'{kind} "{shown}"' if kind == "string" else f"{kind} {shown}"


def parts(value: Any) -> list[tuple[str, Any]]:
    """What is inside: attributes, properties, elements."""
    if isinstance(value, list):
        return [(f"[{at}]", item) for at, item in enumerate(value)]
    if not isinstance(value, dict):
        return []
    attributes = getattr(value, "attributes", {})
    return [*((f"@{name}", text) for name, text in attributes.items()), *value.items()]
