"""Documents and their versions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rolltop.errors import Damaged
from rolltop.store.catalog.connection import Database, Row
from rolltop.store.catalog.row_checksums import check_seal, damaged_row, seal
from rolltop.store.file_types import name_and_extension
from rolltop.store.records import Document, Version

__all__ = ["Documents", "NewDocument", "documents_where"]

COLUMNS = (
    "d.id, d.path, d.name, d.ext, d.mime, d.kind, d.object, o.hash, d.size, d.version, "
    "d.created, d.modified, d.indexed, d.change, d.deleted, d.seal"
)
_FROM = "FROM documents d JOIN objects o ON o.id = d.object"


def document_of(row: Row) -> Document:
    """The document of a row of `COLUMNS`; a row that is not what was written is refused."""
    if not isinstance(row[7], bytes):
        raise damaged_row()
    values = (*row[:7], row[7].hex(), *row[8:15])
    document = Document(*values)
    if _seal_of(document, deleted=document.deleted) != row[15]:
        raise damaged_row()
    return document


def documents_where(db: Database, clause: str, values: Sequence[object]) -> list[Document]:
    """The documents of a query. Where rows are damaged, the others: each is then read alone."""
    try:
        return [document_of(row) for row in db.all(f"SELECT {COLUMNS} {clause}", values)]
    except Damaged:
        numbers = [row[0] for row in db.all(f"SELECT d.id {clause}", values)]
    found: list[Document] = []
    for number in numbers:
        try:
            row = db.one(f"SELECT {COLUMNS} {_FROM} WHERE d.id = ?", (number,))
            found += [document_of(row)] if row else []
        except Damaged:
            db.damaged.add(number)
    return found


def _version_of(row: Row) -> Version:
    check_seal(row[7], *row[:3], *row[4:7])
    if not isinstance(row[3], bytes):
        raise damaged_row()
    values = (*row[:3], row[3].hex(), *row[4:7])
    return Version(*values)


@dataclass(frozen=True, slots=True)
class NewDocument:
    """What storing a document says about it."""

    path: str
    name: str
    extension: str
    mime: str
    kind: str
    object: int
    size: int
    created: int
    modified: int


class Documents:
    """The part of the catalogue that knows paths."""

    def __init__(self, db: Database) -> None:
        self._db = db

    # reading -------------------------------------------------------------------------------------

    def get(self, number: int) -> Document | None:
        return self._first("d.id = ? AND d.deleted IS NULL", number)

    def at(self, path: str) -> Document | None:
        return self._first("d.path = ? AND d.deleted IS NULL", path)

    def _first(self, where: str, *values: object) -> Document | None:
        row = self._db.one(f"SELECT {COLUMNS} {_FROM} WHERE {where}", values)
        return document_of(row) if row else None

    def _every(self, where: str, *values: object) -> list[Document]:
        return documents_where(self._db, f"{_FROM} WHERE {where}", values)

    def present(self, paths: Sequence[str]) -> set[str]:
        """Which of these paths have a document."""
        rows = self._db.all(
            "SELECT path FROM documents WHERE deleted IS NULL AND path IN (SELECT value FROM json_each(?))",
            (json.dumps(paths),),
        )
        return {row[0] for row in rows}

    def named(self, name: str, limit: int = 50) -> list[Document]:
        return self._every("d.name = ? AND d.deleted IS NULL ORDER BY d.path LIMIT ?", name, limit)

    def ending(self, name: str, tail: str, limit: int = 50) -> list[Document]:
        """Documents called `name` whose path ends with `tail`, at the start of a component."""
        return self._every(
            "d.name = ? AND d.deleted IS NULL AND substr(d.path, -length(?)) = ? ORDER BY d.path LIMIT ?",
            name,
            f"/{tail}",
            f"/{tail}",
            limit,
        )

    def with_object(self, number: int) -> list[Document]:
        """Documents whose current content is this object."""
        return self._every("d.object = ? AND d.deleted IS NULL ORDER BY d.id", number)

    def with_objects(self, numbers: Iterable[int]) -> list[Document]:
        """Documents whose current content is one of these objects."""
        found = "d.object IN (SELECT value FROM json_each(?)) AND d.deleted IS NULL"
        return self._every(found, json.dumps(list(numbers)))

    def hashes(self, numbers: Iterable[int]) -> dict[int, str]:
        """The hash of the current content of those of these documents that are still there."""
        rows = self._db.all(
            "SELECT d.id, o.hash FROM documents d JOIN objects o ON o.id = d.object "
            "WHERE d.deleted IS NULL AND d.id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(numbers)),),
        )
        if not all(isinstance(digest, bytes) for _, digest in rows):
            raise damaged_row()
        return {number: digest.hex() for number, digest in rows}

    def reaches(self, number: int) -> bool:
        """Whether a document or an earlier version of one has this content."""
        return bool(
            self._db.one("SELECT 1 FROM documents WHERE object = ? AND deleted IS NULL LIMIT 1", (number,))
            or self._db.one(
                "SELECT 1 FROM versions v JOIN documents d ON d.id = v.document "
                "WHERE v.object = ? AND d.deleted IS NULL LIMIT 1",
                (number,),
            )
        )

    def with_version(self, number: int) -> Document | None:
        """A document that had this content once."""
        row = self._db.one(
            "SELECT v.document FROM versions v JOIN documents d ON d.id = v.document "
            "WHERE v.object = ? AND d.deleted IS NULL ORDER BY v.indexed DESC LIMIT 1",
            (number,),
        )
        return self.get(row[0]) if row else None

    def that_had(self, number: int) -> list[Document]:
        """Documents that had this content once and have another one now."""
        return self._every(
            "d.object <> ?1 AND d.deleted IS NULL AND d.id IN (SELECT document FROM versions WHERE object = ?1) "
            "ORDER BY d.id",
            number,
        )

    def current(self) -> list[Row]:
        """(object, id) of every document there is."""
        return self._db.all("SELECT object, id FROM documents WHERE deleted IS NULL")

    def changed(self, after: int, limit: int) -> list[Document]:
        """Documents changed since, deleted ones among them, oldest change first."""
        return self._every("d.change > ? ORDER BY d.change LIMIT ?", after, limit)

    def count_changed(self, after: int) -> int:
        """How many documents there are that changed since."""
        return int(self._db.value("SELECT count(*) FROM documents WHERE change > ? AND deleted IS NULL", (after,)))

    def latest(self, limit: int) -> list[Document]:
        """The documents that changed last, deleted ones among them, oldest change first."""
        return self._every("1 ORDER BY d.change DESC LIMIT ?", limit)[::-1]

    def pending(self, after: int) -> tuple[int, int]:
        """How many documents changed since, and the bytes of those that are text."""
        row = self._db.one(
            "SELECT count(*), coalesce(sum(CASE WHEN kind = 'text' AND deleted IS NULL THEN size END), 0) "
            "FROM documents WHERE change > ?",
            (after,),
        )
        assert row is not None
        return int(row[0]), int(row[1])

    def count_longer(self, size: int) -> int:
        """How many texts are longer than so many bytes."""
        return int(
            self._db.value(
                "SELECT count(*) FROM documents WHERE size > ? AND kind = 'text' AND deleted IS NULL", (size,)
            )
        )

    def last_change(self) -> int:
        return int(self._db.value("SELECT value FROM meta WHERE key = 'change'"))

    def versions(self, document: Document) -> list[Version]:
        """Every version, the current one last."""
        rows = self._db.all(
            "SELECT v.document, v.number, v.object, o.hash, v.size, v.modified, v.indexed, v.seal FROM versions v "
            "JOIN objects o ON o.id = v.object WHERE v.document = ? ORDER BY v.number",
            (document.id,),
        )
        now = Version(
            document.id,
            document.version,
            document.object,
            document.hash,
            document.size,
            document.modified,
            document.indexed,
        )
        return [*(_version_of(row) for row in rows), now]

    # writing -------------------------------------------------------------------------------------

    def next_change(self) -> int:
        row = self._db.one("UPDATE meta SET value = value + 1 WHERE key = 'change' RETURNING value")
        assert row is not None
        return int(row[0])

    def insert(self, new: NewDocument, indexed: int) -> int:
        change = self.next_change()
        self._db.run(_INSERT, _insert_values(new, indexed, change))
        return self._db.connection.last_insert_rowid()

    def insert_many(self, rows: Sequence[NewDocument], indexed: int) -> None:
        """Many documents that are known to be new; their changes are numbered on from the counter."""
        row = self._db.one("UPDATE meta SET value = value + ? WHERE key = 'change' RETURNING value", (len(rows),))
        assert row is not None
        first = int(row[0]) - len(rows) + 1
        self._db.many(_INSERT, [_insert_values(new, indexed, first + i) for i, new in enumerate(rows)])

    def replace(self, old: Document, new: NewDocument, indexed: int) -> None:
        """A new version: what the document was goes to its history."""
        values = (old.id, old.version, old.object, old.size, old.modified, old.indexed)
        self._db.run("INSERT INTO versions VALUES(?, ?, ?, ?, ?, ?, ?)", (*values, seal(*values)))
        change = self.next_change()
        version = old.version + 1
        row_seal = seal(
            *(new.path, new.object, new.size, version, new.mime, new.kind, old.created, new.modified, indexed, None)
        )
        self._db.run(
            "UPDATE documents SET mime=?, kind=?, object=?, size=?, version=?, modified=?, indexed=?, change=?, seal=? "
            "WHERE id=?",
            (
                *(new.mime, new.kind, new.object, new.size, version),
                *(new.modified, indexed, change, row_seal, old.id),
            ),
        )

    def touch(self, document: Document, *, modified: int | None = None) -> None:
        """Something about the document changed that indexes have to follow."""
        when = document.modified if modified is None else modified
        self._db.run(
            "UPDATE documents SET modified=?, change=?, seal=? WHERE id=?",
            (when, self.next_change(), _seal_of(document, modified=when, deleted=document.deleted), document.id),
        )

    def rename(self, document: Document, path: str, mime: str, kind: str) -> None:
        """Give a document another path, and the type that it has by that name."""
        name, extension = name_and_extension(path)
        moved = replace(document, path=path, mime=mime, kind=kind)
        self._db.run(
            "UPDATE documents SET path=?, name=?, ext=?, mime=?, kind=?, change=?, seal=? WHERE id=?",
            (path, name, extension, mime, kind, self.next_change(), _seal_of(moved, deleted=None), document.id),
        )

    def delete(self, documents: Iterable[Document], when: int) -> None:
        for document in documents:
            self._db.run(
                "UPDATE documents SET deleted=?, change=?, seal=? WHERE id=?",
                (when, self.next_change(), _seal_of(document, deleted=when), document.id),
            )

    def deleted(self, since: int = 0, until: int | None = None) -> list[Document]:
        """Documents in the undo window, the latest deletion first."""
        limit = (1 << 62) if until is None else until
        return self._every(
            "d.deleted IS NOT NULL AND d.deleted >= ? AND d.deleted <= ? ORDER BY d.deleted DESC, d.path", since, limit
        )

    def revive(self, document: Document) -> None:
        self._db.run(
            "UPDATE documents SET deleted=NULL, change=?, seal=? WHERE id=?",
            (self.next_change(), _seal_of(document, deleted=None), document.id),
        )

    def forget(self, documents: Iterable[Document]) -> None:
        """Remove deleted documents for good."""
        rows = [(document.id,) for document in documents]
        for table in ("versions", "document_tags", "metadata", "metadata_history"):
            self._db.many(f"DELETE FROM {table} WHERE document = ?", rows)  # noqa: S608
        self._db.many("DELETE FROM documents WHERE id = ?", rows)

    def broken_seals(self) -> list[tuple[str, int]]:
        """(table, document) of rows that are not what was written."""
        broken = [
            ("documents", row[0])
            for row in self._db.all(
                "SELECT id, seal, path, object, size, version, mime, kind, created, modified, indexed, deleted, "
                "name, ext FROM documents"
            )
            if row[1] != seal(*row[2:12]) or (row[12], row[13]) != name_and_extension(row[2])
        ]
        for table, columns in _SEALED.items():
            rows = self._db.all(f"SELECT seal, {columns} FROM {table}")  # noqa: S608
            broken += [(table, row[1]) for row in rows if row[0] != seal(*row[1:])]
        return broken


_SEALED = {
    "versions": "document, number, object, size, modified, indexed",
    "metadata": "document, key, value, since",
    "metadata_history": "document, key, value, since, until",
    "snapshot_entries": "snapshot, path, object, size, modified",
}

_INSERT = (
    "INSERT INTO documents(path, name, ext, mime, kind, object, size, version, created, modified, indexed, change, "
    "seal) VALUES(?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)"
)


def _insert_values(new: NewDocument, indexed: int, change: int) -> Row:
    return (
        *(new.path, new.name, new.extension, new.mime, new.kind, new.object, new.size),
        *(new.created, new.modified, indexed, change),
        seal(new.path, new.object, new.size, 1, new.mime, new.kind, new.created, new.modified, indexed, None),
    )


def _seal_of(d: Document, *, deleted: int | None, modified: int | None = None) -> int:
    when = d.modified if modified is None else modified
    return seal(d.path, d.object, d.size, d.version, d.mime, d.kind, d.created, when, d.indexed, deleted)
