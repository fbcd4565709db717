"""The SDK's MCPServer."""

import sys

from common import DESCRIPTION
from mcp.server.mcpserver import MCPServer

transport, count, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
server = MCPServer("peer", log_level="ERROR")


@server.tool(description="Echo")
def echo(text: str) -> str:
    return text


for number in range(1, count):

    def tool(query: str, limit: int = 1, fuzzy: bool = False, tags: str = "", after: str = "") -> str:
        return query

    server.tool(name=f"tool_{number}", description=DESCRIPTION)(tool)
if transport == "stdio":
    server.run("stdio")
else:
    server.run("streamable-http", host="127.0.0.1", port=port)
