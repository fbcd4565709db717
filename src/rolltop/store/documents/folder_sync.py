"""A folder and its documents kept in step both ways: people edit the files, agents edit the documents.

What a file and its document were when they last agreed is kept in `folders.db`. From it follows which side changed.
Where both did, the file becomes the newest version and the document's text the version before it: nothing is lost.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from rolltop.base.atomic_files import Identity, identity_of, write_file
from rolltop.base.private_sqlite import connect
from rolltop.errors import Conflict, InvalidInput, NotFound, RolltopError
from rolltop.files import ObeyedNames
from rolltop.files.descriptors import open_real
from rolltop.store.documents.folder_files import Gather, read_source
from rolltop.store.documents.ingest import Source
from rolltop.store.file_types import storable_path
from rolltop.store.globs import glob_matches
from rolltop.store.query import Listing
from rolltop.store.records import Document

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["FolderSync", "Synced"]

_SCHEMA = "CREATE TABLE IF NOT EXISTS agreed (path TEXT PRIMARY KEY, hash TEXT NOT NULL) WITHOUT ROWID"


@dataclass(slots=True)
class Synced:
    """What one look at a folder brought about, by path."""

    stored: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    """Files that have the text of their document now."""
    moved: list[tuple[str, str]] = field(default_factory=list)
    """Documents that followed a renamed file."""
    deleted: list[str] = field(default_factory=list)
    """Documents whose file was removed."""
    removed: list[str] = field(default_factory=list)
    """Files whose document was deleted."""
    conflicts: list[str] = field(default_factory=list)
    """Changed on both sides: the file is the newest version, the document's text the one before."""
    problems: list[tuple[str, str]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in ("stored", "written", "moved", "deleted", "removed", "problems"))


@dataclass(slots=True)
class _Pair:
    """A file and a document of the same path; `agreed` is the hash that both had last."""

    path: str
    real: str
    """The path as the system knows it, whatever bytes its name has."""
    document: Document | None
    agreed: str | None
    source: Source | None = None
    file_hash: str | None = None

    @property
    def stored_hash(self) -> str | None:
        return self.document.hash if self.document else None


class FolderSync:
    """Keeps one folder in step. `gather` says which of its files count."""

    def __init__(self, library: Library, root: str, gather: Callable[[], Gather]) -> None:
        self._library, self._gather = library, gather
        self._root = Path(os.path.realpath(root))
        self._obeyed = ObeyedNames()
        self._agreed = connect(library.directory / "folders.db")
        self._agreed.execute(_SCHEMA)

    def close(self) -> None:
        self._agreed.close()

    def run(self) -> Synced:
        """Look at both sides once, and bring them into step."""
        if not self._root.is_dir():
            raise NotFound(f"there is no directory {storable_path(str(self._root))}", hint="Nothing was changed.")
        done = Synced()
        pairs = [pair for pair in self._pairs(done) if pair.file_hash != pair.stored_hash]
        self._follow_renames(pairs, done)
        for pair in pairs:
            try:
                self._settle(pair, done)
            except (OSError, RolltopError) as error:  # the next look tries again
                done.problems.append((pair.path, getattr(error, "strerror", None) or str(error)))
        return done

    # looking -------------------------------------------------------------------------------------

    def _pairs(self, done: Synced) -> Iterator[_Pair]:
        """Every path of either side; those that agree are noted as agreed."""
        gather = self._gather()
        files = {storable_path(path): path for path in gather.paths([str(self._root)])}
        place = storable_path(str(self._root)).rstrip("/")
        documents = {each.path: each for each in self._library.documents.select(Listing(paths=(f"{place}/**",)))}
        agreed = self._known(place)
        for path in sorted(files.keys() | documents.keys() | agreed.keys()):
            pair = _Pair(path, files.get(path, path), documents.get(path), agreed.get(path))
            if path in files:
                try:
                    self._read(pair, gather)
                except (OSError, InvalidInput) as error:
                    done.problems.append((path, getattr(error, "strerror", None) or str(error)))
                    continue
            elif os.path.lexists(os.fsencode(path)) or (pair.document and not self._wanted(path, gather)):
                continue  # a file that is left out, or a document that is none of this folder's
            if pair.file_hash == pair.stored_hash != pair.agreed:
                self._agree(pair, pair.file_hash)
            yield pair
        done.problems += gather.problems

    def _read(self, pair: _Pair, gather: Gather) -> None:
        document, info = pair.document, os.stat(pair.real)
        if document is not None and (info.st_size, info.st_mtime_ns) == (document.size, document.modified):
            pair.file_hash = document.hash
            return
        pair.source = read_source(pair.real, gather.largest)
        pair.file_hash = sha256(pair.source.data).hexdigest()

    def _wanted(self, path: str, gather: Gather) -> bool:
        """Whether a document may become a new file: by the patterns for files, and by its name."""
        inside = Path(path).relative_to(self._root)
        if gather.include and not any(glob_matches(each, path) for each in gather.include):
            return False
        above = [str(Path(path)), *(str(self._root / each) for each in inside.parents if each.parts)]
        if any(glob_matches(pattern.rstrip("/"), each) for pattern in gather.exclude for each in above):
            return False
        return self._obeyed.why(Path(path), self._root) is None

    # settling ------------------------------------------------------------------------------------

    def _follow_renames(self, pairs: list[_Pair], done: Synced) -> None:
        """A file that is gone and a new one with the same content: the document moves with it."""
        arrived = {pair.file_hash: pair for pair in pairs if pair.document is None and pair.agreed is None}
        for pair in list(pairs):
            gone = pair.file_hash is None and pair.document is not None and pair.stored_hash == pair.agreed
            if gone and (new := arrived.pop(pair.stored_hash, None)) and pair.document:
                moved = self._library.edits.move(pair.document, new.path)
                done.moved.append((pair.path, moved.path))
                self._agree(pair, None)
                self._agree(new, moved.hash)
                pairs.remove(pair)
                pairs.remove(new)

    def _settle(self, pair: _Pair, done: Synced) -> None:
        if pair.file_hash == pair.agreed and pair.file_hash is not None:
            self._take_from_store(pair, done)
        elif pair.file_hash is None:
            self._file_is_gone(pair, done)
        else:
            if pair.stored_hash != pair.agreed and pair.document is not None:
                done.conflicts.append(pair.path)
            self._store(pair, done)

    def _take_from_store(self, pair: _Pair, done: Synced) -> None:
        """Only the document changed."""
        if pair.document is None:
            self._replace(pair, None)
            done.removed.append(pair.path)
        else:
            self._replace(pair, pair.document)
            done.written.append(pair.path)
        self._agree(pair, pair.stored_hash)

    def _file_is_gone(self, pair: _Pair, done: Synced) -> None:
        """A document without a file: it was removed, or the document is new or has changed since."""
        assert pair.document is not None
        if pair.stored_hash == pair.agreed:
            self._library.documents.delete([pair.document])
            done.deleted.append(pair.path)
            self._agree(pair, None)
        else:
            self._replace(pair, pair.document)
            done.written.append(pair.path)
            self._agree(pair, pair.stored_hash)

    def _store(self, pair: _Pair, done: Synced) -> None:
        source = pair.source or read_source(pair.real, self._library.options.largest)
        self._library.documents.add(source.path, source.data, created=source.created, modified=source.modified)
        done.stored.append(pair.path)
        self._agree(pair, sha256(source.data).hexdigest())

    # files ---------------------------------------------------------------------------------------

    def _replace(self, pair: _Pair, document: Document | None) -> None:
        """Write the document's text into its file, or remove the file. A file that changed since is left alone."""
        if document is not None and (meaning := self._obeyed.why(Path(pair.real), self._root)):
            raise InvalidInput(f"the file is not written: {meaning}")
        with self._directory(pair.real) as directory:
            name = os.path.basename(pair.real)
            before = self._checked(pair, directory, name)
            if document is None:
                os.unlink(name, dir_fd=directory)
                return
            data = self._library.documents.read(document)
            write_file(
                name, data, mode=0o644, overwrite=before is not None, keep_attributes=True, expected=before,
                dir_fd=directory,
            )  # fmt: skip
            os.utime(name, ns=(document.modified, document.modified), dir_fd=directory, follow_symlinks=False)

    def _checked(self, pair: _Pair, directory: int, name: str) -> Identity | None:
        """The identity of the file that is about to go; it must have the content that was agreed."""
        before = identity_of(name, dir_fd=directory)
        if before is None:
            return None
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
        with open(opened, "rb") as file:
            if sha256(file.read()).hexdigest() != pair.agreed:
                raise Conflict("the file changed in the meantime", hint="It is looked at again.")
        return before

    @contextlib.contextmanager
    def _directory(self, path: str) -> Iterator[int]:
        """The open directory of a file below the root, made if it is not there; links are not followed."""
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        opened = open_real(str(self._root), flags)
        try:
            for part in Path(path).relative_to(self._root).parts[:-1]:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=opened)
                below = os.open(part, flags | os.O_NOFOLLOW, dir_fd=opened)
                os.close(opened)
                opened = below
            yield opened
        finally:
            os.close(opened)

    # what was agreed -----------------------------------------------------------------------------

    def _known(self, place: str) -> dict[str, str]:
        rows = self._agreed.execute(
            "SELECT path, hash FROM agreed WHERE path > ? AND path < ?", (f"{place}/", f"{place}0")
        )
        return dict(rows.fetchall())

    def _agree(self, pair: _Pair, content: str | None) -> None:
        if content is None:
            self._agreed.execute("DELETE FROM agreed WHERE path = ?", (pair.path,))
        else:
            self._agreed.execute("INSERT OR REPLACE INTO agreed VALUES (?, ?)", (pair.path, content))
