"""Turns the fast engine's document tree into a PDF, in a warm process that can do nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import signal
import struct
import sys
from base64 import b64decode
from dataclasses import replace
from urllib.parse import unquote_to_bytes

from rolltop.errors import TimeLimit
from rolltop.reports.failure import RenderFailure
from rolltop.reports.job import Output
from rolltop.reports.typeset.limits import CannotSet
from rolltop.reports.typeset.writer import write_page

__all__ = ["Typesetter", "typst_installed"]

LENGTH = struct.Struct(">I")
_SURELY = "\u017f"
"""The fonts that come with typst have everything up to here: Latin letters and their accents."""
_NAMED = 8
_INSTEAD = "Render it with engine=rmarkdown."


def typst_installed() -> bool:
    return importlib.util.find_spec("typst") is not None


class Typesetter:
    """One confined typst process, started when the first PDF needs it and again when it was lost."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
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
        async with self._turn:
            try:
                async with asyncio.timeout(seconds):
                    answer = await self._ask(await self._running(), request)
            except BaseException as error:
                await self._lose()
                if isinstance(error, TimeoutError):
                    raise TimeLimit(f"setting the PDF took longer than {seconds:g} s and was ended") from None
                if isinstance(error, (asyncio.IncompleteReadError, ConnectionError)):
                    raise RenderFailure("typst ended while setting the PDF", hint=_INSTEAD) from None
                raise
        if answer[:1] != b"\0":
            raise CannotSet(f"typst could not set the document: {' '.join(answer[1:].decode().split())[:300]}")
        return answer[1:]

    async def _ask(self, process: asyncio.subprocess.Process, request: bytes) -> bytes:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(LENGTH.pack(len(request)) + request)
        await process.stdin.drain()
        (size,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
        return await process.stdout.readexactly(size)

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "rolltop.reports.typeset.server", str(os.getpid())),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        return self._process

    async def _lose(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await asyncio.shield(process.wait())

    def close(self) -> None:
        """End the process; from any thread."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


def _inside(target: str) -> bytes | None:
    """The picture that an address holds itself."""
    head, _, body = target.partition(",")
    if not head.startswith("data:image/"):
        return None
    try:
        return b64decode(body) if head.endswith(";base64") else unquote_to_bytes(body)
    except ValueError:
        return None
