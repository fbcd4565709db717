"""The directory of documents: `rmd/NAME.Rmd`, and the side files of each in `rmd/NAME/`.

Files of the directory itself whose names begin with `_` (`_output.yml`, `_common.R`, `_child.Rmd`) are for all of them.

Writes are atomic, and writers take turns: what one of them read is still true when it writes. What is replaced or
deleted is kept as a version. Nothing is opened through a symbolic link, and nothing outside the directory can be named
(see `names`).
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rolltop.errors import Conflict, InvalidData, InvalidInput, NotFound, RolltopError, SizeLimit
from rolltop.reports.files.atomic_files import read_plain, write_whole
from rolltop.reports.files.directory_lock import turn
from rolltop.reports.files.versions import Version, Versions
from rolltop.reports.names import SOURCE_ENDINGS, document_name, side_name, stem_of
from rolltop.reports.source.frontmatter import ensure, title_of
from rolltop.reports.source.notebook import as_document

__all__ = ["Attached", "Document", "Documents", "SideFile", "Stamps", "source_text"]

SOURCE_LIMIT = 4 << 20
SIDE_FILES = 500

Check = Callable[[], None]
Stamp = tuple[int, int, int]
"""Inode, size and time of change: a file that was written has another one."""
Stamps = tuple[tuple[str, Stamp], ...]
"""Those of a document and of its side files, by path."""


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    title: str | None
    size: int
    modified: float


@dataclass(frozen=True, slots=True)
class SideFile:
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Attached:
    """Where a side file lies below the directory, and whether it took the place of an earlier one."""

    path: str
    replaced: bool


class Documents:
    """Create, read, list, change and remove documents and their side files."""

    def __init__(self, root: Path, *, side_limit: int) -> None:
        self.root = root
        self.side_limit = side_limit
        self._versions = Versions(root / ".versions")
        self._titles: dict[str, tuple[Stamp, str | None]] = {}

    def create(
        self, filename: str, title: str, content: str, *, overwrite: bool = False, check: Check | None = None
    ) -> str:
        """Write a new document and return its name; an existing one is kept unless `overwrite`.

        A Jupyter notebook as `content` becomes R Markdown.
        `check` is called before an existing one is replaced, while nobody else writes; it may raise.
        """
        name = document_name(filename)
        if "\n" in title or "\r" in title:
            title = " ".join(title.split())
        with turn(self.root):
            self._refuse_twin(name)
            if check is not None and overwrite and _is_plain_file(self.root / name):
                check()
            self._write(name, ensure(as_document(content), title), replace=overwrite)
        return name

    def _refuse_twin(self, name: str) -> None:
        """Documents that differ in their ending alone would share side files and results."""
        for twin in (stem_of(name) + ending for ending in SOURCE_ENDINGS if not name.endswith(ending)):
            if _is_plain_file(self.root / twin) and not _is_plain_file(self.root / name):
                hint = f"Choose another filename, or say {twin} to mean that one."
                raise Conflict(f"{twin} exists already", hint=hint)

    def update(self, filename: str, content: str) -> str:
        """Replace the text of an existing document."""
        with turn(self.root):
            name = self.existing(filename)
            self._write(name, content, replace=True)
        return name

    def edit(self, filename: str, change: Callable[[str], str]) -> str:
        """Change an existing document: `change` is given the text as it is now, and nobody writes in between."""
        with turn(self.root):
            name = self.existing(filename)
            self._write(name, change(self.text(name)), replace=True)
        return name

    def _write(self, name: str, content: str, *, replace: bool) -> None:
        data = _encode(content)
        if len(data) > SOURCE_LIMIT:
            raise SizeLimit(f"a document has at most {SOURCE_LIMIT >> 20} MiB", hint="Put data into side files.")
        if replace:
            self._versions.keep(self.root / name, name)
        try:
            write_whole(self.root / name, data, replace=replace)
        except FileExistsError:
            raise Conflict(
                f"{name} exists already", hint="Choose another filename, or set overwrite to true to replace it."
            ) from None

    def existing(self, filename: str) -> str:
        """The name of a document that is there; both spellings of the extension are tried."""
        name = document_name(filename)
        candidates = dict.fromkeys([name, *(stem_of(name) + ending for ending in SOURCE_ENDINGS)])
        for candidate in candidates:
            if _is_plain_file(self.root / candidate):
                return candidate
        raise NotFound(
            f"R Markdown file not found: {name}",
            code="document_not_found",
            hint="List the documents to see which there are, or create it first.",
        )

    def read(self, filename: str) -> bytes:
        return read_plain(self.root / self.existing(filename), SOURCE_LIMIT)

    def text(self, filename: str) -> str:
        return source_text(document_name(filename), self.read(filename))

    def all(self) -> list[Document]:
        """All documents by name, with their titles as the files have them now; only changed files are read."""
        known, self._titles = self._titles, {}
        found = []
        for name, stamp, modified in self._stamped():
            title = known[name][1] if name in known and known[name][0] == stamp else self._title(name)
            self._titles[name] = (stamp, title)
            found.append(Document(name, title, stamp[1], modified))
        return found

    def sizes(self) -> list[tuple[str, int, float]]:
        """Names, sizes and times of change of all documents; nothing is read."""
        return [(name, stamp[1], modified) for name, stamp, modified in self._stamped()]

    def _stamped(self) -> Iterator[tuple[str, Stamp, float]]:
        for entry in sorted(self._entries(), key=lambda entry: entry.name):
            with contextlib.suppress(FileNotFoundError):
                info = entry.stat(follow_symlinks=False)
                yield entry.name, (info.st_ino, info.st_size, info.st_mtime_ns), info.st_mtime

    def _entries(self) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(self.root) as entries:
                yield from [entry for entry in entries if _is_document(entry)]
        except FileNotFoundError:
            return

    def _title(self, name: str) -> str | None:
        try:
            return title_of(read_plain(self.root / name, SOURCE_LIMIT).decode("utf-8", "replace"))
        except (OSError, RolltopError):
            return None

    def delete(self, filename: str, *, check: Check | None = None) -> str:
        """Remove a document and its side files; what was rendered from it stays, and so do all versions.

        `check` is called before that, while nobody else writes; it may raise.
        """
        with turn(self.root):
            name = self.existing(filename)
            if check is not None:
                check()
            side = self.root / stem_of(name)
            for file, _ in _walk(side):
                self._versions.keep(side / file, f"{stem_of(name)}/{file}")
            self._versions.keep(self.root / name, name)
            (self.root / name).unlink()
            if side.is_dir() and not side.is_symlink():
                shutil.rmtree(side)
        return name

    def versions(self, filename: str, side: str | None = None) -> list[Version]:
        """Earlier states of a document, or of one of its side files, the newest first; also of deleted ones."""
        return self._versions.all(self._versioned(filename, side))

    def version(self, filename: str, number: int, side: str | None = None) -> bytes:
        """The bytes of an earlier state."""
        limit = SOURCE_LIMIT if side is None else self.side_limit
        return self._versions.read(self._versioned(filename, side), number, limit)

    def restore(self, filename: str, number: int, side: str | None = None) -> str:
        """Make an earlier state the current one; the state before that becomes a version. Gives the file's path."""
        data = self.version(filename, number, side)
        relative = self._versioned(filename, side)
        if side is not None:
            return self.attach(filename, side, data).path
        with turn(self.root):
            self._refuse_twin(relative)
            self._write(relative, source_text(relative, data), replace=True)
        return relative

    def _versioned(self, filename: str, side: str | None) -> str:
        """The path below the directory that versions are kept under."""
        try:
            name = self.existing(filename)
        except NotFound:  # deleted, and its versions are there still
            name = document_name(filename)
        return name if side is None else f"{stem_of(name)}/{side_name(side)}"

    def attach(self, filename: str, side: str, data: bytes) -> Attached:
        """Keep a side file for a document; an existing one of that name is replaced."""
        side = side_name(side)
        with turn(self.root):
            stem = stem_of(self.existing(filename))
            others = [file for file in self.side_files(filename) if file.name != side]
            self._check_room(stem, len(others) + 1, sum(file.size for file in others) + len(data))
            target = self.root / stem / side
            _make_directories(self.root, target.parent)
            replaced = target.exists()
            self._versions.keep(target, f"{stem}/{side}")
            write_whole(target, data, replace=True)
        return Attached(f"{stem}/{side}", replaced)

    def _check_room(self, stem: str, count: int, size: int) -> None:
        if count > SIDE_FILES:
            raise SizeLimit(
                f"a document has at most {SIDE_FILES} side files, and {stem} would have {count}",
                hint=f"Remove files from rmd/{stem}/, or put several into one.",
            )
        if size > self.side_limit:
            raise SizeLimit(
                f"the side files of {stem} may have {self.side_limit >> 20} MiB together",
                hint=f"Remove files from rmd/{stem}/, or raise side_limit in the [reports] settings.",
            )

    def side_files(self, filename: str) -> list[SideFile]:
        stem = stem_of(self.existing(filename))
        return [SideFile(name, size) for name, size in _walk(self.root / stem)]

    def file(self, path: str) -> bytes:
        """A side file (`NAME/data.csv`), or a file for all documents (`_common.R`), by its path."""
        return read_plain(self.root / side_name(path), self.side_limit)

    def gather(self, name: str) -> dict[str, bytes]:
        """A document and its side files, as one render needs them."""
        files = {name: self.read(name)}
        stem, size = stem_of(name), 0
        for side, bytes_of_it in _walk(self.root / stem):
            size += bytes_of_it
            self._check_room(stem, len(files), size)
            files[f"{stem}/{side}"] = read_plain(self.root / stem / side, self.side_limit)
        for shared, bytes_of_it in self._shared():
            if f"{stem}/{shared}" not in files:  # a document's own file comes first
                size += bytes_of_it
                self._check_room(stem, len(files), size)
                files[shared] = read_plain(self.root / shared, self.side_limit)
        return files

    def _shared(self) -> Iterator[tuple[str, int]]:
        for path in sorted(self.root.glob("_*")):
            if _is_plain_file(path) and _safe(path.name):
                yield path.name, path.stat().st_size

    def left_out(self, name: str) -> list[str]:
        """Side files that no render sees: symbolic links, and names with control characters."""
        side = self.root / stem_of(name)
        if side.is_symlink():
            return [side.name]
        seen = {file for file, _ in _walk(side)}
        found = (path for path in sorted(side.rglob("*")) if path.is_symlink() or path.is_file())
        return [path.relative_to(side).as_posix() for path in found if path.relative_to(side).as_posix() not in seen]

    def stamps(self, name: str) -> Stamps:
        """What tells without reading whether a document or one of its side files was changed."""
        stem = stem_of(name)
        sides = [f"{stem}/{side}" for side, _ in _walk(self.root / stem)] + [shared for shared, _ in self._shared()]
        paths = [self.root / name, *(self.root / side for side in sides)]
        return tuple((str(path), _stamp(path)) for path in paths)

    def has(self, name: str) -> bool:
        """Whether there is a document of exactly this name."""
        return (self.root / name).is_file()

    def is_still(self, name: str, files: Mapping[str, bytes], stamps: Stamps) -> bool:
        """Whether a document and its side files are what they were when `files` were gathered."""
        try:
            return self.stamps(name) == stamps or self.gather(name) == files
        except (OSError, RolltopError):
            return False  # removed, or changed to something that cannot be rendered


def source_text(name: str, data: bytes) -> str:
    """A document's bytes as text."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidData(f"{name} is not UTF-8 (byte {error.start})", hint="Save it as UTF-8.") from None


def _stamp(path: Path) -> Stamp:
    info = path.lstat()
    return info.st_ino, info.st_size, info.st_mtime_ns


def _encode(content: str) -> bytes:
    try:
        return content.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidInput("the content has lone surrogates, which UTF-8 cannot hold") from None


def _is_plain_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _is_document(entry: os.DirEntry[str]) -> bool:
    if not entry.name.endswith(SOURCE_ENDINGS) or not entry.is_file(follow_symlinks=False):
        return False
    try:
        return document_name(entry.name) == entry.name
    except InvalidInput:
        return False


def _make_directories(root: Path, wanted: Path) -> None:
    """Like mkdir -p below `root`, but a symbolic link on the way is refused, not followed."""
    root.mkdir(parents=True, exist_ok=True)
    for part in [*reversed(wanted.relative_to(root).parents), wanted.relative_to(root)]:
        path = root / part
        if path.is_symlink():
            raise InvalidInput(f"{part} is a symbolic link")
        try:
            path.mkdir(exist_ok=True)
        except FileExistsError:
            raise Conflict(f"{part} is a file, not a directory") from None


def _walk(directory: Path) -> Iterator[tuple[str, int]]:
    """Plain files below `directory` with safe names, in order; links and names that no render takes are left out."""
    if directory.is_symlink():
        return
    for place, folders, files in os.walk(directory, followlinks=False):
        folders.sort()
        for file in sorted(files):
            path = Path(place) / file
            name = path.relative_to(directory).as_posix()
            if _is_plain_file(path) and _safe(name):
                yield name, path.stat().st_size


def _safe(name: str) -> bool:
    try:
        return side_name(name) == name
    except InvalidInput:
        return False
