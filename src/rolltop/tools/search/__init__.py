"""Three tools instead of all: search, describe, call. Served with `--tool-mode search`."""

from mcp_core import ToolSet

__all__ = ["TOOLSET"]

TOOLSET = ToolSet(
    name="search",
    summary="Finds, describes and calls all other tools.",
    modules=("rolltop.tools.search.finding",),
    hidden=True,
    instructions="all tools are behind {tool:search_tools}, {tool:describe_tool} and {tool:call_tool}: search first.",
)
