"""Turns the fast engine's document tree into a PDF, in a warm process that can do nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import posixpath
import signal
import struct
import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import replace
from urllib.parse import unquote

from rolltop.errors import RolltopError, TimeLimit
from rolltop.reports.failure import RenderFailure
from rolltop.reports.job import Figure, Output
from rolltop.reports.typeset.writer import write_page

__all__ = ["Typesetter", "typst_installed"]

LENGTH = struct.Struct(">I")
_INSTEAD = "Render it with engine=rmarkdown."


def typst_installed() -> bool:
    return importlib.util.find_spec("typst") is not None


class Typesetter:
    """One confined typst process, started when the first PDF needs it and again when it was lost."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def finish(
        self, output: Output, figures: Iterable[Figure], files: Mapping[str, bytes], seconds: float
    ) -> Output:
        """`output` itself unless it is a tree that is to become a PDF."""
        if output.format != "pdf":
            return output
        drawn = {figure.name: figure.data for figure in figures}

        def find(target: str) -> bytes | None:
            path = posixpath.normpath(unquote(target))
            # A side file answers to its bare name as well, as it does to the document's code.
            beside = f"{output.name.rpartition('.')[0]}/{path}"
            return drawn.get(posixpath.basename(path)) or files.get(path) or files.get(beside)

        try:
            page = write_page(output.data, find)
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise RenderFailure(f"pandoc's document tree cannot be set ({type(error).__name__})") from None
        sources = {name: _as_svg(data) for name, data in page.images.items()}
        request = json.dumps({"main.typ": page.markup, **sources}).encode()
        return replace(output, data=await self._set(request, seconds))

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
            raise RenderFailure(f"typst could not set the document: {answer[1:].decode()}", hint=_INSTEAD)
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


def _as_svg(data: bytes) -> str:
    """Every picture as SVG text: typst takes a project of texts, and an SVG may hold a bitmap."""
    if data.lstrip()[:5] in (b"<?xml", b"<svg ", b"<svg>"):
        return data.decode("utf-8", "replace")
    kind = "png" if data.startswith(b"\x89PNG") else "jpeg"
    width, height = _png_size(data) if kind == "png" else (640, 480)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{width}" height="{height}"><image width="{width}" height="{height}" '
        f'xlink:href="data:image/{kind};base64,{b64encode(data).decode("ascii")}"/></svg>'
    )


def _png_size(data: bytes) -> tuple[int, int]:
    """Width and height; the fast engine draws at 96 dots an inch, which are CSS pixels."""
    if len(data) < 24:
        raise RolltopError("a PNG figure is cut short")
    width, height = struct.unpack(">II", data[16:24])
    return width, height
