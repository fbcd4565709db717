"""The three renderers by name, made when first asked for, and the choice that `auto` makes."""

from __future__ import annotations

from pathlib import Path

from rolltop.errors import PartMissing
from rolltop.reports.config import RendererName, ReportsConfig
from rolltop.reports.containers.engine import ContainerEngine
from rolltop.reports.job import Availability, Renderer
from rolltop.reports.renderers.compose import ComposeRenderer
from rolltop.reports.renderers.docker_api import DockerRenderer
from rolltop.reports.renderers.local import LocalRenderer

__all__ = ["Renderers"]


class Renderers:
    """`local`, `docker` and `compose`; `auto` is local where R is installed, else docker."""

    def __init__(self, config: ReportsConfig, engine_host: str, documents: Path | None = None) -> None:
        self.config = config
        self.documents = documents
        self.engine_host = engine_host
        self._made: dict[str, Renderer] = {}
        self._automatic: Renderer | None = None

    def named(self, name: str) -> Renderer:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Renderer:
        if name == "local":
            return LocalRenderer(self.config, self.documents)
        engine = ContainerEngine(self.engine_host)
        return ComposeRenderer(engine, self.config) if name == "compose" else DockerRenderer(engine, self.config)

    async def choose(self, name: RendererName) -> Renderer:
        """The renderer for a call; what `auto` found stays chosen while it works."""
        if name != "auto":
            return self.named(name)
        if self._automatic is None:
            self._automatic = await self._find()
        return self._automatic

    async def _find(self) -> Renderer:
        said: list[Availability] = []
        for name in ("local", "docker"):
            renderer = self.named(name)
            availability = await renderer.available()
            if availability.ready:
                return renderer
            said.append(availability)
        raise PartMissing(
            "nothing can render here: " + "; ".join(availability.reason for availability in said),
            hint=" Or: ".join(availability.hint for availability in said if availability.hint),
        )

    def close(self) -> None:
        for renderer in self._made.values():
            renderer.close()
