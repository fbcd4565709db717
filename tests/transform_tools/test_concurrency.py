"""Many callers at once, some of them hostile: the good ones get their answers and wait for nobody."""

from __future__ import annotations

import asyncio
import time

import pytest

from rolltop.errors import RolltopError
from rolltop.transform.service import Service, ServiceConfig

pytestmark = pytest.mark.anyio

ENDLESS = 'let n = split(repeat("x,", 3000), ",")\nmap(n, a => map(n, b => map(n, c => a + b + c) |> count))'
GREEDY = 'reduce(split(repeat("x,", 40), ","), (acc, n) => acc + acc, "xxxxxxxxxxxxxxxx")'
RUN = {"data": '{"n": 20}', "input_format": "json", "output_format": "json"}
LIMIT = 8.0


async def test_64_callers() -> None:
    service = Service(ServiceConfig(timeout=LIMIT, workers=16))
    await service.ask("execute", transformation="1", **RUN)

    async def good(number: int) -> float:
        started = time.monotonic()
        for turn in range(5):
            answer = await service.ask("execute", transformation=f"$input.n + {number} * {turn}", **RUN)
            assert answer["output"] == str(20 + number * turn)
        return time.monotonic() - started

    async def bad(program: str) -> str:
        with pytest.raises(RolltopError) as failure:
            await service.ask("execute", transformation=program, **RUN)
        return failure.value.error_type

    hostile = [asyncio.create_task(bad(program)) for program in [ENDLESS, GREEDY] * 4]
    await asyncio.sleep(0.2)
    try:
        waited = await asyncio.gather(*(good(number) for number in range(56)))
        assert max(waited) < LIMIT * 0.9, "a good caller waited for a hostile one"
        assert set(await asyncio.gather(*hostile)) == {"TIMEOUT", "EXECUTION_ERROR"}
    finally:
        service.close()
