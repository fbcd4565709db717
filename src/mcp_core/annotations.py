"""Honest hints about what a tool does; `--read-only`, approval and the wire all read this one field."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DESTROYS", "READS", "RUNS", "WRITES", "ToolAnnotations"]


@dataclass(frozen=True, slots=True)
class ToolAnnotations:
    """MCP's four hints. `open_world`: it reaches beyond this machine's own data."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False

    def wire(self, title: str | None = None) -> dict[str, bool | str]:
        hints: dict[str, bool | str] = {
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }
        return {"title": title, **hints} if title else hints


READS = ToolAnnotations(read_only=True, idempotent=True)
"""Changes nothing."""
WRITES = ToolAnnotations(idempotent=True)
"""Adds or sets; saying it twice is the same as saying it once."""
DESTROYS = ToolAnnotations(destructive=True, idempotent=True)
"""Removes or replaces what was there."""
RUNS = ToolAnnotations()
"""Runs something; twice is not the same as once."""
