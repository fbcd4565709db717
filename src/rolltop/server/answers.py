"""Answers that were too large to give at once: kept as files, read by URI in parts, gone after a day."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcp_core import Page, ResourceContent, ResourceInfo, TemplateInfo, ToolContext, UnknownResource
from rolltop.workspace import Workspace

__all__ = ["Answers"]

KEPT_SECONDS = 24 * 3600
KEPT_BYTES = 256 << 20
PART = 60_000
"""Characters of a part when the reader does not say."""

_ID = re.compile(r"[a-z0-9_-]{1,80}-[0-9a-f]{16}")


class Answers:
    """`answer://ID?offset=N&length=M`, offsets in characters."""

    schemes: tuple[str, ...] = ("answer",)

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def _directory(self) -> Path:
        return self._workspace.root / "answers"

    def keep(self, text: str, tool: str) -> str:
        """Keep an answer and give its URI. The name cannot be guessed: it is the right to read it."""
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
        """Remove what is too old, and the oldest while all together is too large."""
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
        return Page([])  # an answer belongs to whoever got its URI

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
