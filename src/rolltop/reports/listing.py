"""Documents, rendered documents and figures as resources: listed as the directories are now, read byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from rolltop.reports.files.documents import Document, Documents
from rolltop.reports.files.outputs import OutputFile, Outputs
from rolltop.reports.names import SOURCE_SCHEME, figure_uri, mime_type, output_uri, parse_uri, source_uri

__all__ = ["Listed", "Listing"]


@dataclass(frozen=True, slots=True)
class Listed:
    """One resource: its address, type, name, description, size and time of change."""

    uri: str
    mime_type: str
    name: str
    description: str
    size: int
    modified: float

    @property
    def is_text(self) -> bool:
        return self.mime_type.startswith("text/") or self.mime_type in ("image/svg+xml", "application/x-ipynb+json")


class Listing:
    """The resources of a directory of reports."""

    def __init__(self, documents: Documents, outputs: Outputs) -> None:
        self.documents = documents
        self.outputs = outputs

    def all(self) -> Iterator[Listed]:
        """Documents first, then what was rendered, then figures; each by name."""
        yield from map(_source, self.documents.all())
        yield from self._rendered()

    def _rendered(self) -> Iterator[Listed]:
        yield from map(_output, self.outputs.all())
        for stem in self.outputs.figured():
            yield from (_figure(stem, figure) for figure in self.outputs.figures(stem))

    def read(self, uri: str) -> tuple[str, bytes]:
        """The MIME type and the bytes behind a URI; a malformed URI is `invalid_request`."""
        reference = parse_uri(uri)
        match reference.kind:
            case "source":
                data = self.documents.read(reference.name)
            case "output":
                data = self.outputs.read(reference.name)
            case "figure":
                data = self.outputs.read_figure(reference.stem, reference.name)
        return mime_type(reference.name), data

    def bytes_of(self, uri: str) -> bytes:
        """The bytes of anything that a render reads or writes: `rmd:///NAME/data.csv` is a side file."""
        scheme, _, path = uri.partition(":///")
        if scheme == SOURCE_SCHEME and ("/" in path or path.startswith("_")):
            return self.documents.file(unquote(path))
        return self.read(uri)[1]

    def state(self) -> dict[str, tuple[int, float]]:
        """What there is and when it changed; two of these tell what to announce."""
        sources = {source_uri(name): (size, modified) for name, size, modified in self.documents.sizes()}
        return sources | {item.uri: (item.size, item.modified) for item in self._rendered()}


def _source(document: Document) -> Listed:
    title = document.title or document.name
    return Listed(
        source_uri(document.name),
        "text/markdown",
        title,
        f"R Markdown file: {title}",
        document.size,
        document.modified,
    )


def _output(file: OutputFile) -> Listed:
    return Listed(
        output_uri(file.name),
        file.mime_type,
        f"Rendered: {file.name}",
        f"Rendered output: {file.name}",
        file.size,
        file.modified,
    )


def _figure(stem: str, file: OutputFile) -> Listed:
    return Listed(
        figure_uri(stem, file.name),
        file.mime_type,
        f"Figure: {stem}/{file.name}",
        f"Figure of {stem}: {file.name}",
        file.size,
        file.modified,
    )
