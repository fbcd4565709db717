"""The tools over real clients: prompts, cancellation, and many clients at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.anyio

RUN = {"inputData": '{"n": 20}', "inputFormat": "json", "outputFormat": "json"}
ENDLESS = 'let n = split(repeat("x,", 3000), ",")\nmap(n, a => map(n, b => map(n, c => a + b + c) |> count))'
GREEDY = 'reduce(split(repeat("x,", 40), ","), (acc, n) => acc + acc, "xxxxxxxxxxxxxxxx")'


async def test_prompts_lead_through_the_tools(stdio_client: Any) -> None:
    async with stdio_client("--toolsets", "transform") as client:
        names = {prompt.name for prompt in (await client.list_prompts()).prompts}
        assert names >= {"write_transformation", "explain_transformation"}
        asked = {"task": "orders to invoices", "source": "orders.xml", "input_format": "xml"}
        [message] = (await client.get_prompt("write_transformation", asked)).messages
        text = message.content.text
        steps = ["get_input_schema", "get_stdlib_functions", "get_examples", "validate_utlx", "execute_transformation"]
        places = [text.index(step) for step in steps]
        assert places == sorted(places)
        assert "orders.xml" in text
        [message] = (await client.get_prompt("explain_transformation", {"program": "nope($input)"})).messages
        assert "unknown function `nope`" in message.content.text


async def test_a_batch_that_is_cancelled_stops_and_the_server_goes_on(
    stdio_client: Any, environment: dict[str, str]
) -> None:
    home = Path(environment["HOME"])
    for number in range(12):
        (home / f"{number}.json").write_text('{"n": 1}')
    env = {"ROLLTOP_TRANSFORM_TIMEOUT": "600000", "ROLLTOP_TRANSFORM_WORKERS": "4"}
    async with stdio_client("--toolsets", "transform", env=env) as client:
        one = {"transformation": "$input.n + 1", **RUN}
        await client.call_tool("execute_transformation", one)
        formats = {"inputFormat": "json", "outputFormat": "json"}
        batch = {"transformation": ENDLESS, "inputs": [f"{home}/*.json"], **formats}
        task = asyncio.create_task(client.call_tool("transform_batch", batch))
        await asyncio.sleep(2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # Every worker was busy for ten minutes: an answer before shows that they were ended.
        async with asyncio.timeout(120):
            answer = await client.call_tool("execute_transformation", one)
        assert answer.structured_content["data"]["output"] == "21"


async def many_clients(url: str, good: int, bad: int, calls: int) -> list[asyncio.Task[str]]:
    """Good clients get all their answers while hostile ones go on; gives the hostile ones."""
    from mcp import Client

    async def work(number: int) -> None:
        async with Client(url) as client:
            for turn in range(calls):
                program = {"transformation": f"$input.n + {number} * {turn}", **RUN}
                answer = await client.call_tool("execute_transformation", program)
                assert answer.structured_content["data"]["output"] == str(20 + number * turn)

    async def attack(number: int) -> str:
        async with Client(url) as client:
            program = {"transformation": (ENDLESS, GREEDY)[number % 2], **RUN}
            answer = await client.call_tool("execute_transformation", program)
            return str(answer.structured_content["error"]["code"])

    attacks = [asyncio.create_task(attack(number)) for number in range(bad)]
    await asyncio.sleep(0.3)
    await asyncio.gather(*(work(number) for number in range(good)))
    assert not any(task.done() for task in attacks[::2]), "a good client waited for a hostile one"
    return attacks


async def test_clients_do_not_wait_for_hostile_ones(http_server: Callable[..., str]) -> None:
    url = http_server("--toolsets", "transform", env={"ROLLTOP_TRANSFORM_TIMEOUT": "600000"})
    for task in await many_clients(url, good=12, bad=4, calls=2):
        task.cancel()


@pytest.mark.soak
async def test_64_clients_some_of_them_hostile(http_server: Callable[..., str]) -> None:
    url = http_server("--toolsets", "transform", env={"ROLLTOP_TRANSFORM_TIMEOUT": "60000"})
    hostile = await many_clients(url, good=56, bad=8, calls=5)
    assert set(await asyncio.gather(*hostile)) <= {"TIMEOUT", "EXECUTION_ERROR"}
