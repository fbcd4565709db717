"""What was rendered: `rmd/output/NAME.{html,pdf,docx}` and the figures of each document beside it."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rolltop.errors import InvalidInput, NotFound
from rolltop.reports.job import Figure, Output
from rolltop.reports.landing import read_plain, write_whole
from rolltop.reports.names import figure_name, output_name

__all__ = ["MIME_TYPES", "OutputFile", "Outputs", "mime_type"]

MIME_TYPES = {
    ".rmd": "text/markdown",
    ".html": "text/html",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".svg": "image/svg+xml",
}

READ_LIMIT = 512 << 20


def mime_type(name: str) -> str:
    return MIME_TYPES.get(Path(name).suffix.lower(), "text/plain")


@dataclass(frozen=True, slots=True)
class OutputFile:
    name: str
    size: int
    modified: float

    @property
    def mime_type(self) -> str:
        return mime_type(self.name)


class Outputs:
    """The output directory. A reader sees an old file or a new one, never half of one."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def publish(self, stem: str, outputs: Iterable[Output], figures: Iterable[Figure]) -> None:
        """Put the results of one render in place; the figures of the render before are removed."""
        for output in outputs:
            _land(self.root / output_name(output.name), output.data)
        kept = {figure_name(figure.name): figure.data for figure in figures}
        place = self._figure_place(stem)
        for name, data in kept.items():
            _land(place / name, data)
        for old in self.figures(stem):
            if old.name not in kept:
                with contextlib.suppress(FileNotFoundError):
                    (place / old.name).unlink()

    def _figure_place(self, stem: str) -> Path:
        return self.root / f"{stem}_figures"

    def all(self) -> list[OutputFile]:
        return _plain_files(self.root, output_name)

    def figures(self, stem: str) -> list[OutputFile]:
        return _plain_files(self._figure_place(stem), figure_name)

    def figured(self) -> list[str]:
        """Stems that have figures."""
        with contextlib.suppress(FileNotFoundError):
            return sorted(path.name[: -len("_figures")] for path in self.root.glob("*_figures") if path.is_dir())
        return []

    def read(self, name: str) -> bytes:
        return self._read(self.root / output_name(name), f"Rendered output not found: {name}")

    def read_figure(self, stem: str, name: str) -> bytes:
        return self._read(self._figure_place(stem) / figure_name(name), f"Figure not found: {stem}/{name}")

    def _read(self, path: Path, missing: str) -> bytes:
        try:
            return read_plain(path, READ_LIMIT)
        except NotFound:
            raise NotFound(missing, code="document_not_found", hint="Render the document first.") from None

    def delete(self, stem: str) -> list[str]:
        """Remove everything that was rendered from a document; returns the names that were there."""
        removed = [file.name for file in self.all() if file.name.rpartition(".")[0] == stem]
        for name in removed:
            (self.root / name).unlink(missing_ok=True)
        place = self._figure_place(stem)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        return removed


def _land(path: Path, data: bytes) -> None:
    if not _holds(path, data):
        write_whole(path, data, replace=True, durable=False)


def _holds(path: Path, data: bytes) -> bool:
    """Whether the file has these bytes already: a repeat then costs no write and wakes no subscriber."""
    try:
        return path.stat().st_size == len(data) and not path.is_symlink() and path.read_bytes() == data
    except OSError:
        return False


def _plain_files(directory: Path, check: object) -> list[OutputFile]:
    assert callable(check)
    found = []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                with contextlib.suppress(InvalidInput, FileNotFoundError):
                    if entry.is_file(follow_symlinks=False) and check(entry.name):
                        info = entry.stat(follow_symlinks=False)
                        found.append(OutputFile(entry.name, info.st_size, info.st_mtime))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(found, key=lambda file: file.name)
