"""Tool infrastructure for MCP servers, reusable: it knows nothing of rolltop."""
