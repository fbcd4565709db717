"""What was rendered: `rmd/output/NAME.{html,pdf,docx}` and the figures of each document beside it."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rolltop.errors import InvalidInput, NotFound
from rolltop.reports.files.atomic_files import read_plain, write_whole
from rolltop.reports.files.directory_lock import turn
from rolltop.reports.files.render_record import Ledger, Made, Origin
from rolltop.reports.job import EXTENSIONS, Figure, Format, Output
from rolltop.reports.names import figure_name, mime_type, output_name

__all__ = ["Landed", "OutputFile", "Outputs"]

READ_LIMIT = 512 << 20


@dataclass(frozen=True, slots=True)
class OutputFile:
    name: str
    size: int
    modified: float

    @property
    def mime_type(self) -> str:
        return mime_type(self.name)


@dataclass(frozen=True, slots=True)
class Landed:
    """What lies in the output directory after a render, and whether it is of the text as it is now."""

    files: tuple[OutputFile, ...]
    current: bool = True
    """False: the document was changed while it was rendered."""
    kept: tuple[str, ...] = ()
    """Results of a newer text that were there already; nothing of this render then took their place."""


class Outputs:
    """The output directory. A reader sees an old file or a new one, never half of one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.ledger = Ledger(root)

    def publish(
        self,
        stem: str,
        outputs: Sequence[Output],
        figures: Sequence[Figure],
        origin: Origin,
        is_current: Callable[[], bool],
        *,
        text: str = "",
    ) -> Landed:
        """Put the results of one render in place, unless some are there of a text that was read later.

        The `text`, the knitted Markdown, lies beside them as NAME.md, whatever formats were asked for.
        Whatever `is_current` raises ends it: a document that is gone has no results.
        A figure is removed when no format uses it any more: those of the other formats stay.
        """
        names = [output_name(output.name) for output in outputs]
        with turn(self.root):
            current = is_current()
            made = self._made(stem)
            newer = () if current else _newer(outputs, made, origin)
            if newer:
                return Landed(self._described(names), current, newer)
            if text and "md" not in [output.format for output in outputs]:
                knitted = Output("md", f"{stem}{EXTENSIONS['md']}", text.encode())
                outputs = [*outputs, *([] if not current and _newer([knitted], made, origin) else [knitted])]
            for output in outputs:
                _land(self.root / output.name, output.data)
            drawn = {figure_name(figure.name): figure.data for figure in figures}
            for name, data in drawn.items():
                _land(self._figure_place(stem) / name, data)
            made |= {output.format: Made(origin, tuple(drawn)) for output in outputs}
            self.ledger.write(stem, made)
            self._remove_figures(stem, {name for each in made.values() for name in each.figures})
            return Landed(self._described(names), current)

    def _made(self, stem: str) -> dict[Format, Made]:
        """The record, without what somebody has removed since."""
        made = self.ledger.read(stem)
        return {name: each for name, each in made.items() if (self.root / f"{stem}{EXTENSIONS[name]}").exists()}

    def _described(self, names: Sequence[str]) -> tuple[OutputFile, ...]:
        return tuple(file for file in self.all() if file.name in names)

    def _remove_figures(self, stem: str, used: set[str]) -> None:
        for old in self.figures(stem):
            if old.name not in used:
                with contextlib.suppress(FileNotFoundError):
                    (self._figure_place(stem) / old.name).unlink()

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
        if not self.root.is_dir():
            return []
        with turn(self.root):
            removed = [file.name for file in self.all() if file.name.rpartition(".")[0] == stem]
            for name in removed:
                (self.root / name).unlink(missing_ok=True)
            place = self._figure_place(stem)
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            self.ledger.forget(stem)
        return removed


def _newer(outputs: Sequence[Output], made: Mapping[Format, Made], origin: Origin) -> tuple[str, ...]:
    there = [output for output in outputs if output.format in made]
    return tuple(output.name for output in there if origin.is_before(made[output.format].origin))


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
