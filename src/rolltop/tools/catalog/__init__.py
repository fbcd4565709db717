"""Documented functions become tools: build definitions, look at them, call them."""

from mcp_core import ToolSet

__all__ = ["TOOLSET"]

TOOLSET = ToolSet(
    name="catalog",
    summary="Turns documented R and Python functions into tools, and serves them.",
    modules=("rolltop.tools.catalog.authoring", "rolltop.tools.catalog.calling"),
    needs="rolltop.tools.catalog.needs:check",
    live="rolltop.tools.catalog.live:served_tools",
    instructions=(
        "{tool:mcptool_build} turns documented functions of a package into definitions; "
        "{tool:mcptool_attach} and {tool:mcptool_call} call them in a sandbox."
    ),
)
