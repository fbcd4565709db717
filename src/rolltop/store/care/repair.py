"""Mending what can be mended."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

from rolltop.errors import Conflict, NotFound, RolltopError
from rolltop.store.blobs import frames
from rolltop.store.blobs.frame_check import Soundness
from rolltop.store.blobs.writer import Writer
from rolltop.store.care.verification import Progress, Report, Verification
from rolltop.store.documents.ingest import keep_content
from rolltop.store.records import Frame, Object

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["Fetch", "Repair"]

_BLOCK = 1 << 20

Fetch = Callable[[str], bytes | BinaryIO | None]
"""The file that a path names, opened, or what it holds; None where there is none."""


class Repair:
    """Mends what can be mended."""

    def __init__(self, library: Library, verification: Verification) -> None:
        self._library = library
        self._verification = verification

    def run(self, fetch: Fetch | None = None, progress: Progress | None = None) -> Report:
        """Turn single flipped bits back; take whole contents from their original files if `fetch` still finds them."""
        mended = self._mend_rows()
        mended += self._library.recover(decided=True)
        with self._library.lock.held():
            leaves: dict[int, list[Object]] = {}
            for entry in self._library.catalog.objects.everything():
                if entry.frame is not None:
                    leaves.setdefault(entry.frame, []).append(entry)
            for frame in self._library.catalog.objects.frames():
                mended += self._mend_frame(frame, leaves.get(frame.id, []))
        self._library.reader.forget()
        if fetch:
            mended += self._from_originals(fetch)
        mended += self._library.indexes.mend(anew=bool(mended))
        report = self._verification.verify(progress)
        report.mended = mended
        return report

    def _mend_rows(self) -> list[str]:
        """Rows of the catalogue first: what they say decides what becomes of the packs."""

        def holds(leaf: Object) -> bool:
            try:
                self._library.reader.leaf(leaf)
            except (RolltopError, OSError):
                return False
            return True

        def whole(frame: Frame) -> bool:
            try:
                frames.check(self._library.blobs.read(frame.place), frame.id)
            except (RolltopError, OSError):
                return False
            return True

        with self._library.lock.held():
            mended = self._library.catalog.mend(holds, whole)
        self._library.reader.forget()
        return mended

    def _mend_frame(self, frame: Frame, leaves: list[Object]) -> list[str]:
        try:
            data = self._library.blobs.read(frame.place)
            frames.check(data, frame.id)
        except NotFound:
            data = b""
        except RolltopError:
            pass
        else:
            return []
        whole = frames.mend(data, frame.id, len(leaves), frame.raw) if len(data) == frame.place.length else None
        if whole is None or not self._is_what_was_stored(frame, whole, leaves):
            return []
        self._library.blobs.overwrite(frame.place, whole)
        return [f"frame {frame.id} (pack {frame.place.pack}, offset {frame.place.offset})"]

    def _is_what_was_stored(self, frame: Frame, data: bytes, leaves: list[Object]) -> bool:
        """Before any byte is overwritten: every leaf in the frame has its SHA-256."""
        try:
            base = None if frame.base is None else self._library.catalog.objects.get(frame.base)
            raw = frames.decode(data, frame.id, None if base is None else self._library.reader.leaf(base))
        except RolltopError:
            return False
        return all(hashlib.sha256(raw[leaf.start : leaf.start + leaf.size]).digest() == leaf.hash for leaf in leaves)

    def _from_originals(self, fetch: Fetch) -> list[str]:
        """Store the contents again whose bytes are damaged and that a file still has."""
        lost = self._lost()
        mended = []
        for path in self._verification.documents_of(set(lost.values())):
            found = fetch(path)
            with io.BytesIO(found) if isinstance(found, bytes) else found or io.BytesIO() as file:
                digest = _digest(file)
                file.seek(0)
                if digest in lost and self._stored_again(file, digest):
                    del lost[digest]
                    mended.append(f"{path}, from its file")
        return mended

    def _lost(self) -> dict[bytes, int]:
        """Objects whose bytes are not what was stored, by hash."""
        sound, entries = (
            Soundness(self._library.catalog, self._library.blobs),
            list(self._library.catalog.objects.everything()),
        )
        leaves = {entry.id for entry in entries if entry.parts is None and not sound.holds(entry)}
        return {
            entry.hash: entry.id
            for entry in entries
            if entry.id in leaves or (entry.parts is not None and not leaves.isdisjoint(entry.parts))
        }

    def _stored_again(self, file: BinaryIO, digest: bytes) -> bool:
        def work(writer: Writer) -> None:
            if keep_content(writer, file)[0].digest != digest:
                raise Conflict("the file changes while it is read")

        try:
            self._library.write(work)
        except Conflict:
            return False
        return True


def _digest(file: BinaryIO) -> bytes:
    digest = hashlib.sha256()
    while block := file.read(_BLOCK):
        digest.update(block)
    return digest.digest()
