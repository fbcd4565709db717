"""MCP: the server over the desk, its resources, and its transports.

`Application` (which imports no MCP) holds the tools of one server; `protocol` puts it behind the official SDK,
`stdio` and `http` carry it. The command line uses the desk alone.
"""
