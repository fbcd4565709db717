"""MCP: the server, its resources and transports."""
