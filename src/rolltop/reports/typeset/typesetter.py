"""Turns the fast engine's document tree into a PDF, in a warm process that can do nothing else."""

from __future__ import annotations

import importlib.util
import json
import posixpath
import struct
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import replace

from rolltop.confine import WorkerPool
from rolltop.errors import ForeignFailure, RolltopError
from rolltop.reports.failure import RenderFailure
from rolltop.reports.job import Figure, Output
from rolltop.reports.typeset.writer import write_page

__all__ = ["Typesetter", "typst_installed"]

_MEMORY = 512 << 20


def typst_installed() -> bool:
    return importlib.util.find_spec("typst") is not None


class Typesetter:
    """One pool of confined typst processes, started when the first PDF needs it."""

    def __init__(self) -> None:
        self._pool: WorkerPool | None = None

    async def finish(
        self, output: Output, figures: Iterable[Figure], files: Mapping[str, bytes], seconds: float
    ) -> Output:
        """`output` itself unless it is a tree that is to become a PDF."""
        if output.format != "pdf":
            return output
        drawn = {figure.name: figure.data for figure in figures}

        def find(target: str) -> bytes | None:
            return drawn.get(posixpath.basename(target)) or files.get(posixpath.normpath(target))

        try:
            page = write_page(output.data, find)
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise RenderFailure(f"pandoc's document tree cannot be set ({type(error).__name__})") from None
        sources = {name: _as_svg(name, data) for name, data in page.images.items()}
        request = json.dumps({"main.typ": page.markup, **sources}).encode()
        return replace(output, data=await self._set(request, seconds))

    async def _set(self, request: bytes, seconds: float) -> bytes:
        if self._pool is None:
            self._pool = WorkerPool(["rolltop.reports.typeset.job:set_page"], size=2, memory=_MEMORY)
        try:
            return await self._pool.call_async(request, timeout=seconds)
        except ForeignFailure as error:
            raise RenderFailure(
                f"typst could not set the document: {error.message}", hint="Render it with engine=rmarkdown."
            ) from None

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None


def _as_svg(name: str, data: bytes) -> str:
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


def _png_size(data: bytes) -> tuple[float, float]:
    """Width and height at the fast engine's resolution, in CSS pixels."""
    if len(data) < 24:
        raise RolltopError("a PNG figure is cut short")
    width, height = struct.unpack(">II", data[16:24])
    return width * 96 / 120, height * 96 / 120
