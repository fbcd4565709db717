"""The desk's own tools: what every client can use, whichever sets are served."""

from mcp_core import ToolSet

__all__ = ["TOOLSET"]

TOOLSET = ToolSet(
    name="desk",
    summary="Reads what other tools link to.",
    modules=("rolltop.tools.desk.reading",),
    resources="rolltop.tools.desk.made:MadeResources",
    instructions="an answer that was too large links to an answer:// resource; {tool:read_resource} reads it in parts. "
    "made://NAME says how something was made, made://?stale what is out of date.",
)
