"""The desk's own tools: what every client can use, whichever sets are served."""

from mcp_core import ToolSet

__all__ = ["TOOLSET"]

TOOLSET = ToolSet(
    name="desk",
    summary="Reads what other tools link to.",
    modules=("rolltop.tools.desk.reading",),
    instructions="an answer that was too large links to an answer:// resource; {tool:read_resource} reads it in parts.",
)
