"""Listings: filters and order become one SQL statement over the right index."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.store.catalog.connection import Database
from rolltop.store.catalog.documents import documents_where
from rolltop.store.catalog.metadata_comparison import metadata_condition
from rolltop.store.catalog.row_checksums import seal
from rolltop.store.file_types import KINDS, storable_path
from rolltop.store.globs import is_glob, like_glob, literal_glob
from rolltop.store.metadata_values import read_value
from rolltop.store.query import Listing, Page, decode_cursor, encode_cursor, unknown_cursor
from rolltop.store.records import Document

__all__ = ["Listings", "path_condition"]

_MANY = 5
_MOST = (1 << 62) - 1
"""More documents than there can be; SQLite takes no larger numbers."""
_NOT_TEXT = "d.kind < 'text' OR d.kind > 'text'"  # as != it could not use the index


class Listings:
    """The part of the catalogue that answers questions about many documents."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def page(self, query: Listing) -> Page:
        """The documents of one page, and how many there are in all."""
        where, values = _where(query)
        after = _place_of(query) if query.cursor else None
        with self._db.snapshot():
            total = self._db.value(f"SELECT count(*) FROM documents d WHERE {where}", values)  # noqa: S608
            rows = self._rows(query, where, values, total, after) if total else []
            filled = self.fill(rows[: query.limit])
        more = len(rows) > query.limit
        return Page(filled, total, _cursor_after(query, filled[-1]) if more else None)

    def _rows(
        self, query: Listing, where: str, values: list[Any], total: int, after: list[Any] | None
    ) -> list[Document]:
        column, direction, beyond = f"d.{query.sort_by}", ("DESC" if query.descending else "ASC"), ""
        values = list(values)
        if after is not None:
            beyond = f" AND ({column}, d.id) {'<' if query.descending else '>'} (?, ?)"
            values += after
        # Where many documents fit, walking them in order and stopping early beats sorting all of them.
        walk = f"INDEXED BY documents_{query.sort_by}" if total > _MANY * query.limit else ""
        return documents_where(
            self._db,
            f"FROM documents d {walk} CROSS JOIN objects o ON o.id = d.object "
            f"WHERE {where}{beyond} ORDER BY {column} {direction}, d.id {direction} LIMIT ?",
            [*values, min(query.limit, _MOST) + 1],
        )

    def ids(self, query: Listing) -> list[int]:
        """The numbers of every document that fits."""
        where, values = _where(query)
        return [row[0] for row in self._db.all(f"SELECT d.id FROM documents d WHERE {where}", values)]  # noqa: S608

    def all(self, query: Listing) -> list[Document]:
        """Every document that fits, without tags and metadata, by path."""
        where, values = _where(query)
        clause = f"FROM documents d JOIN objects o ON o.id = d.object WHERE {where} ORDER BY d.path"
        return documents_where(self._db, clause, values)

    def numbered(self, numbers: Sequence[int]) -> list[Document]:
        """Those of the documents with these numbers that are still there, with tags and metadata."""
        clause = (
            "FROM documents d JOIN objects o ON o.id = d.object "
            "WHERE d.deleted IS NULL AND d.id IN (SELECT value FROM json_each(?))"
        )
        return self.fill(documents_where(self._db, clause, (json.dumps(numbers),)))

    def fill(self, documents: Iterable[Document]) -> list[Document]:
        """The documents with their tags and metadata."""
        documents = list(documents)
        numbers = json.dumps([document.id for document in documents])
        tags: dict[int, list[str]] = {}
        for number, name in self._db.all(
            "SELECT x.document, t.name FROM document_tags x JOIN tags t ON t.id = x.tag "
            "WHERE x.document IN (SELECT value FROM json_each(?)) ORDER BY t.name",
            (numbers,),
        ):
            tags.setdefault(number, []).append(name)
        metadata: dict[int, dict[str, Any]] = {}
        for number, key, value, since, expected in self._db.all(
            "SELECT document, key, value, since, seal FROM metadata "
            "WHERE document IN (SELECT value FROM json_each(?)) ORDER BY key",
            (numbers,),
        ):
            if seal(number, key, value, since) == expected:  # verify names those that are not what was written
                metadata.setdefault(number, {})[key] = read_value(value)
        said = tags.keys() | metadata.keys()
        return [
            replace(d, tags=tuple(tags.get(d.id, ())), metadata=metadata.get(d.id, {})) if d.id in said else d
            for d in documents
        ]

    def facets(self, query: Listing) -> dict[str, dict[str, int]]:
        """How many of the documents have each kind, extension and tag."""
        where, values = _where(query)
        found: dict[str, dict[str, int]] = {
            label: dict(
                self._db.all(
                    f"SELECT {column}, count(*) FROM documents d WHERE {where} "  # noqa: S608
                    "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50",
                    values,
                )
            )
            for label, column in (("type", "d.kind"), ("mime", "d.mime"), ("extension", "d.ext"))
        }
        found["tag"] = dict(
            self._db.all(
                "SELECT t.name, count(*) FROM document_tags x JOIN tags t ON t.id = x.tag "  # noqa: S608
                f"JOIN documents d ON d.id = x.document WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50",
                values,
            )
        )
        return found

    def names(self, prefix: str, limit: int) -> list[str]:
        """Names that begin so, for completions."""
        rows = self._db.all(
            "SELECT DISTINCT name FROM documents WHERE deleted IS NULL AND name GLOB ? ORDER BY name LIMIT ?",
            (literal_glob(prefix) + "*", limit),
        )
        return [row[0] for row in rows]


def _cursor_after(query: Listing, last: Document) -> str:
    return encode_cursor(query.sort_by, query.descending, getattr(last, query.sort_by), last.id)


def _place_of(query: Listing) -> list[Any]:
    """The value and the number of the document that a cursor leads on from."""
    sort_by, descending, *place = decode_cursor(query.cursor or "", 4)
    if (sort_by, descending) != (query.sort_by, query.descending):
        raise InvalidInput(
            "the cursor belongs to a listing in another order",
            hint="Ask for the same order as for the page before, or start again without a cursor.",
        )
    if [type(each) for each in place] != [str if sort_by in ("name", "path") else int, int]:
        raise unknown_cursor()
    if any(isinstance(each, int) and abs(each) > _MOST for each in place):
        raise unknown_cursor()
    return place


def _where(query: Listing) -> tuple[str, list[Any]]:
    parts: list[str] = ["d.deleted IS NULL"]
    values: list[Any] = []
    for condition, more in _conditions(query):
        parts.append(condition)
        values += more
    where = " AND ".join(f"({part})" for part in parts)
    if query.recent is None:
        return where, values
    # The latest of those that fit, not those of the latest that fit.
    latest = f"SELECT d.id FROM documents d WHERE {where} ORDER BY d.indexed DESC, d.id DESC LIMIT ?"  # noqa: S608
    return f"d.deleted IS NULL AND d.id IN ({latest})", [*values, min(query.recent, _MOST)]


def _conditions(query: Listing) -> Iterable[tuple[str, list[Any]]]:
    yield from _type_conditions(query)
    for column, moment in query.after.items():
        yield f"d.{column} >= ?", [moment]
    for column, moment in query.before.items():
        yield f"d.{column} < ?", [moment]
    if query.name is not None:
        yield path_condition((query.name,))
    if query.paths:
        yield path_condition(query.paths)
    yield from _tag_conditions(query)
    for key, wanted in query.metadata.items():
        yield metadata_condition(key, wanted)
    if query.documents is not None:
        yield "d.id IN (SELECT value FROM json_each(?))", [json.dumps(query.documents)]


def _type_conditions(query: Listing) -> Iterable[tuple[str, list[Any]]]:
    if query.type is not None:
        if query.type not in KINDS:
            raise InvalidInput(f"type is one of {', '.join(KINDS)}")
        # `binary` is everything that is not text, as a person would use the word.
        yield (_NOT_TEXT, []) if query.type == "binary" else ("d.kind = ?", [query.type])
    if query.text and query.binary:
        raise InvalidInput("text and binary exclude each other", hint="Leave both out to get every document.")
    if query.text or query.binary:
        yield ("d.kind = 'text'" if query.text else _NOT_TEXT), []
    if query.mime is not None:
        yield "d.mime GLOB ? OR d.mime GLOB ?", [query.mime, f"{query.mime};*"]  # as in text/plain; charset=utf-16
    if query.extension is not None:
        extension = query.extension.lower()
        extension = extension if extension.startswith(".") or not extension else f".{extension}"
        yield "d.ext = ?", [extension[extension.rfind(".") :] if extension else ""]
        if extension.count(".") > 1:  # as in .tar.gz
            yield "lower(d.name) GLOB ?", [f"?*{literal_glob(extension)}"]


def _tag_conditions(query: Listing) -> Iterable[tuple[str, list[Any]]]:
    has = "EXISTS(SELECT 1 FROM document_tags x JOIN tags t ON t.id = x.tag WHERE x.document = d.id AND {})"
    among = "d.id IN (SELECT x.document FROM document_tags x JOIN tags t ON t.id = x.tag WHERE {})"
    below = "(t.name = ? OR t.name GLOB ?)"
    if query.tags:
        clauses = [among.format(below)] * len(query.tags)
        yield (" AND " if query.match_all_tags else " OR ").join(clauses), _tag_values(query.tags)
    for tag in query.exclude_tags:
        yield "NOT " + has.format(below), _tag_values((tag,))


def _tag_values(tags: Iterable[str]) -> list[str]:
    return [value for tag in tags for value in (tag, literal_glob(tag) + "/*")]


def path_condition(patterns: Iterable[str]) -> tuple[str, list[Any]]:
    """SQL for "the path is one of these, lies below one of these, or fits one of these globs"."""
    clauses, values = [], []
    for pattern in map(storable_path, patterns):
        for clause, more in _one_path(pattern):
            clauses.append(clause)
            values += more
    return " OR ".join(clauses) or "0", values


def _one_path(pattern: str) -> Iterable[tuple[str, list[Any]]]:
    if is_glob(pattern):
        sieve = "d.path GLOB ? AND glob_matches(?, d.path)"
        yield f"({sieve})", [like_glob(pattern), pattern]
        yield f"({sieve})", [like_glob(pattern.rstrip("/") + "/**"), pattern.rstrip("/") + "/**"]
        return
    plain = pattern.rstrip("/").removeprefix("./")
    if plain in ("", "."):
        yield "1", []
        return
    literal = literal_glob(plain)
    if not pattern.endswith("/"):
        yield "d.path = ?", [plain]
        if not plain.startswith("/"):
            yield "d.path GLOB ?", [f"*/{literal}"]
    yield "d.path GLOB ?", [f"{literal}/*"]
    if not plain.startswith("/"):
        yield "d.path GLOB ?", [f"*/{literal}/*"]
