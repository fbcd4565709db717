"""The server's own resources (`answer://`, `tool://`), and the list of all tool sets' resources."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from mcp_core import (
    Page,
    ProtocolFault,
    Registry,
    ResourceContent,
    ResourceInfo,
    ResourceProvider,
    TemplateInfo,
    ToolContext,
    UnknownResource,
)
from mcp_core.description import describe
from mcp_core.log import one_line
from mcp_core.outcome import reference_for
from rolltop.server.listing import PAGE, bad_cursor, decode_cursor, encode_cursor
from rolltop.workspace import Workspace

__all__ = ["LargeAnswers", "Listed", "ToolPages", "list_resources", "list_templates"]

logger = logging.getLogger("rolltop.server")

KEPT_SECONDS = 24 * 3600
KEPT_BYTES = 256 << 20
PART = 60_000
"""Default length of a part, in characters."""

_ID = re.compile(r"[a-z0-9_-]{1,80}-[0-9a-f]{16}")


class LargeAnswers:
    """Answers above the budget: kept as files for a day, read in parts as `answer://ID?offset=N&length=M`.

    Offsets count characters.
    """

    schemes: tuple[str, ...] = ("answer",)

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def _directory(self) -> Path:
        return self._workspace.root / "answers"

    def keep(self, text: str, tool: str) -> str:
        """Keep an answer and return its URI. The name cannot be guessed, so whoever knows it may read it."""
        self._workspace.prepare()
        self._directory.mkdir(exist_ok=True, mode=0o700)
        self._sweep()
        name = f"{re.sub(r'[^a-z0-9_-]', '-', tool.lower())[:60]}-{secrets.token_hex(8)}"
        path = self._directory / name
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)
        return f"answer://{name}"

    def _sweep(self) -> None:
        """Remove expired answers, then the oldest ones until the rest fits."""
        kept = []
        for entry in os.scandir(self._directory):
            with contextlib.suppress(FileNotFoundError):
                status = entry.stat()
                kept.append((status.st_mtime, status.st_size, entry.path))
        total, oldest = sum(size for _, size, _ in kept), time.time() - KEPT_SECONDS
        for modified, size, path in sorted(kept):
            if modified >= oldest and total <= KEPT_BYTES:
                break
            Path(path).unlink(missing_ok=True)
            total -= size

    async def list(self, cursor: str | None, ctx: ToolContext[Any]) -> Page[ResourceInfo]:
        return Page([])  # not listed: whoever has the URI may read the answer

    def templates(self) -> Sequence[TemplateInfo]:
        return [
            TemplateInfo(
                "answer://{id}{?offset,length}",
                "Large answer",
                description="A part of an answer that was too large to give at once; offsets in characters.",
                mime_type="application/json",
            )
        ]

    async def read(self, uri: str, ctx: ToolContext[Any]) -> Sequence[ResourceContent]:
        parts = urlsplit(uri)
        if not _ID.fullmatch(parts.netloc):
            raise UnknownResource(uri)
        try:
            text = await ctx.run((self._directory / parts.netloc).read_text, "utf-8", "surrogatepass")
        except FileNotFoundError:
            raise UnknownResource(uri, hint="Answers are kept for a day; call the tool again.") from None
        offset, length = _range(uri, parts.query, len(text), min(PART, ctx.budget))
        end = min(len(text), offset + length)
        meta: dict[str, Any] = {"offset": offset, "end": end, "total": len(text)}
        if end < len(text):
            meta["next"] = f"answer://{parts.netloc}?offset={end}&length={length}"
        return [ResourceContent(uri, text[offset:end], "application/json", meta)]

    async def complete(self, template: str, argument: str, value: str, ctx: ToolContext[Any]) -> Sequence[str]:
        return []


def _range(uri: str, query: str, total: int, default: int) -> tuple[int, int]:
    given = parse_qs(query)
    try:
        offset = int(given.get("offset", ["0"])[0])
        length = int(given.get("length", [str(default)])[0])
    except ValueError:
        raise UnknownResource(uri, hint="offset and length are whole numbers.") from None
    if not 0 <= offset <= total or length <= 0:
        raise UnknownResource(uri, hint=f"offset goes from 0 to {total}.")
    return offset, min(length, default)


class ToolPages:
    """`tool://NAME`: the full documentation of a tool, whatever `tools/list` shows."""

    schemes: tuple[str, ...] = ("tool",)

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def list(self, cursor: str | None, ctx: ToolContext[Any]) -> Page[ResourceInfo]:
        return Page([])  # tools/list lists the tools

    def templates(self) -> Sequence[TemplateInfo]:
        return [
            TemplateInfo(
                "tool://{name}",
                "Documentation of a tool",
                description="Description, JSON Schema, usage and examples of a tool.",
                mime_type="text/markdown",
            )
        ]

    async def read(self, uri: str, ctx: ToolContext[Any]) -> Sequence[ResourceContent]:
        name = uri.partition("://")[2].rstrip("/")
        registered = self._registry.by_plain_name(name)
        if registered is None:
            near = self._registry.nearest(name)
            raise UnknownResource(uri, hint=f"Did you mean tool://{near}?" if near else None)
        text = f"# {registered.name}\n\n{describe(registered.spec, 'full', self._registry.name_of)}\n"
        return [ResourceContent(uri, text, "text/markdown")]

    async def complete(self, template: str, argument: str, value: str, ctx: ToolContext[Any]) -> Sequence[str]:
        return [each.name for each in self._registry if each.name.startswith(value)]


class Listed(NamedTuple):
    """A page, the cursor of the next one, and the providers that could not be listed with the reason."""

    items: list[ResourceInfo]
    following: str | None
    missing: list[dict[str, Any]]


async def list_resources(providers: Sequence[ResourceProvider], cursor: str | None, ctx: ToolContext[Any]) -> Listed:
    """The providers' lists one after the other; the cursor holds the provider's index and its own cursor.

    A provider that fails does not hide the others.
    """
    index, inner = decode_cursor(cursor, (int, str)) if cursor is not None else (0, None)
    if not isinstance(index, int) or not 0 <= index < len(providers):
        raise bad_cursor()
    listed = Listed([], None, [])
    while index < len(providers) and len(listed.items) < PAGE:
        try:
            page = await providers[index].list(inner, ctx)
        except ProtocolFault:
            raise
        except Exception as error:
            if inner is not None:
                logger.info("a cursor for %s is refused: %s", providers[index].schemes, one_line(error))
                raise bad_cursor() from None
            listed.missing.append(_missing(providers[index], error))
            index += 1
            continue
        listed.items.extend(page.items)
        inner = page.next_cursor
        if inner is None:
            index += 1
    return listed._replace(following=encode_cursor(index, inner) if index < len(providers) else None)


def list_templates(providers: Sequence[ResourceProvider]) -> Iterator[TemplateInfo]:
    for provider in providers:
        yield from _or_none(provider.templates)


def _or_none(templates: Callable[[], Sequence[TemplateInfo]]) -> Sequence[TemplateInfo]:
    try:
        return templates()
    except Exception as error:
        reference_for(error)
        return ()


def _missing(provider: ResourceProvider, error: Exception) -> dict[str, Any]:
    """The message about resources that could not be listed."""
    if not hasattr(error, "error_type"):
        return {"schemes": list(provider.schemes), "error": f"see the server's log under {reference_for(error)}"}
    told = {"schemes": list(provider.schemes), "error": str(error), "code": error.error_type}
    logger.warning("resources of %s are not listed: %s", ", ".join(provider.schemes), one_line(error))
    hint = getattr(error, "hint", None)
    return {**told, "hint": hint} if hint else told
