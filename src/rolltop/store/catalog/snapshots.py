"""Snapshots: named sets of (path, content), and figures about the whole store."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from rolltop.store.catalog.connection import Database, Row
from rolltop.store.catalog.row_checksums import check_seal
from rolltop.store.globs import literal_glob
from rolltop.store.records import Snapshot, Stats

__all__ = ["Figures", "Snapshots"]


class Snapshots:
    """The part of the catalogue that remembers how things were."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def create(self, label: str, prefix: str, when: int) -> Snapshot:
        row = self._db.one(
            "INSERT INTO snapshots(label, created, prefix) VALUES(?, ?, ?) RETURNING id", (label, when, prefix)
        )
        assert row is not None
        self._db.run(
            "INSERT INTO snapshot_entries SELECT ?1, path, object, size, modified, "
            "seal(?1, path, object, size, modified) FROM documents "
            "WHERE deleted IS NULL AND (?2 = '' OR path = ?2 OR path GLOB ?3)",
            (row[0], prefix, literal_glob(prefix.rstrip("/")) + "/*"),
        )
        found = self.get(label)
        assert found is not None
        return found

    def get(self, label: str) -> Snapshot | None:
        rows = [snapshot for snapshot in self.all() if snapshot.label == label]
        return rows[0] if rows else None

    def all(self) -> list[Snapshot]:
        rows = self._db.all(
            "SELECT s.id, s.label, s.created, s.prefix, count(e.path), coalesce(sum(e.size), 0) FROM snapshots s "
            "LEFT JOIN snapshot_entries e ON e.snapshot = s.id GROUP BY s.id ORDER BY s.id"
        )
        return [Snapshot(*row) for row in rows]

    def remove(self, snapshot: int) -> None:
        self._db.run("DELETE FROM snapshot_entries WHERE snapshot = ?", (snapshot,))
        self._db.run("DELETE FROM snapshots WHERE id = ?", (snapshot,))

    def entries(self, snapshot: int) -> list[Row]:
        """(path, object, size, modified) by path."""
        rows = self._db.all(
            "SELECT path, object, size, modified, seal FROM snapshot_entries WHERE snapshot = ? ORDER BY path",
            (snapshot,),
        )
        for row in rows:
            check_seal(row[4], snapshot, *row[:4])
        return [row[:4] for row in rows]

    def present(self, prefix: str) -> list[Row]:
        """The same of the documents there are now."""
        return self._db.all(
            "SELECT path, object, size, modified FROM documents WHERE deleted IS NULL "
            "AND (?1 = '' OR path = ?1 OR path GLOB ?2) ORDER BY path",
            (prefix, literal_glob(prefix.rstrip("/")) + "/*"),
        )

    def holding(self, number: int) -> list[str]:
        """The snapshots that keep an object alive."""
        rows = self._db.all(
            "SELECT DISTINCT s.label FROM snapshot_entries e JOIN snapshots s ON s.id = e.snapshot WHERE e.object = ?",
            (number,),
        )
        return [row[0] for row in rows]

    def paths_of(self, numbers: Iterable[int]) -> list[str]:
        """The paths under which snapshots keep some of these objects."""
        rows = self._db.all(
            "SELECT DISTINCT path FROM snapshot_entries WHERE object IN (SELECT value FROM json_each(?))",
            (json.dumps(list(numbers)),),
        )
        return [row[0] for row in rows]


class Figures:
    """The part of the catalogue that counts."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def stats(self) -> Stats:
        with self._db.snapshot():
            documents, current = self._pair(
                "SELECT count(*), coalesce(sum(size), 0) FROM documents WHERE deleted IS NULL"
            )
            versions, earlier = self._pair(
                "SELECT count(*), coalesce(sum(v.size), 0) FROM versions v JOIN documents d ON d.id = v.document "
                "WHERE d.deleted IS NULL"
            )
            blocks, unique = self._pair("SELECT count(*), coalesce(sum(size), 0) FROM objects WHERE parts IS NULL")
            packs, pack_bytes = self._pair("SELECT count(*), coalesce(sum(length), 0) FROM packs")
            return Stats(
                documents=documents,
                versions=versions,
                logical_bytes=current + earlier,
                unique_objects=self._db.value("SELECT count(*) FROM objects"),
                unique_blocks=blocks,
                unique_bytes=unique,
                frames=self._db.value("SELECT count(*) FROM frames"),
                packs=packs,
                pack_bytes=pack_bytes,
                deleted_documents=self._db.value("SELECT count(*) FROM documents WHERE deleted IS NOT NULL"),
            )

    def _pair(self, sql: str) -> tuple[int, int]:
        row = self._db.one(sql)
        assert row is not None
        return row[0], row[1]

    def file_types(self) -> list[Row]:
        """(extension, MIME type, kind, documents, bytes), the most bytes first."""
        return self._db.all(
            "SELECT ext, mime, kind, count(*), sum(size) FROM documents WHERE deleted IS NULL "
            "GROUP BY ext, mime, kind ORDER BY 5 DESC, 1"
        )

    def largest(self, limit: int) -> list[Row]:
        """(path, size) of the largest documents."""
        return self._db.all(
            "SELECT path, size FROM documents WHERE deleted IS NULL ORDER BY size DESC, path LIMIT ?", (limit,)
        )

    def growth(self) -> list[Row]:
        """(day, documents, bytes) stored per day, by the version stored then."""
        return self._db.all(
            "SELECT date(indexed / 1000000000, 'unixepoch') AS day, count(*), sum(size) FROM ("
            "SELECT indexed, size FROM documents WHERE deleted IS NULL UNION ALL "
            "SELECT v.indexed, v.size FROM versions v JOIN documents d ON d.id = v.document WHERE d.deleted IS NULL) "
            "GROUP BY day ORDER BY day"
        )

    def block_sizes(self) -> dict[str, Any]:
        """How large the leaves are."""
        edges = (1 << 10, 4 << 10, 16 << 10, 64 << 10)
        bands = "CASE " + " ".join(f"WHEN size < {edge} THEN {edge}" for edge in edges) + " ELSE 0 END"
        rows = self._db.all(f"SELECT {bands} AS band, count(*) FROM objects WHERE parts IS NULL GROUP BY band")  # noqa: S608
        labels = {edge: f"< {edge >> 10} KiB" for edge in edges} | {0: f">= {edges[-1] >> 10} KiB"}
        return {labels[band]: count for band, count in sorted(rows, key=lambda row: row[0] or 1 << 62)}
