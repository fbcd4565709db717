"""`Origins`: makings in SQLite, by the hashes and URIs of what they used and made."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rolltop.base.private_sqlite import connect
from rolltop.errors import Damaged, NotFound
from rolltop.origin.records import Making, Part

__all__ = ["Origins"]

_LONG = 2000
"""Characters of a text in the arguments from which it is kept by its hash."""
_LARGEST = 16 << 20
"""Bytes of a text beyond which only the hash is kept."""
_KEPT, _LOST = "$kept", "$lost"
_PLAIN = ("tool", "client", "client_version", "principal", "session", "time", "seconds", "is_copy", "takes_fresh")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS makings (
  id INTEGER PRIMARY KEY AUTOINCREMENT, digest TEXT NOT NULL, tool TEXT NOT NULL, arguments TEXT NOT NULL,
  versions TEXT NOT NULL, client TEXT NOT NULL, client_version TEXT NOT NULL, principal TEXT NOT NULL,
  session TEXT NOT NULL, time REAL NOT NULL, seconds REAL NOT NULL, is_copy INTEGER NOT NULL,
  takes_fresh INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS parts (
  making INTEGER NOT NULL REFERENCES makings(id), is_output INTEGER NOT NULL, place INTEGER NOT NULL,
  role TEXT NOT NULL, uri TEXT NOT NULL, hash TEXT NOT NULL, size INTEGER NOT NULL,
  PRIMARY KEY (making, is_output, place)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS parts_by_hash ON parts (hash, is_output, making);
CREATE INDEX IF NOT EXISTS parts_by_uri ON parts (uri, is_output, making);
CREATE INDEX IF NOT EXISTS makings_by_time ON makings (time);
CREATE TABLE IF NOT EXISTS texts (hash TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
PRAGMA user_version = 1;
"""


class Origins:
    """Opened at first use, shared between threads and processes."""

    def __init__(self, path: Path, prepare: Callable[[], object] | None = None) -> None:
        """`prepare` makes the directory; without it, it is just made."""
        self.path = path
        self._prepare = prepare or (lambda: path.parent.mkdir(parents=True, exist_ok=True))
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    # Writing

    def record(self, making: Making) -> Making:
        """Keep a making, on disk when this returns, and give it with its number.

        One that the newest of the same output equals in all but its time is known already.
        """
        texts: dict[str, bytes] = {}
        arguments = json.dumps(_shortened(making.arguments, texts), ensure_ascii=False)
        digest = making.digest
        newest = "SELECT id, digest FROM makings WHERE id = (SELECT max(making) FROM parts WHERE uri = ? AND is_output)"
        with self._open() as connection:
            known = connection.execute(newest, [making.outputs[0].uri]).fetchone()
            if known is not None and known[1] == digest:
                return replace(making, id=known[0])
        with self._open() as connection, _transaction(connection):
            connection.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?)", texts.items())
            row = {name: getattr(making, name) for name in _PLAIN}
            row |= {"digest": digest, "arguments": arguments, "versions": json.dumps(dict(making.versions))}
            places = ", ".join(f":{name}" for name in row)
            query = f"INSERT INTO makings ({', '.join(row)}) VALUES ({places}) RETURNING id"  # noqa: S608
            number = int(connection.execute(query, row).fetchall()[0][0])
            connection.executemany("INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?, ?)", _part_rows(number, making))
        return replace(making, id=number)

    # Reading

    def made(self, *, uri: str | None = None, digest: str | None = None) -> Making | None:
        """The newest making with an output of this URI, or of this hash or beginning of one; copies come last."""
        if uri is not None:
            where, bound = "uri = ?", [uri]
        else:
            where, bound = "hash >= ? AND hash < ?", [digest or "", f"{digest}g"]
        outputs = f"SELECT making FROM parts WHERE is_output AND {where}"  # noqa: S608 - no user text in it
        found = self._select(f"id IN ({outputs}) ORDER BY is_copy, id DESC LIMIT 1", bound)
        return found[0] if found else None

    def used(self, digest: str, limit: int = 100) -> list[Making]:
        """Makings with an input of this hash, the newest first."""
        where = "id IN (SELECT making FROM parts WHERE hash = ? AND NOT is_output) ORDER BY id DESC LIMIT ?"
        return self._select(where, [digest, limit])

    def newest(self) -> list[Making]:
        """For each output URI the newest making, each making once, the oldest first."""
        return self._select("id IN (SELECT max(making) FROM parts WHERE is_output GROUP BY uri) ORDER BY id", [])

    def recent(self, limit: int = 50) -> list[Making]:
        return self._select("1 ORDER BY id DESC LIMIT ?", [limit])

    def during(self, tool: str, start: float, end: float) -> list[Making]:
        """What a tool made between two times."""
        return self._select("time BETWEEN ? AND ? AND tool = ? ORDER BY id LIMIT 100", [start, end, tool])

    def get(self, number: int) -> Making | None:
        found = self._select("id = ?", [number])
        return found[0] if found else None

    def arguments(self, making: Making) -> dict[str, Any]:
        """The arguments to call the tool with again; raises `NotFound` where a text was too large to be kept."""
        with self._open() as connection:
            whole: dict[str, Any] = _whole(making.arguments, connection)
        return whole

    def _select(self, rest: str, bound: list[Any]) -> list[Making]:
        if not self.path.exists():
            return []
        with self._open() as connection:
            query = f"SELECT id, arguments, versions, {', '.join(_PLAIN)} FROM makings WHERE {rest}"  # noqa: S608
            rows = connection.execute(query, bound).fetchall()
            return [_making(row, _parts(connection, row[0])) for row in rows]

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                if self._connection is None:
                    self._prepare()
                    connection = connect(self.path)
                    connection.execute("PRAGMA synchronous=FULL")
                    connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
                    self._connection = connection
                yield self._connection
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                    raise
                hint = "Move it away: things stay, and origins are kept anew from the next call on."
                raise Damaged(f"the origins {self.path} are damaged", hint=hint) from None


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _part_rows(number: int, making: Making) -> Iterable[tuple[Any, ...]]:
    for is_output, parts in ((0, making.inputs), (1, making.outputs)):
        for place, part in enumerate(parts):
            yield number, is_output, place, part.role, part.uri, part.hash, part.size


def _parts(connection: sqlite3.Connection, number: int) -> tuple[list[Part], list[Part]]:
    query = "SELECT is_output, role, uri, hash, size FROM parts WHERE making = ? ORDER BY is_output, place"
    both: tuple[list[Part], list[Part]] = ([], [])
    for is_output, *values in connection.execute(query, [number]):
        both[is_output].append(Part(*values))
    return both


def _making(row: tuple[Any, ...], parts: tuple[list[Part], list[Part]]) -> Making:
    plain = dict(zip(_PLAIN, row[3:], strict=True))
    plain |= {"is_copy": bool(plain["is_copy"]), "takes_fresh": bool(plain["takes_fresh"])}
    inputs, outputs = map(tuple, parts)
    return Making(
        arguments=json.loads(row[1]), versions=json.loads(row[2]), inputs=inputs, outputs=outputs, id=row[0], **plain
    )


def _shortened(value: Any, texts: dict[str, bytes]) -> Any:
    """`value` with long texts replaced by their hashes; the texts are gathered, compressed."""
    if isinstance(value, dict):
        return {key: _shortened(each, texts) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_shortened(each, texts) for each in value]
    if not isinstance(value, str) or len(value) <= _LONG:
        return value
    data = value.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(data).hexdigest()
    if len(data) > _LARGEST:
        return {_LOST: digest}
    texts[digest] = zlib.compress(data, 1)
    return {_KEPT: digest}


def _whole(value: Any, connection: sqlite3.Connection) -> Any:
    if isinstance(value, list):
        return [_whole(each, connection) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {_LOST}:
        raise NotFound(
            "a text of the call was too large to be kept, so it cannot be made again",
            hint="Store the input as a document and refer to it by doc://NAME.",
        )
    if value.keys() == {_KEPT}:
        row = connection.execute("SELECT data FROM texts WHERE hash = ?", [value[_KEPT]]).fetchone()
        return zlib.decompress(row[0]).decode("utf-8", "surrogatepass")
    return {key: _whole(each, connection) for key, each in value.items()}
