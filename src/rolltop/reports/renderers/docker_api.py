"""Renders in a container that is created, fed, read and removed through the engine's API."""

from __future__ import annotations

import asyncio
import contextlib

from rolltop.errors import RolltopError
from rolltop.reports.config import MIB, ReportsConfig
from rolltop.reports.containers.attach import attached
from rolltop.reports.containers.engine import ContainerEngine
from rolltop.reports.containers.hardening import container_config, owner_labels, sweep_orphans
from rolltop.reports.containers.image import Recipe, ensure_image
from rolltop.reports.job import Availability, Event, Rendered, RenderJob, Watcher
from rolltop.reports.renderers.interruptions import Following, too_much_memory, took_too_long
from rolltop.reports.renderers.stream_output import StreamReading

__all__ = ["DockerRenderer"]

CONFINEMENT = "container: no network, read-only, no capabilities, limits on memory, processor, processes and time"
KILLED = 137
"""Exit code of a program that got SIGKILL; Podman does not say that it was for memory, so this counts as that."""


class DockerRenderer:
    """One container per render, removed whatever happens."""

    name = "docker"

    def __init__(self, engine: ContainerEngine, config: ReportsConfig) -> None:
        self.engine = engine
        self.config = config
        self.recipe = Recipe.of(config)
        self._swept = False

    async def available(self) -> Availability:
        try:
            await self.engine.ping()
        except RolltopError as error:
            return Availability(False, error.message, error.hint or "")
        return Availability(True)

    async def fingerprint(self) -> str:
        image = await self.engine.image(self.recipe.tag)
        return f"image:{image['Id'] if image else self.recipe.tag}"

    async def render(self, job: RenderJob, watch: Watcher) -> Rendered:
        image = await ensure_image(self.engine, self.recipe, watch)
        await self._sweep_once()
        at = Following(job, watch, self.name)
        at(Event("start"))
        container = await self.engine.create(container_config(image, self.config, owner_labels(job.timeout)))
        try:
            return await self._run(container, at)
        finally:
            # Shielded: a cancelled render must not leave its container, not even when it is cancelled again.
            await asyncio.shield(asyncio.ensure_future(self._remove(container)))

    async def _run(self, container: str, at: Following) -> Rendered:
        reading = StreamReading(at)
        try:
            async with asyncio.timeout(at.job.timeout), attached(self.engine, container) as streams:
                await self.engine.start(container)
                await streams.write(at.job.request() + b"\n")
                async for stream, data in streams.read(self.config.output_limit * MIB * 2):
                    reading.take(stream, data)
                code = await self.engine.wait(container)
        except TimeoutError:
            raise took_too_long(at) from None
        await self._check_memory(container, code, at)
        return reading.result(confinement=CONFINEMENT, ended=f"exit code {code}")

    async def _check_memory(self, container: str, code: int, at: Following) -> None:
        if code == KILLED or (await self.engine.inspect(container))["State"].get("OOMKilled"):
            raise too_much_memory(at, self.config.memory)

    async def _remove(self, container: str) -> None:
        with contextlib.suppress(RolltopError):
            await self.engine.remove(container)

    async def _sweep_once(self) -> None:
        if not self._swept:
            self._swept = True
            await sweep_orphans(self.engine)

    def close(self) -> None:
        """Nothing outlives a render."""
