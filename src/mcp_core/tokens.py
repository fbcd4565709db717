"""Estimate tokens from characters. All token counts of the server use this estimate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_core.jsonable import to_json_bytes

__all__ = ["characters_of", "cost_of", "tokens_of"]

_CHARACTERS_PER_TOKEN = 4.0
"""The average for English text and JSON."""


def tokens_of(characters: int) -> int:
    """Tokens that a text of this many characters takes."""
    return round(characters / _CHARACTERS_PER_TOKEN)


def characters_of(tokens: int) -> int:
    """Characters that fit into this many tokens."""
    return int(tokens * _CHARACTERS_PER_TOKEN)


def cost_of(entry: Mapping[str, Any]) -> int:
    """Tokens of the parts of a `tools/list` entry that hosts pass to the model: name, description, input schema."""
    shown = {key: entry[key] for key in ("name", "description", "inputSchema") if key in entry}
    return tokens_of(len(to_json_bytes(shown)))
