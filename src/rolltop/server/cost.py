"""What a tool costs an agent before it is ever called: the tokens of its entry in the list."""

from __future__ import annotations

from mcp_core import Registered
from mcp_core.jsonable import to_json_bytes

__all__ = ["cost_of"]

CHARACTERS_PER_TOKEN = 4.0
"""What a tokenizer makes of English and JSON Schema, on average."""


def cost_of(registered: Registered) -> int:
    """Estimated tokens of what hosts give the model: name, description and input schema."""
    shown = {key: registered.wire[key] for key in ("name", "description", "inputSchema") if key in registered.wire}
    return round(len(to_json_bytes(shown)) / CHARACTERS_PER_TOKEN)
