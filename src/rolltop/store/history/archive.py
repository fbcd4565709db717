"""Documents as a tar archive and back: every version, with tags, metadata, its history and times.

Plain tar can read it too.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, BinaryIO

from rolltop.errors import Damaged, InvalidData, NotFound
from rolltop.store.blobs.writer import Writer
from rolltop.store.documents.ingest import Tally
from rolltop.store.file_types import UNKNOWN, storable_path
from rolltop.store.metadata_values import check_said, read_value
from rolltop.store.query import Listing
from rolltop.store.records import Document, Version

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["Archive"]

HEADER = "ROLLTOP.document"
GROUP = 200


class Archive:
    """Writes and reads archives of a library."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def export(
        self,
        out: BinaryIO,
        query: Listing | None = None,
        progress: Callable[[int, int], None] | None = None,
        left: list[tuple[str, str]] | None = None,
    ) -> int:
        """Write documents with all their versions as they are at one moment; how many documents.

        A version that is damaged is an error; with `left`, it is noted there with the reason and the rest is written.
        """
        count = 0
        with self._library.steady(), tarfile.open(fileobj=out, mode="w|", format=tarfile.PAX_FORMAT) as archive:
            documents = self._library.catalog.listings.all(query or Listing())
            for done, document in enumerate(documents, 1):
                count += self._export_one(archive, self._library.documents.filled(document), left)
                if progress:
                    progress(done, len(documents))
        return count

    def _export_one(self, archive: tarfile.TarFile, document: Document, left: list[tuple[str, str]] | None) -> bool:
        """Write the versions that can be read; whether there is any. What is said of a document is with the last."""
        held: tuple[Version, bytes] | None = None
        for version in self._library.documents.versions(document):
            try:
                data = self._library.documents.read_object(version.object)
            except (Damaged, NotFound) as error:
                if left is None:
                    raise
                left.append((f"version {version.number} of {document.path}", error.message))
                continue
            if held:
                self._write(archive, document, *held, last=False)
            held = version, data
        if held:
            self._write(archive, document, *held, last=True)
        return held is not None

    def _write(
        self, archive: tarfile.TarFile, document: Document, version: Version, data: bytes, *, last: bool
    ) -> None:
        member = tarfile.TarInfo(document.path.lstrip("/") or document.name)
        member.size = len(data)
        member.mtime = version.modified // 1_000_000_000
        said = {
            "path": document.path,
            "version": version.number,
            "hash": version.hash,
            "mime": document.mime,
            "created": document.created,
            "modified": version.modified,
        }
        if last:
            history = self._library.catalog.tags.history(document.id)
            said |= {"tags": list(document.tags), "metadata": document.metadata, "metadata_history": history}
        member.pax_headers = {HEADER: json.dumps(said, ensure_ascii=True)}
        archive.addfile(member, io.BytesIO(data))

    def import_(self, source: BinaryIO, progress: Callable[[int], None] | None = None) -> Tally:
        """Store what `export` wrote; a content that is not what its hash says is refused."""
        tally, arriving = Tally(), _Arriving()
        for group in _groups(_members(source)):
            self._library.write(partial(self._take_group, group, arriving, tally))
            if progress:
                progress(tally.documents)
        return tally

    def _take_group(
        self, group: list[tuple[dict[str, Any], bytes]], arriving: _Arriving, tally: Tally, writer: Writer
    ) -> None:
        for said, data in group:
            if sha256(data).hexdigest() != said["hash"]:
                raise Damaged(f"the archive is damaged: {said['path']} is not what its hash says")
            if said["path"] != arriving.path:
                there = self._library.catalog.documents.at(storable_path(said["path"]))
                arriving.begin(
                    said["path"], [version.hash for version in self._library.documents.versions(there)] if there else []
                )
            tally.documents += 1
            # What is said of a document comes with its last version: it holds if that is the current one here too.
            if arriving.is_known(said["hash"]) and not (arriving.is_current and "tags" in said):
                tally.unchanged += 1
            else:
                self._take(said, data, tally, writer)

    def _take(self, said: dict[str, Any], data: bytes, tally: Tally, writer: Writer) -> None:
        mime, tags, metadata = said.get("mime"), said.get("tags", ()), said.get("metadata") or {}
        check_said(said["path"], tags, metadata)
        added = self._library.documents.keep(
            writer,
            said["path"],
            data,
            tags=tags,
            metadata=metadata,
            mime=None if mime == UNKNOWN else mime,
            times=(said["created"], said["modified"]),
        )
        history = said.get("metadata_history")
        if history:
            self._library.catalog.tags.take_history(added.document.id, history)
        tally.new += added.outcome == "new"
        tally.versions += added.outcome == "version"
        tally.unchanged += added.outcome == "unchanged"
        tally.bytes += added.document.size
        tally.bytes_stored += added.bytes_stored
        tally.bytes_written += added.bytes_written


class _Arriving:
    """The document whose versions are coming in, and those of them that are here already, in the same order."""

    def __init__(self) -> None:
        self.path: str | None = None
        self._ahead: list[str] = []
        self._has_more = False

    def begin(self, path: str, versions: list[str]) -> None:
        """The store has these versions of the next document, the current one last."""
        self.path, self._ahead, self._has_more = path, versions, False

    def is_known(self, digest: str) -> bool:
        """Whether the next version is here. What comes after one that is not is new too: the last has to be current."""
        if self._has_more or digest not in self._ahead:
            self._has_more = True
            return False
        del self._ahead[: self._ahead.index(digest) + 1]
        return True

    @property
    def is_current(self) -> bool:
        """Whether the version that was asked for last is the current one here."""
        return not self._ahead


def _members(source: BinaryIO) -> Iterator[tuple[dict[str, Any], bytes]]:
    try:
        with tarfile.open(fileobj=source, mode="r|*") as archive:
            for member in archive:
                text = member.pax_headers.get(HEADER)
                file = archive.extractfile(member) if text else None
                if text is None or file is None:
                    raise InvalidData("the archive holds something that rolltop did not export")
                yield read_value(text), file.read()
    except tarfile.TarError as error:
        raise InvalidData(f"the archive cannot be read: {error}") from None


def _groups(members: Iterator[tuple[dict[str, Any], bytes]]) -> Iterator[list[tuple[dict[str, Any], bytes]]]:
    group: list[tuple[dict[str, Any], bytes]] = []
    for member in members:
        group.append(member)
        if len(group) == GROUP:
            yield group
            group = []
    if group:
        yield group
