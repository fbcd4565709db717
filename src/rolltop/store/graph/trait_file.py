"""The file of traits: everything that relations are looked up by, each by an index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rolltop.base.priority import yielding_to_requests
from rolltop.store.graph.references import Reference
from rolltop.store.graph.sketch import BANDS, Sketch, alike, bands_of
from rolltop.store.graph.traits import Traits
from rolltop.store.sqlite.sidecar import Sidecar

__all__ = ["TRAITS", "TraitFile"]

TRAITS = 4
"""Counted up when traits change; everything is then looked at again."""

_SCHEMA = (
    "CREATE TABLE sketches(document INTEGER PRIMARY KEY, sketch BLOB NOT NULL) STRICT",
    "CREATE TABLE bands(band INTEGER NOT NULL, document INTEGER NOT NULL, PRIMARY KEY(band, document)) "
    "STRICT, WITHOUT ROWID",
    "CREATE TABLE refs(document INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, path TEXT NOT NULL, "
    "PRIMARY KEY(document, kind, key, path)) STRICT, WITHOUT ROWID",
    "CREATE INDEX refs_key ON refs(key, kind)",
    "CREATE TABLE names(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
    *(
        statement
        for table in ("defines", "calls", "terms")
        for statement in (
            f"CREATE TABLE {table}(document INTEGER NOT NULL, name INTEGER NOT NULL, PRIMARY KEY(document, name)) "
            "STRICT, WITHOUT ROWID",
            f"CREATE INDEX {table}_name ON {table}(name, document)",
        )
    ),
)


class TraitFile(Sidecar):
    """Traits of documents by their number."""

    def __init__(self, path: Path, store: str) -> None:
        super().__init__(path, _SCHEMA, f"{store} {TRAITS}", "relations")

    def update(self, traits: Iterable[tuple[int, Traits]], removed: Sequence[int], mark: int) -> None:
        """Replace the traits of some documents, forget others, and note how far this goes: all or nothing."""
        with self.db:
            for document in removed:
                self._forget(document)
            for document, found in yielding_to_requests(traits):
                self._forget(document)
                self._learn(document, found)
            self.follow_to(mark)

    def _forget(self, document: int) -> None:
        db = self.db
        sketch = self.sketch(document)
        if sketch is not None:
            rows = [(band, document) for band in bands_of(sketch)]
            db.executemany("DELETE FROM bands WHERE band = ? AND document = ?", rows)
        for table in ("sketches", "refs", "defines", "calls", "terms"):
            db.execute(f"DELETE FROM {table} WHERE document = ?", (document,))  # noqa: S608

    def _learn(self, document: int, traits: Traits) -> None:
        db = self.db
        if traits.sketch is not None:
            db.execute("INSERT INTO sketches VALUES(?, ?)", (document, traits.sketch.tobytes()))
            rows = [(band, document) for band in bands_of(traits.sketch)]
            db.executemany("INSERT OR IGNORE INTO bands VALUES(?, ?)", rows)
        references = [(document, each.kind, each.key, each.path) for each in traits.references]
        db.executemany("INSERT OR IGNORE INTO refs VALUES(?, ?, ?, ?)", references)
        for table in ("defines", "calls", "terms"):
            names = getattr(traits, table)
            db.executemany("INSERT OR IGNORE INTO names(name) VALUES(?)", [(name,) for name in names])
            rows = [(document, name) for name in names]
            db.executemany(f"INSERT OR IGNORE INTO {table} SELECT ?, id FROM names WHERE name = ?", rows)  # noqa: S608

    def purge(self) -> None:
        self.db.execute(
            "DELETE FROM names WHERE id NOT IN "
            "(SELECT name FROM defines UNION SELECT name FROM calls UNION SELECT name FROM terms)"
        )
        super().purge()

    # asking --------------------------------------------------------------------------------------

    def sketch(self, document: int) -> Sketch | None:
        row = self.db.execute("SELECT sketch FROM sketches WHERE document = ?", (document,)).fetchone()
        return np.frombuffer(row[0], np.uint16) if row else None

    def alike(self, document: int, least: float, most: int) -> tuple[list[tuple[int, float]], bool]:
        """(document, share of equal numbers) of sketches that share at least so much; whether these are all.

        Only sketches that share a band can; more than `most` of these are not compared.
        """
        sketch = self.sketch(document)
        if sketch is None:
            return [], True
        marks = ", ".join("?" * BANDS)
        rows: list[Any] = self.db.execute(
            "SELECT document, sketch FROM sketches WHERE document IN "  # noqa: S608
            f"(SELECT document FROM bands WHERE band IN ({marks})) AND document <> ? ORDER BY document LIMIT ?",
            (*bands_of(sketch), document, most + 1),
        ).fetchall()
        table = np.frombuffer(b"".join(row[1] for row in rows[:most]), np.uint16).reshape(-1, len(sketch))
        shares = alike(sketch, table)
        return [(rows[at][0], float(shares[at])) for at in np.flatnonzero(shares >= least)], len(rows) <= most

    def references(self, document: int) -> list[Reference]:
        rows = self.db.execute(
            "SELECT kind, key, path FROM refs WHERE document = ? ORDER BY kind, key, path", (document,)
        )
        return [Reference(*row) for row in rows]

    def referring(self, key: str, kinds: Sequence[str], most: int) -> list[tuple[int, Reference]]:
        """(document, reference) of those that refer to something by this key."""
        marks = ", ".join("?" * len(kinds))
        rows = self.db.execute(
            f"SELECT document, kind, key, path FROM refs WHERE key = ? AND kind IN ({marks}) "  # noqa: S608
            "ORDER BY document, kind, path LIMIT ?",
            (key, *kinds, most),
        )
        return [(row[0], Reference(*row[1:])) for row in rows]

    def callers(self, document: int) -> list[tuple[int, str]]:
        """(document, name) of calls of what only this document defines."""
        return self._rows(
            "SELECT c.document, n.name FROM defines d JOIN calls c ON c.name = d.name JOIN names n ON n.id = d.name "
            "WHERE d.document = ?1 AND c.document <> ?1 AND (SELECT count(*) FROM (SELECT 1 FROM defines e "
            "WHERE e.name = d.name LIMIT 2)) = 1 ORDER BY c.document, n.name",
            document,
        )

    def called(self, document: int) -> list[tuple[int, str]]:
        """(document, name) of what this document calls and only that other one defines."""
        return self._rows(
            "SELECT d.document, n.name FROM calls c JOIN defines d ON d.name = c.name JOIN names n ON n.id = c.name "
            "WHERE c.document = ?1 AND d.document <> ?1 AND (SELECT count(*) FROM (SELECT 1 FROM defines e "
            "WHERE e.name = c.name LIMIT 2)) = 1 ORDER BY d.document, n.name",
            document,
        )

    def sharing_terms(self, document: int, rare: int) -> list[tuple[int, str, int]]:
        """(document, term, how many have it) of terms that at most `rare` documents are about."""
        rows: Any = self.db.execute(
            "SELECT o.document, w.name, n.holders FROM (SELECT name, (SELECT count(*) FROM (SELECT 1 FROM terms x "
            "WHERE x.name = m.name LIMIT ?2)) AS holders FROM terms m WHERE m.document = ?1) n "
            "JOIN terms o ON o.name = n.name AND o.document <> ?1 JOIN names w ON w.id = n.name "
            "WHERE n.holders < ?2 ORDER BY o.document, w.name",
            (document, rare + 1),
        )
        return list(rows)

    def _rows(self, question: str, document: int) -> list[tuple[int, str]]:
        rows: Any = self.db.execute(question, (document,))
        return list(rows)
