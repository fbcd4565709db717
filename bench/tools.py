"""The six UTL-X tools through stdio: wall time of each call against the response times that were asked for.

.venv/bin/python bench/tools.py [--quick]
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from typing import Any

import _measure

CALLS = 150 if "--quick" in sys.argv else 600
ORDER = (
    '<Order id="1"><Customer><Name>Ann</Name></Customer><Items><Item price="10" quantity="2"/>'
    '<Item price="5" quantity="1"/></Items></Order>'
)
PROGRAM = """%utlx 1.0
input xml
output json
---
{
  orderId: $input.Order.@id,
  customer: $input.Order.Customer.Name,
  items: $input.Order.Items.Item |> map(i => { total: i.@price * i.@quantity }),
  total: sum($input.Order.Items.Item |> map(i => i.@price * i.@quantity))
}"""


def calls(structure: Any) -> list[tuple[str, float, dict[str, Any]]]:
    """Tool, target in milliseconds, arguments."""
    return [
        ("get_input_schema", 500, {"source": ORDER, "format": "xml"}),
        ("get_stdlib_functions", 100, {"search": "group items by key", "limit": 10}),
        ("validate_utlx", 300, {"transformation": PROGRAM, "inputSchema": structure}),
        ("infer_output_schema", 500, {"transformation": PROGRAM, "inputSchema": structure}),
        (
            "execute_transformation",
            1000,
            {"transformation": PROGRAM, "inputData": ORDER, "inputFormat": "xml", "outputFormat": "json"},
        ),
        ("get_examples", 200, {"inputFormat": "xml", "outputFormat": "json", "description": "order to invoice"}),
    ]


async def measure(client: Any, tool: str, arguments: dict[str, Any]) -> list[float]:
    times: list[float] = []
    for number in range(CALLS + 20):
        started = time.perf_counter()
        answer = await client.call_tool(tool, arguments)
        assert answer.structured_content["success"], answer
        if number >= 20:  # the first calls start workers and read the examples
            times.append((time.perf_counter() - started) * 1000)
    return times


async def main() -> None:
    from mcp import Client, StdioServerParameters

    with tempfile.TemporaryDirectory() as scratch:
        env = {**os.environ, "ROLLTOP_WORKSPACE": f"{scratch}/ws", "XDG_CONFIG_HOME": scratch, "HOME": scratch}
        command = ["-m", "rolltop", "serve", "--toolsets", "transform"]
        async with Client(StdioServerParameters(command=sys.executable, args=command, env=env)) as client:
            described = await client.call_tool("get_input_schema", {"source": ORDER, "format": "xml"})
            rows = []
            for tool, target, arguments in calls(described.structured_content["data"]["structure"]):
                times = sorted(await measure(client, tool, arguments))
                p50, p99 = statistics.median(times), times[int(len(times) * 0.99) - 1]
                rows.append([tool, p50, p99, target, target / p99])
    headings = ["tool", "p50 ms", "p99 ms", "target ms", "target / p99"]
    _measure.table(headings, rows)
    _measure.save("tools", [dict(zip(headings, row, strict=True)) for row in rows])


if __name__ == "__main__":
    asyncio.run(main())
