"""The SDK's low-level server as its documentation shows it."""

import sys

import anyio
from common import DESCRIPTION, ECHO_IN, ECHO_OUT, REAL_IN
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

transport, count, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
tools = [Tool(name="echo", description="Echo", input_schema=ECHO_IN, output_schema=ECHO_OUT)]
tools += [
    Tool(name=f"tool_{n}", description=DESCRIPTION, input_schema=REAL_IN, output_schema=ECHO_OUT)
    for n in range(1, count)
]


async def list_tools(ctx, params):
    return ListToolsResult(tools=tools)


async def call_tool(ctx, params):
    text = params.arguments["text"]
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content={"result": text})


server = Server("peer", on_list_tools=list_tools, on_call_tool=call_tool)
if transport == "stdio":

    async def main():
        async with stdio_server() as (reader, writer):
            await server.run(reader, writer, server.create_initialization_options())

    anyio.run(main)
else:
    import uvicorn

    uvicorn.run(
        server.streamable_http_app(),
        host="127.0.0.1",
        port=port,
        log_level="error",
        access_log=False,
        loop="asyncio",
        http="h11",
    )
