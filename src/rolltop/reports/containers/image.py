"""The image: its recipe, and building it when a render first needs it and again only when the recipe changed."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

from rolltop.errors import RolltopError
from rolltop.reports.config import ReportsConfig
from rolltop.reports.containers.bootstrap import Bootstrap
from rolltop.reports.containers.engine import ContainerEngine, EngineError
from rolltop.reports.job import Event, Watcher
from rolltop.reports.r_code import ONCE, code

__all__ = ["ROCKER", "Recipe", "ensure_image", "image_ready"]

ROCKER = "rocker/r-ver:4.4.3"
REPOSITORY = "rolltop-reports"
MAIN = '\nrender_once(readLines(file("stdin", "r"), 1L))\n'


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what is in the image. `base`: a reference, `debian`, or `auto`."""

    base: str = "auto"
    packages: tuple[str, ...] = ()
    mirror: str = ""

    @classmethod
    def of(cls, config: ReportsConfig) -> Recipe:
        return cls(config.image_base, tuple(sorted(config.packages)), config.mirror)

    @cached_property
    def context(self) -> Mapping[str, bytes]:
        """The files of the build."""
        folder = files("rolltop.reports.containers") / "image"
        found = {name: (folder / name).read_bytes() for name in ("Dockerfile", "install.sh")}
        return {**found, "main.R": (code(ONCE) + MAIN).encode()}

    @cached_property
    def tag(self) -> str:
        """The image's name: changes exactly when the recipe does."""
        digest = hashlib.sha256(json.dumps([self.base, self.packages]).encode())
        for name, data in sorted(self.context.items()):
            digest.update(name.encode() + data)
        if self.base in ("auto", "debian"):
            digest.update(self.bootstrap.reference.encode())
        return f"{REPOSITORY}:{digest.hexdigest()[:16]}"

    @cached_property
    def bootstrap(self) -> Bootstrap:
        return Bootstrap(self.packages, self.mirror)


async def image_ready(engine: ContainerEngine, recipe: Recipe) -> bool:
    return await engine.image(recipe.tag) is not None


async def ensure_image(engine: ContainerEngine, recipe: Recipe, watch: Watcher, *, again: bool = False) -> str:
    """The reference of an image that follows the recipe, built now if there is none (or `again`)."""
    if not again and await image_ready(engine, recipe):
        return recipe.tag
    async with engine.building:
        if again or not await image_ready(engine, recipe):
            base = await _base(engine, recipe, watch)
            await _build(engine, recipe, base, watch)
    return recipe.tag


async def _base(engine: ContainerEngine, recipe: Recipe, watch: Watcher) -> str:
    """The base to build on: what was asked for; with `auto` rocker's, or a bootstrap if it cannot be had."""
    if recipe.base not in ("auto", "debian"):
        return recipe.base
    if recipe.base == "auto" and await _has_or_pulls(engine, ROCKER, watch):
        return ROCKER
    return await recipe.bootstrap.ensure(engine, watch)


async def _has_or_pulls(engine: ContainerEngine, reference: str, watch: Watcher) -> bool:
    if await engine.image(reference) is not None:
        return True
    watch(Event("image", message=f"looking for {reference}"))
    name, _, tag = reference.partition(":")
    try:
        async for event in engine.stream("POST", "/images/create", params={"fromImage": name, "tag": tag}):
            watch(Event("image", message=f"pulling {reference}: {event.get('status', '')}"[:120]))
    except EngineError:
        return False
    return await engine.image(reference) is not None


async def _build(engine: ContainerEngine, recipe: Recipe, base: str, watch: Watcher) -> None:
    watch(Event("image", message=f"building {recipe.tag} on {base}"))
    bootstrapped = base.startswith(f"{REPOSITORY}-base:")
    query = {
        "t": recipe.tag,
        "rm": "true",
        "forcerm": "true",
        "buildargs": json.dumps({"BASE": base, "PACKAGES": " ".join(recipe.packages)}),
        "labels": json.dumps({"rolltop.recipe": recipe.tag}),
        # A bootstrapped base has everything already, so its build needs no network and gets none.
        **({"networkmode": "none"} if bootstrapped else {}),
    }
    said: list[str] = []
    try:
        events = engine.stream(
            "POST",
            "/build",
            params=query,
            content=_archive(recipe.context),
            headers={"Content-Type": "application/x-tar"},
        )
        async for event in events:
            if line := str(event.get("stream", "")).strip():
                said = [*said[-20:], line]
                watch(Event("image", message=line[:120]))
    except RolltopError as error:
        raise EngineError(f"building the image failed: {error.message}", details={"log": "\n".join(said)}) from None
    if not await image_ready(engine, recipe):
        raise EngineError("building the image left no image", details={"log": "\n".join(said)})


def _archive(context: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in sorted(context.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()
