"""Tags and typed metadata of documents, with the metadata's history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.store.catalog.connection import Database, Row
from rolltop.store.catalog.row_checksums import check_seal, seal
from rolltop.store.metadata_values import FORGET_AFTER, read_value, with_expiry

__all__ = ["Tags"]


class Tags:
    """The part of the catalogue that knows what people say about documents."""

    def __init__(self, db: Database) -> None:
        self._db = db

    # tags ----------------------------------------------------------------------------------------

    def of(self, document: int) -> tuple[str, ...]:
        rows = self._db.all(
            "SELECT t.name FROM document_tags x JOIN tags t ON t.id = x.tag WHERE x.document = ? ORDER BY t.name",
            (document,),
        )
        return tuple(row[0] for row in rows)

    def of_many(self, documents: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """The tags of those of the documents that have any."""
        rows = self._db.all(
            "SELECT x.document, t.name FROM document_tags x JOIN tags t ON t.id = x.tag "
            "WHERE x.document IN (SELECT value FROM json_each(?)) ORDER BY t.name",
            (json.dumps(documents),),
        )
        found: dict[int, tuple[str, ...]] = {}
        for document, name in rows:
            found[document] = (*found.get(document, ()), name)
        return found

    def add(self, document: int, names: Iterable[str]) -> bool:
        """Whether any of the tags was new to the document."""
        before = self._db.connection.total_changes()
        for name in names:
            self._db.run("INSERT OR IGNORE INTO document_tags VALUES(?, ?)", (document, self._number(name)))
        return self._db.connection.total_changes() > before

    def _number(self, name: str) -> int:
        row = self._db.one("SELECT id FROM tags WHERE name = ?", (name,))
        if row is None:
            row = self._db.one("INSERT INTO tags(name) VALUES(?) RETURNING id", (name,))
        assert row is not None
        return int(row[0])

    def remove(self, document: int, names: Iterable[str]) -> bool:
        """Whether the document had any of the tags; a tag that nobody has any more disappears."""
        before = self._db.connection.total_changes()
        for name in names:
            self._db.run(
                "DELETE FROM document_tags WHERE document = ? AND tag = (SELECT id FROM tags WHERE name = ?)",
                (document, name),
            )
        removed = self._db.connection.total_changes() > before
        self.drop_unused()
        return removed

    def drop_unused(self) -> None:
        self._db.run("DELETE FROM tags WHERE id NOT IN (SELECT tag FROM document_tags)")

    def holders(self, name: str, limit: int) -> list[int]:
        """Documents with this tag."""
        rows = self._db.all(
            "SELECT x.document FROM document_tags x JOIN tags t ON t.id = x.tag "
            "JOIN documents d ON d.id = x.document WHERE t.name = ? AND d.deleted IS NULL ORDER BY 1 LIMIT ?",
            (name, limit),
        )
        return [row[0] for row in rows]

    def counts(self) -> dict[str, int]:
        """Every tag in use, with how many documents have it."""
        rows = self._db.all(
            "SELECT t.name, count(*) FROM document_tags x JOIN tags t ON t.id = x.tag "
            "JOIN documents d ON d.id = x.document WHERE d.deleted IS NULL GROUP BY t.name ORDER BY t.name"
        )
        return dict(rows)

    # metadata ------------------------------------------------------------------------------------

    def metadata(self, document: int) -> dict[str, Any]:
        rows = self._db.all("SELECT key, value, since, seal FROM metadata WHERE document = ? ORDER BY key", (document,))
        for key, value, since, expected in rows:
            check_seal(expected, document, key, value, since)
        return {row[0]: read_value(row[1]) for row in rows}

    def metadata_at(self, document: int, when: int) -> dict[str, Any]:
        """What the metadata was at a time."""
        rows = self._db.all(
            "SELECT key, value FROM metadata WHERE document = ?1 AND since <= ?2 UNION ALL "
            "SELECT key, value FROM metadata_history WHERE document = ?1 AND since <= ?2 AND until > ?2",
            (document, when),
        )
        return {key: read_value(value) for key, value in sorted(rows)}

    def set(self, document: int, values: Mapping[str, Any], when: int) -> list[str]:
        """Set values; the keys whose value changed. What they were goes to the history."""
        changed = []
        for key, value in with_expiry(values, when).items():
            text = json.dumps(value, ensure_ascii=False, sort_keys=True)
            if self._archive(document, key, when, unless=text):
                self._db.run(
                    "INSERT INTO metadata VALUES(?, ?, ?, ?, ?)",
                    (document, key, text, when, seal(document, key, text, when)),
                )
                changed.append(key)
        return changed

    def unset(self, document: int, keys: Sequence[str], when: int) -> list[str]:
        """Remove values; the keys that were there."""
        present = self.metadata(document)
        return [key for key in keys if key in present and self._archive(document, key, when)]

    # documents that are kept for a while ---------------------------------------------------------

    def refuse_expiry(self, document: int, values: Mapping[str, Any]) -> None:
        """A document that was stored to stay is deleted by who deletes it, not by what is said about it."""
        if FORGET_AFTER in values and FORGET_AFTER not in self.metadata(document):
            raise InvalidInput(
                "forget_after can only be given to a document that is new, or changed where it has been given",
                hint="Store the text under another name, or delete the document when it is no longer needed.",
            )

    def expiring(self, until: str, limit: int) -> list[tuple[int, str]]:
        """Documents that are kept until a moment such as 2026-11-18T12:00:00Z or an earlier one, the first first."""
        rows = self._db.all(
            "SELECT m.document, m.value FROM metadata m JOIN documents d ON d.id = m.document WHERE m.key = ? "
            "AND m.value <= ? AND m.value LIKE '\"____-__-__T__:__:__Z\"' AND d.deleted IS NULL ORDER BY 2 LIMIT ?",
            (FORGET_AFTER, json.dumps(until), limit),
        )
        return [(document, str(read_value(value))) for document, value in rows]

    def _archive(self, document: int, key: str, when: int, unless: str | None = None) -> bool:
        row = self._db.one("SELECT value, since FROM metadata WHERE document = ? AND key = ?", (document, key))
        if row is None:
            return True
        if row[0] == unless:
            return False
        values = (document, key, row[0], row[1], when)
        self._db.run("INSERT INTO metadata_history VALUES(?, ?, ?, ?, ?, ?)", (*values, seal(*values)))
        self._db.run("DELETE FROM metadata WHERE document = ? AND key = ?", (document, key))
        return True

    def history(self, document: int) -> list[Row]:
        """(key, value, since, until) in order of time; `until` is None for what holds now."""
        rows = self._db.all(
            "SELECT key, value, since, until FROM metadata_history WHERE document = ?1 UNION ALL "
            "SELECT key, value, since, NULL FROM metadata WHERE document = ?1 ORDER BY 3, 1",
            (document,),
        )
        return [(key, read_value(value), since, until) for key, value, since, until in rows]

    def take_history(self, document: int, rows: Iterable[tuple[str, Any, int, int | None]]) -> bool:
        """Take over the history of a document that came from elsewhere; True if anything of it was new here."""
        known = {(key, json.dumps(value, sort_keys=True), since) for key, value, since, _ in self.history(document)}
        new = False
        for key, value, since, until in rows:
            text = json.dumps(value, ensure_ascii=False, sort_keys=True)
            if until is None:
                # What holds in both places has held since it was said there.
                self._db.run(
                    "UPDATE metadata SET since = ?1, seal = ?2 WHERE document = ?3 AND key = ?4 AND value = ?5 "
                    "AND since > ?1",
                    (since, seal(document, key, text, since), document, key, text),
                )
            elif (key, json.dumps(value, sort_keys=True), since) not in known:
                values = (document, key, text, since, until)
                self._db.run("INSERT INTO metadata_history VALUES(?, ?, ?, ?, ?, ?)", (*values, seal(*values)))
                new = True
        return new
