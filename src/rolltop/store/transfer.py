"""Documents as a tar archive and back: every version, with tags, metadata and times; plain tar can read it too."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, BinaryIO

from rolltop.errors import Damaged, InvalidData
from rolltop.store.finding import Finding
from rolltop.store.history import History
from rolltop.store.keeping import Tally
from rolltop.store.query import Listing
from rolltop.store.records import Document, Version
from rolltop.store.writer import Writer

__all__ = ["Transfer"]

HEADER = "ROLLTOP.document"
GROUP = 200


class Transfer(History, Finding):
    """The moving part of the library."""

    def export(
        self, out: BinaryIO, query: Listing | None = None, progress: Callable[[int, int], None] | None = None
    ) -> int:
        """Write documents with all their versions; how many documents."""
        documents = self.catalog.listings.all(query or Listing())
        with tarfile.open(fileobj=out, mode="w|", format=tarfile.PAX_FORMAT) as archive:
            for done, document in enumerate(documents):
                for version in self.versions(document):
                    self._write(archive, self.filled(document), version)
                if progress:
                    progress(done + 1, len(documents))
        return len(documents)

    def _write(self, archive: tarfile.TarFile, document: Document, version: Version) -> None:
        data = self.read_object(version.object)
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
        if version.number == document.version:
            said |= {"tags": list(document.tags), "metadata": document.metadata}
        member.pax_headers = {HEADER: json.dumps(said, ensure_ascii=True)}
        archive.addfile(member, io.BytesIO(data))

    def import_(self, source: BinaryIO, progress: Callable[[int], None] | None = None) -> Tally:
        """Store what `export` wrote; a content that is not what its hash says is refused."""
        tally = Tally()
        for group in _groups(_members(source)):
            self.write(partial(self._take_group, group, tally))
            if progress:
                progress(tally.documents)
        return tally

    def _take_group(self, group: list[tuple[dict[str, Any], bytes]], tally: Tally, _: Writer) -> None:
        for said, data in group:
            self._take(said, data, tally)

    def _take(self, said: dict[str, Any], data: bytes, tally: Tally) -> None:
        added = self.add(
            said["path"],
            data,
            tags=said.get("tags", ()),
            metadata=said.get("metadata"),
            mime=said.get("mime"),
            created=said["created"],
            modified=said["modified"],
        )
        if added.hash != said["hash"]:
            raise Damaged(f"the archive is damaged: {said['path']} is not what its hash says")
        tally.documents += 1
        tally.new += added.outcome == "new"
        tally.versions += added.outcome == "version"
        tally.unchanged += added.outcome == "unchanged"
        tally.bytes += added.document.size
        tally.bytes_stored += added.bytes_stored
        tally.bytes_written += added.bytes_written


def _members(source: BinaryIO) -> Iterator[tuple[dict[str, Any], bytes]]:
    try:
        with tarfile.open(fileobj=source, mode="r|*") as archive:
            for member in archive:
                text = member.pax_headers.get(HEADER)
                file = archive.extractfile(member) if text else None
                if text is None or file is None:
                    raise InvalidData("the archive holds something that rolltop did not export")
                yield json.loads(text), file.read()
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
