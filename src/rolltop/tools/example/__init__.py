"""The example set: three small tools that show how tools are written.

Served only when `MCP_INCLUDE_EXAMPLE_TOOLS` is exactly `true`; otherwise `tool_example` is not even imported.
"""

from mcp_core import ToolSet

__all__ = ["TOOLSET"]

TOOLSET = ToolSet(
    name="example",
    summary="Shows how tools are written.",
    modules=("rolltop.tools.example.tool_example",),
    hidden=True,
)
