"""Type annotations: read from the tokens into the notation of `rolltop.transform.types`."""

from __future__ import annotations

from rolltop.transform.syntax.cursor import Cursor

__all__ = ["parse_annotation"]

_NAMES = frozenset(
    [
        "String",
        "Number",
        "Integer",
        "Boolean",
        "Null",
        "Date",
        "DateTime",
        "LocalDateTime",
        "Time",
        "Binary",
        "Any",
        "Object",
        "Array",
        "Map",
        "Function",
    ]
)


def parse_annotation(cursor: Cursor) -> str:
    """A type; a union is written with `|` (or, as of old, `|>`)."""
    parts = [_nullable(cursor)]
    while cursor.kind in ("|", "|>"):
        cursor.advance()
        parts.append(_nullable(cursor))
    return " | ".join(parts)


def _nullable(cursor: Cursor) -> str:
    token = cursor.expect("name", "Expected a type")
    text = cursor.texts[token]
    if text not in _NAMES:
        known = f"Known are {', '.join(sorted(_NAMES))}."
        raise cursor.error(f"Unknown type: {text}", at=cursor.offsets[token], hint=known)
    if text in ("Array", "Map") and cursor.accept("<"):
        text = f"{text}<{parse_annotation(cursor)}>"
        cursor.expect(">", "expected '>' after the element type")
    while cursor.accept("?"):
        text += "?"
    return text
