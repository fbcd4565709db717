"""The one estimate of tokens: from characters, never to bill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_core.jsonable import to_json_bytes

__all__ = ["characters_of", "cost_of", "tokens_of"]

_CHARACTERS_PER_TOKEN = 4.0
"""What a tokenizer makes of English and JSON, on average."""


def tokens_of(characters: int) -> int:
    """Tokens that a text of this many characters takes."""
    return round(characters / _CHARACTERS_PER_TOKEN)


def characters_of(tokens: int) -> int:
    """Characters that fit into this many tokens."""
    return int(tokens * _CHARACTERS_PER_TOKEN)


def cost_of(entry: Mapping[str, Any]) -> int:
    """Tokens of what hosts give the model of a tool's entry in `tools/list`: name, description and input schema."""
    shown = {key: entry[key] for key in ("name", "description", "inputSchema") if key in entry}
    return tokens_of(len(to_json_bytes(shown)))
