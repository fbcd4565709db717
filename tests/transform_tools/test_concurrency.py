"""Many callers at once, some of them hostile: the good ones get their answers and wait for nobody."""

from __future__ import annotations

import asyncio

import pytest

from rolltop.errors import RolltopError
from rolltop.transform.service import Service, ServiceConfig

pytestmark = pytest.mark.anyio

ENDLESS = 'let n = split(repeat("x,", 3000), ",")\nmap(n, a => map(n, b => map(n, c => a + b + c) |> count))'
GREEDY = 'reduce(split(repeat("x,", 40), ","), (acc, n) => acc + acc, "xxxxxxxxxxxxxxxx")'
RUN = {"data": '{"n": 20}', "input_format": "json", "output_format": "json"}


async def test_64_callers() -> None:
    service = Service(ServiceConfig(timeout=600, workers=16))
    await service.ask("execute", transformation="1", **RUN)

    async def good(number: int) -> None:
        for turn in range(5):
            answer = await service.ask("execute", transformation=f"$input.n + {number} * {turn}", **RUN)
            assert answer["output"] == str(20 + number * turn)

    async def bad(program: str) -> str:
        with pytest.raises(RolltopError) as failure:
            await service.ask("execute", transformation=program, **RUN)
        return failure.value.error_type

    endless, greedy = ([asyncio.create_task(bad(program)) for _ in range(4)] for program in (ENDLESS, GREEDY))
    try:
        await asyncio.gather(*(good(number) for number in range(56)))
        assert not any(task.done() for task in endless), "a good caller waited for a hostile one"
        assert set(await asyncio.gather(*greedy)) == {"EXECUTION_ERROR"}
        for task in endless:
            task.cancel()
        await asyncio.gather(*endless, return_exceptions=True)
    finally:
        service.close()
