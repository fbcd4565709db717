"""What is to be rendered, what came of it, and the seam behind which it happens."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from rolltop.reports.names import mime_type

__all__ = [
    "EXTENSIONS",
    "Availability",
    "Engine",
    "Event",
    "Figure",
    "Format",
    "Output",
    "RenderJob",
    "Rendered",
    "Renderer",
    "Watcher",
    "ignore",
]

Format = Literal["html", "pdf", "word", "pptx", "md", "ipynb"]
Engine = Literal["rmarkdown", "fast"]

EXTENSIONS: Mapping[Format, str] = {
    "html": ".html",
    "pdf": ".pdf",
    "word": ".docx",
    "pptx": ".pptx",
    "md": ".md",
    "ipynb": ".ipynb",
}


@dataclass(frozen=True, slots=True)
class Event:
    """Progress: a phase (`image`, `start`, `knit`, `convert`, a format), inside `knit` also what is run and where."""

    phase: str
    chunk: str | None = None
    done: int | None = None
    total: int | None = None
    message: str | None = None
    file: str | None = None
    lines: tuple[int, int] | None = None

    def __str__(self) -> str:
        if self.message:
            return self.message
        if self.total:
            return f"{self.phase} {self.done}/{self.total}" + (f" ({self.chunk})" if self.chunk else "")
        return self.phase


Watcher = Callable[[Event], None]


def ignore(event: Event) -> None:
    """A watcher that does not look."""


@dataclass(frozen=True, slots=True)
class RenderJob:
    """One render, complete in itself: no renderer needs to see the workspace."""

    source: str
    files: Mapping[str, bytes]
    formats: tuple[Format, ...]
    engine: Engine = "rmarkdown"
    params: Mapping[str, Any] | None = None
    figures: bool = False
    separate: bool = False
    timeout: float = 120.0
    packages: frozenset[str] = frozenset()
    chunk_keys: Mapping[str, str] = field(default_factory=dict)
    """Keys of the chunks that may be kept, by label."""
    chunks: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict, repr=False)
    """What was kept of chunks that are as they were, by label: files where knitr looks for them."""
    limit: int = 64 << 20
    """Bytes that outputs and figures may have together."""

    @property
    def text(self) -> str:
        return self.files[self.source].decode("utf-8", "replace")

    def request(self) -> bytes:
        """The JSON that `render.R` reads."""
        wire = {
            "source": self.source,
            "files": _encoded(self.files),
            "formats": [each for each in self.formats if each != "ipynb"] or ["md"],
            "engine": self.engine,
            "params": dict(self.params) if self.params else None,
            "figures": self.figures,
            "separate": self.separate,
            "limit": self.limit,
            "chunk_keys": dict(self.chunk_keys),
            "chunks": {label: _encoded(files) for label, files in self.chunks.items()},
        }
        return json.dumps(wire, ensure_ascii=False).encode()


def _encoded(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: b64encode(data).decode("ascii") for name, data in files.items()}


@dataclass(frozen=True, slots=True)
class Output:
    format: Format
    name: str
    data: bytes = field(repr=False)
    pictures: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """What a document tree that is yet to be set shows, by the names that it uses."""


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    data: bytes = field(repr=False)

    @property
    def mime_type(self) -> str:
        return mime_type(self.name)

    @property
    def size(self) -> int:
        return len(self.data)


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a renderer hands back; nothing of it has touched the workspace yet."""

    outputs: tuple[Output, ...]
    figures: tuple[Figure, ...]
    renderer: str
    confinement: str
    text: str = ""
    """The knitted Markdown: what the document says once its code has run, with its plots by their names."""
    engine: Engine = "rmarkdown"
    engine_note: str | None = None
    """Why it is not the engine asked for, where that came out only when the code had run."""
    unfit: str | None = None
    """Why rmarkdown has to render it after all."""
    knits: int = 1
    plots_left_out: int = 0
    phases: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    """What R and pandoc complained about without failing, such as a picture that Word goes without."""
    reused: tuple[str, ...] = ()
    """Labels of the chunks that did not run: what they gave before was taken."""
    kept: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict, repr=False)
    """What chunks handed over to be kept, by label."""
    log: str = ""


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a renderer can work here, and if not, what is missing and the command that brings it."""

    ready: bool
    reason: str = ""
    hint: str = ""


class Renderer(Protocol):
    """A place where R runs. Cancelling `render` ends the work before the cancellation is passed on."""

    name: str

    async def available(self) -> Availability: ...

    async def fingerprint(self) -> str:
        """Changes whenever R, pandoc, TeX or a package does; part of the cache's key."""
        ...

    async def render(self, job: RenderJob, watch: Watcher) -> Rendered: ...

    def close(self) -> None:
        """End what waits for the next render; from any thread."""
        ...
