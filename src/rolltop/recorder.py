"""Record what a call uses and makes: the bridge from tools to `rolltop.origin`."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from mcp_core import ToolArguments, ToolContext
from rolltop import __version__
from rolltop.errors import InvalidInput, NotFound, RolltopError
from rolltop.origin import Lineage, Making, Part
from rolltop.references import (
    Kept,
    Source,
    Wanted,
    is_reference,
    read_reference,
    store_output,
    stored_hash,
)
from rolltop.workspace import Workspace

__all__ = ["Recorder", "current_hashes", "lineage_dict", "text_hash", "thing_named"]

_CATALOG = "catalog:///"
_NOT_KEPT = {"confirm", "fresh"}


def text_hash(text: str | bytes) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text).hexdigest()


class Recorder:
    """Notes the inputs and outputs of one call; `record` keeps them, if anything was made."""

    def __init__(self, ctx: ToolContext[Workspace], args: ToolArguments) -> None:
        self._ctx, self._args, self._tool = ctx, args, ctx.tool
        self._inputs: list[Part] = []
        self._outputs: list[Part] = []
        self._started, self._begun = time.time(), time.perf_counter()

    async def read(self, role: str, uri: str) -> Source:
        """What a reference names, noted as an input."""
        source = await read_reference(self._ctx, uri)
        self.used(role, source.uri, source.hash, len(source.data))
        return source

    async def text(self, role: str, text: str) -> str:
        """A text that was given, or that of what a reference names."""
        if not is_reference(text):
            self.given(role, text)
            return text
        try:
            return (await self.read(role, text)).data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InvalidInput(f"{text} is not text in UTF-8") from None

    def given(self, role: str, data: str | bytes) -> None:
        """Data that is part of the call; its hash is worked out when it is needed."""
        if self._keeps:
            self.used(role, "", text_hash(data), len(data))

    def used(self, role: str, uri: str, digest: str, size: int) -> None:
        self._inputs.append(Part(role, uri, digest, size))

    def made(self, role: str, uri: str, digest: str, size: int) -> None:
        self._outputs.append(Part(role, uri, digest, size))

    async def keep(
        self, wanted: Wanted, data: str | bytes, *, name: str | None = None, mime: str | None = None
    ) -> Kept:
        """Store an output, noted as such."""
        kept = await store_output(self._ctx, wanted, data, name=name, mime=mime)
        self.made("output", kept.uri, kept.hash, kept.size)
        return kept

    async def record(self, versions: Mapping[str, str] | None = None, *, is_copy: bool = False) -> None:
        """Keep the origin of what was made; on disk when this returns."""
        ctx = self._ctx
        if not self._outputs or ctx.workspace.settings.read_only:
            return
        arguments = self._args.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude=_NOT_KEPT)
        making = Making(
            tool=self._tool,
            arguments=arguments,
            inputs=tuple(self._inputs),
            outputs=tuple(self._outputs),
            versions={"rolltop": __version__, **(versions or {})},
            client=ctx.client.name,
            client_version=ctx.client.version,
            principal=ctx.principal or "",
            session=ctx.client.session,
            time=self._started,
            seconds=round(time.perf_counter() - self._begun, 4),
            is_copy=is_copy,
            takes_fresh="fresh" in type(self._args).model_fields,
        )
        await ctx.run(ctx.workspace.origins.record, making)

    @property
    def _keeps(self) -> bool:
        return getattr(self._args, "keep", None) is not None


def thing_named(workspace: Workspace, name: str) -> Part:
    """The thing that people call `name`: a URI, a hash, a document, a rendered file; raises `NotFound`."""
    origins = workspace.origins
    for uri in _candidates(workspace, name):
        making = origins.made(uri=uri)
        part = next((part for part in making.outputs if part.uri == uri), None) if making else None
        if not uri.startswith("doc://"):
            if part is not None:
                return part
            continue
        document = workspace.store.documents.get(_path(uri))
        if part is not None and part.hash == document.hash:
            return part
        return Part("document", uri, document.hash, document.size)  # nobody made it here, or it was replaced since
    digest = name.lower()
    if len(digest) >= 8 and not set(digest) - set("0123456789abcdef"):
        if (making := origins.made(digest=digest)) is not None:
            return next(part for part in making.outputs if part.hash.startswith(digest))
        if (found := workspace.store.documents.by_hash(digest)) is not None:
            return Part("document", f"doc://{found.object.hex}", found.object.hex, found.object.size)
    raise NotFound(
        f"nothing is called {name}",
        code="not_found",
        hint="rolltop made lists what was made; rolltop store list documents.",
    )


def _path(uri: str) -> str:
    from urllib.parse import unquote  # noqa: PLC0415 - seldom needed

    return unquote(uri.removeprefix("doc://"))


def _candidates(workspace: Workspace, name: str) -> Iterable[str]:
    """URIs that a name may mean."""
    from urllib.parse import quote  # noqa: PLC0415 - seldom needed

    if "://" in name and not name.startswith("doc://"):
        yield name
        return
    try:
        yield f"doc://{quote(workspace.store.documents.get(_path(name)).path)}"
    except RolltopError:
        yield f"rmd-output:///{quote(name)}"


async def current_hashes(ctx: ToolContext[Workspace], uris: Iterable[str]) -> dict[str, str | None]:
    """The SHA-256 that each URI has now; None for what is gone."""
    found: dict[str, str | None] = {}
    for uri in uris:
        if uri and uri not in found:
            try:
                found[uri] = await _current(ctx, uri)
            except (RolltopError, LookupError):
                found[uri] = None
    return found


async def _current(ctx: ToolContext[Workspace], uri: str) -> str:
    workspace, scheme = ctx.workspace, uri.partition(":")[0]
    if scheme == "doc":
        return await ctx.run(stored_hash, workspace, uri)
    if scheme == "file":
        return await ctx.run(lambda: text_hash(workspace.files.read_bytes(uri.removeprefix("file://"))))
    if scheme in ("rmd", "rmd-output", "rmd-figure"):
        return await ctx.run(lambda: text_hash(workspace.reports.listing.bytes_of(uri)))
    if scheme == "catalog":
        return await ctx.run(lambda: workspace.catalog.code_hash(uri.removeprefix(_CATALOG)))
    return (await read_reference(ctx, uri)).hash


def lineage_dict(found: Lineage) -> dict[str, Any]:
    """A lineage as plain data: the thing, its making and those before it, and what was made of it."""
    return {
        "thing": asdict(found.thing),
        "made_by": found.made_by,
        "makings": [found.makings[number].as_dict() for number in sorted(found.makings)],
        "used_by": list(found.used_by),
        "complete": found.complete,
    }
