"""Run blocking work for asyncio in a thread of its own, and end it when the task is cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import threading
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["Cancel", "in_loop", "in_thread"]

T = TypeVar("T")


class Cancel:
    """A switch that any thread may throw to end a job."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)

    def cancel(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._write, b"x")

    def is_set(self) -> bool:
        return bool(select.select([self._read], [], [], 0)[0])

    def fileno(self) -> int:
        return self._read

    def __del__(self) -> None:
        for fd in (self._read, self._write):
            with contextlib.suppress(OSError):
                os.close(fd)


async def in_thread(work: Callable[[Cancel], T]) -> T:
    """Run `work` in a thread of its own; cancelling the task throws its switch and waits for its end.

    A thread of its own, because a long job must not take a place in the loop's shared pool.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    cancel = Cancel()

    def settle(value: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(value)

    def target() -> None:
        value, failure = None, None
        try:
            value = work(cancel)
        except BaseException as error:
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle, value, failure)

    threading.Thread(target=target, name="rolltop-job", daemon=True).start()
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        cancel.cancel()
        with contextlib.suppress(Exception):
            await asyncio.shield(future)
        raise


def in_loop(callback: Callable[..., None] | None) -> Callable[..., None] | None:
    """A function for other threads that calls `callback` in the running event loop."""
    if callback is None:
        return None
    loop = asyncio.get_running_loop()

    def call(*arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(callback, *arguments)

    return call
