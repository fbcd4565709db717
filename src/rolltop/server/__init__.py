"""MCP: the application, its resources, and its transports.

`Application` (which imports no MCP library) holds the tools of one server; `RequestPath` answers every request, `sdk`
holds the official SDK behind it, `stdio` and `http` carry messages. The command line uses the application alone.
`docs/design/request.md` follows a request through them.
"""
