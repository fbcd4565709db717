"""References to what the desk holds, and keeping what a tool made: one resolver for all tool sets.

A text is a reference only if all of it is one: `doc://NAME`, `doc://HASH`, `doc://NAME@VERSION`, `rmd-output:///…`,
`rmd-figure:///…`, `guide://…` or `answer://…`, on one line. Anything else is data.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote

from mcp_core import ResourceLink, ToolContext
from rolltop.errors import InvalidInput, NotFound, PermissionDenied, SizeLimit
from rolltop.workspace import Workspace

if TYPE_CHECKING:
    from rolltop.store import Library

__all__ = [
    "KEEP", "LARGEST", "Keep", "Kept", "Source", "Wanted", "is_reference", "keep_wanted", "read_reference",
    "store_output", "stored_hash",
]  # fmt: skip

KEEP = "Store the output: name or {name, tags, metadata}."
"""The description of an argument `keep`."""
Keep = str | dict[str, Any]
"""Its type; `keep_wanted` checks it."""
LARGEST = 64 << 20
"""Bytes of one input."""
_REFERENCE = re.compile(r"(?:doc|rmd|rmd-output|rmd-figure|guide|answer)://[^\r\n\0]{1,4096}")
_VERSION = re.compile(r"(.+)@([1-9][0-9]{0,8})")


def is_reference(text: str) -> bool:
    """Whether a text names something to read instead of being data."""
    return _REFERENCE.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Source:
    """What a reference names: where it is, its bytes and their SHA-256."""

    uri: str
    """Canonical: the whole path of a document, whatever the caller wrote."""
    data: bytes
    hash: str


async def read_reference(ctx: ToolContext[Workspace], uri: str) -> Source:
    """What a reference names: of a stored document the bytes exactly as they were stored."""
    if uri.startswith("doc://") and "?" not in uri:
        return await ctx.run(_stored, ctx.workspace, uri.removeprefix("doc://"))
    parts: list[bytes] = []
    following: str | None = uri
    while following is not None:
        contents = await ctx.read_resource(following)
        parts += [each.content.encode() if isinstance(each.content, str) else each.content for each in contents]
        following = next((each.meta["next"] for each in contents if each.meta.get("next")), None)
        if sum(map(len, parts)) > LARGEST:
            raise SizeLimit(f"{uri} is larger than {LARGEST >> 20} MiB")
    data = b"".join(parts)
    return Source(uri, data, hashlib.sha256(data).hexdigest())


def stored_hash(workspace: Workspace, uri: str) -> str:
    """The SHA-256 of the content that `doc://…` names now; nothing of it is read."""
    return _find(workspace.store, uri.removeprefix("doc://")).hash


def _stored(workspace: Workspace, name: str) -> Source:
    found = _find(workspace.store, name)
    if found.size > LARGEST:
        raise SizeLimit(f"doc://{name} is larger than {LARGEST >> 20} MiB", hint="Read a part of it by lines.")
    return Source(f"doc://{found.name}", workspace.store.documents.read_object(found.object), found.hash)


class _Found(NamedTuple):
    """Content of the store, and the name that always means it: a path, a path with a version, or a hash."""

    name: str
    object: int
    size: int
    hash: str


def _find(library: Library, name: str) -> _Found:
    """Content by name as it stands, then by hash, then by version, then unescaped."""
    from rolltop.store import is_hash_prefix  # noqa: PLC0415 - a server that only transforms never loads the store

    try:
        document = library.documents.get(name)
    except NotFound as missing:
        if is_hash_prefix(name) and (found := library.documents.by_hash(name)):
            return _Found(found.object.hex, found.object.id, found.object.size, found.object.hex)
        if (versioned := _VERSION.fullmatch(name)) is not None:
            return _version(library, versioned[1], int(versioned[2]))
        if unquote(name) == name:
            raise NotFound(f"doc://{name}: {missing}", code=missing.error_type, hint=missing.hint) from None
        return _find(library, unquote(name))
    return _Found(quote(document.path), document.object, document.size, document.hash)


def _version(library: Library, name: str, number: int) -> _Found:
    document = library.documents.get(name)
    versions = library.documents.versions(document)
    found = next((each for each in versions if each.number == number), None)
    if found is None:
        known = ", ".join(str(each.number) for each in versions[-10:])
        raise NotFound(f"{name} has no version {number}", code="document_not_found", hint=f"Versions: {known}.")
    return _Found(f"{quote(document.path)}@{number}", found.object, found.size, found.hash)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What `keep` asks for."""

    name: str
    tags: list[str] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    figures: bool = False
    """Of a report: its plots too."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored output, as the answer tells it."""

    uri: str
    hash: str
    name: str
    size: int
    mime: str

    def told(self) -> dict[str, Any]:
        return {"uri": self.uri, "hash": self.hash}

    def link(self) -> ResourceLink:
        return ResourceLink(self.uri, self.name, "Kept output", self.mime, self.size)


def keep_wanted(ctx: ToolContext[Workspace], keep: Keep | None, *, figures: bool = False) -> Wanted | None:
    """`keep` as it was meant; refused before any work where it is malformed or this server may not write.

    With `figures`, the field of that name is known.
    """
    if keep is None:
        return None
    said = {"name": keep} if isinstance(keep, str) else dict(keep)
    fields = ("name", "tags", "metadata", *(("figures",) if figures else ()))
    unknown = sorted(said.keys() - set(fields))
    name: Any = said.get("name")
    tags: Any = said.get("tags", [])
    metadata: Any = said.get("metadata", {})
    if unknown:
        raise InvalidInput(f"keep has no field {unknown[0]!r}", hint=f"It has {', '.join(fields)}.")
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput("keep needs a name", hint='Such as "orders/today.json".')
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags) or not isinstance(metadata, dict):
        raise InvalidInput("in keep, tags is a list of texts and metadata an object")
    plots = said.get("figures", False)
    if not isinstance(plots, bool):
        raise InvalidInput("in keep, figures is true or false")
    if ctx.workspace.settings.read_only:
        raise PermissionDenied("this server only reads: it keeps nothing", hint="Call again without keep.")
    ctx.refuse_excluded("store_text")
    return Wanted(name, tags, metadata, plots)


async def store_output(
    ctx: ToolContext[Workspace], wanted: Wanted, data: str | bytes, *, name: str | None = None, mime: str | None = None
) -> Kept:
    """Store what a tool made, under the wanted name or another one that was made from it."""
    content = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    added = await ctx.run(
        ctx.workspace.store.documents.add,
        name or wanted.name,
        content,
        tags=wanted.tags,
        metadata=wanted.metadata,
        mime=mime,
    )
    document = added.document
    uri = f"doc://{quote(document.path)}"
    ctx.resources_changed()
    ctx.resource_changed(uri)
    return Kept(uri, document.hash, document.name, document.size, document.mime)
