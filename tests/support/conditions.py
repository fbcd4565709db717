"""Waiting for what must happen instead of for a length of time: a busy machine makes it later, not wrong."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["LONG", "wait_until", "wait_until_async"]

LONG = 120.0
"""Seconds after which a test gives up. It only keeps a broken program from hanging the run."""

T = TypeVar("T")


def wait_until(condition: Callable[[], T], timeout: float = LONG) -> T:
    """The first true value of `condition`, which is asked again and again."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"still {value!r} after {timeout:.0f} seconds: {condition}")
        time.sleep(0.01)
    return value


async def wait_until_async(condition: Callable[[], T]) -> T:
    """`wait_until` that lets other tasks run meanwhile."""
    async with asyncio.timeout(LONG):
        while not (value := condition()):  # noqa: ASYNC110 - a condition, not an event
            await asyncio.sleep(0.01)
    return value
