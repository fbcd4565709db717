"""rolltop: one MCP server that gives an AI agent a desk to work at.

Each engine is a plain library of its own: `rolltop.store`, `rolltop.transform`, `rolltop.reports`,
`rolltop.catalog`, `rolltop.guide`. The command line (`rolltop.cli`) and the MCP server
(`rolltop.server`) are skins over them.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
