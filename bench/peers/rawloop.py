"""The floor: a loop that parses, answers and forgets; no protocol to speak of."""

import sys

import orjson
from common import DESCRIPTION, ECHO_IN, ECHO_OUT, REAL_IN

count = int(sys.argv[2])
tools = [{"name": "echo", "inputSchema": ECHO_IN, "outputSchema": ECHO_OUT}]
tools += [{"name": f"tool_{n}", "description": DESCRIPTION, "inputSchema": REAL_IN} for n in range(1, count)]
for line in sys.stdin.buffer:
    message = orjson.loads(line)
    method = message.get("method")
    if method == "initialize":
        result = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "raw", "version": "1"},
        }
    elif method == "tools/list":
        result = {"tools": tools}
    elif method == "tools/call":
        text = message["params"]["arguments"]["text"]
        result = {"content": [{"type": "text", "text": text}], "structuredContent": {"result": text}}
    else:
        continue
    sys.stdout.buffer.write(orjson.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + b"\n")
    sys.stdout.buffer.flush()
