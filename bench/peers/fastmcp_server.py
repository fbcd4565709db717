"""FastMCP."""

import sys

from common import DESCRIPTION
from fastmcp import FastMCP

transport, count, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
server = FastMCP("peer")


@server.tool(description="Echo")
def echo(text: str) -> str:
    return text


for number in range(1, count):

    def tool(query: str, limit: int = 1, fuzzy: bool = False, tags: str = "", after: str = "") -> str:
        return query

    server.tool(name=f"tool_{number}", description=DESCRIPTION)(tool)
if transport == "stdio":
    server.run("stdio", show_banner=False, log_level="ERROR")
else:
    server.run("http", host="127.0.0.1", port=port, show_banner=False, log_level="ERROR")
