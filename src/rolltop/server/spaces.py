"""The spaces of a team's workspace: each is an application of its own, started when somebody first asks for it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any

from rolltop.server.application import Application
from rolltop.settings import Settings

__all__ = ["Served", "Spaces", "space_settings"]

logger = logging.getLogger("rolltop.server")

App = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]


@dataclass(frozen=True)
class Served:
    """One application behind HTTP: where its messages go, and what has to run meanwhile."""

    application: Application
    app: App
    running: Callable[[], AbstractAsyncContextManager[Any]]


def space_settings(settings: Settings, name: str) -> Settings:
    """The settings of a space: those of the server, with a workspace and an export folder of its own."""
    workspace = settings.workspace / "spaces" / name
    own = [root for root in settings.roots if root != settings.exports]
    inner = replace(settings, workspace=workspace, export_folder=None, team_workspace=settings.workspace)
    return replace(inner, roots=(*own, inner.exports))


class Spaces:
    """Starts spaces and keeps them; used from one event loop. `start` builds one, in a thread."""

    def __init__(self, settings: Settings, start: Callable[[Settings], Served]) -> None:
        self._settings, self._start = settings, start
        self._served: dict[str, asyncio.Task[Served]] = {}
        self._running = contextlib.AsyncExitStack()
        self._entering = asyncio.Lock()

    async def get(self, name: str) -> Served:
        """The space of that name, which exists."""
        task = self._served.get(name)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._served[name] = asyncio.create_task(self._begin(name))
        return await asyncio.shield(task)

    async def _begin(self, name: str) -> Served:
        served = await asyncio.to_thread(self._start, space_settings(self._settings, name))
        keeper = _Keeper(served)
        async with self._entering:
            await keeper.begin()
            self._running.push_async_callback(keeper.end)
        logger.info("the space %s is served", name)
        return served

    def applications(self) -> list[Application]:
        """Those that were started."""
        done = [task for task in self._served.values() if task.done() and not task.cancelled()]
        return [task.result().application for task in done if task.exception() is None]

    async def close(self) -> None:
        await self._running.aclose()


class _Keeper:
    """Runs a context in a task of its own, because it must be left by the task that entered it."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._ready, self._over = asyncio.Event(), asyncio.Event()

    async def begin(self) -> None:
        self._task = asyncio.create_task(self._run())
        ready = asyncio.create_task(self._ready.wait())
        await asyncio.wait({self._task, ready}, return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if self._task.done():
            self._task.result()

    async def end(self) -> None:
        self._over.set()
        await self._task

    async def _run(self) -> None:
        async with self._served.running():
            self._ready.set()
            await self._over.wait()
