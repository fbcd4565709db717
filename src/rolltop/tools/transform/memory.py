"""Answers of pure work from memory: the same job on the same data by the same engine."""

from __future__ import annotations

import hashlib
import time
from typing import Any

import orjson

from mcp_core import ToolContext
from rolltop.workspace import Workspace

__all__ = ["FRESH", "ask"]

FRESH = "Not from memory."
"""The description of an argument `fresh`."""


async def ask(ctx: ToolContext[Workspace], job: str, *, fresh: bool = False, **arguments: Any) -> Any:
    """The answer of a job of the engine; from memory, and then `memoised`, unless it is to be `fresh`.

    What a daemon answers is not remembered: nobody knows its version.
    """
    service, memo = ctx.workspace.transform, ctx.workspace.memo
    if service.daemon is not None:
        return await service.ask(job, **arguments)
    if job == "execute":
        arguments["tell_purity"] = True
    try:
        key = hashlib.sha256(orjson.dumps([service.fingerprint, job, arguments])).hexdigest()
    except (TypeError, orjson.JSONEncodeError):
        key = ""  # the engine says what is wrong with it
    begun = time.perf_counter()
    if key and not fresh and (kept := memo.get(key)) is not None:
        remembered: dict[str, Any] = orjson.loads(kept)
        if "executionTime" in remembered:
            remembered["executionTime"] = round((time.perf_counter() - begun) * 1000, 3)
        return remembered | {"memoised": True}
    answer: dict[str, Any] = await service.ask(job, **arguments)
    if answer.pop("pure", True) and key and not ctx.workspace.settings.read_only:
        await ctx.run(memo.put, key, orjson.dumps(answer))
    return answer
