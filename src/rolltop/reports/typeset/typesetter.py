"""Turns the fast engine's document tree into a PDF, in a warm process that can do nothing else."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from base64 import b64decode
from dataclasses import replace
from urllib.parse import unquote_to_bytes

from rolltop.confine import WorkerPool
from rolltop.errors import ForeignFailure, TimeLimit
from rolltop.reports.job import Output
from rolltop.reports.results.failure import RenderFailure
from rolltop.reports.typeset.limits import CannotSet
from rolltop.reports.typeset.writer import write_page

__all__ = ["Typesetter", "typst_installed"]

_JOB = "rolltop.reports.typeset.server:set_pages"
_MEMORY = 1 << 30
_AT_ONCE = 2
_SURELY = "\u017f"
"""The fonts that come with typst have everything up to here: Latin letters and their accents."""
_NAMED = 8
_INSTEAD = "Render it with engine=rmarkdown."


def typst_installed() -> bool:
    return importlib.util.find_spec("typst") is not None


class Typesetter:
    """Sets PDFs in warm workers, each page in a fresh one: what one page did to typst no other page sees."""

    def __init__(self) -> None:
        self._pool: WorkerPool | None = None
        self._shown: set[str] = set()
        """Characters that a font is known to have."""

    async def finish(self, output: Output, seconds: float) -> Output:
        """`output` itself unless it is a tree that is to become a PDF; `CannotSet` when that would lose something."""
        if output.format != "pdf":
            return output
        try:
            page = write_page(output.data, lambda target: output.pictures.get(target) or _inside(target))
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise RenderFailure(f"pandoc's document tree cannot be set ({type(error).__name__})") from None
        await self._check_characters(page.markup, seconds)
        request = json.dumps({"main.typ": page.markup, **page.images}).encode()
        return replace(output, data=await self._set(request, seconds), pictures={})

    async def _check_characters(self, markup: str, seconds: float) -> None:
        """typst sets a box for what no font has, and says nothing."""
        unsure = "".join(sorted({each for each in markup if each > _SURELY} - self._shown))
        if unsure and (missing := (await self._set(json.dumps(unsure).encode(), seconds)).decode()):
            shown = " ".join(missing[:_NAMED]) + (" …" if len(missing) > _NAMED else "")
            raise CannotSet(f"typst has no font for {shown}")
        self._shown.update(unsure)

    async def _set(self, request: bytes, seconds: float) -> bytes:
        try:
            answer = await (await self._running()).call_async(request, timeout=seconds)
        except TimeLimit:
            raise TimeLimit(f"setting the PDF took longer than {seconds:g} s and was ended") from None
        except ForeignFailure:
            raise RenderFailure("typst ended while setting the PDF", hint=_INSTEAD) from None
        if answer[:1] != b"\0":
            raise CannotSet(f"typst could not set the document: {' '.join(answer[1:].decode().split())[:300]}")
        return answer[1:]

    async def _running(self) -> WorkerPool:
        if self._pool is None:
            self._pool = WorkerPool([_JOB], size=_AT_ONCE, memory=_MEMORY, max_calls=1, threads=True)
            await asyncio.to_thread(self._pool.warm_up)
        return self._pool

    def close(self) -> None:
        """End the workers; from any thread."""
        if self._pool is not None:
            self._pool.close()


def _inside(target: str) -> bytes | None:
    """The picture that an address holds itself."""
    head, _, body = target.partition(",")
    if not head.startswith("data:image/"):
        return None
    try:
        return b64decode(body) if head.endswith(";base64") else unquote_to_bytes(body)
    except ValueError:
        return None
