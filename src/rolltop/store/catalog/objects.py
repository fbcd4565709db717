"""Objects, frames and packs: which bytes are kept, and where."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from rolltop.errors import Damaged
from rolltop.store.catalog.connection import Database, Row
from rolltop.store.catalog.leaf_lists import pack_parts, unpack_marks, unpack_parts
from rolltop.store.catalog.row_checksums import damaged_row
from rolltop.store.records import Frame, Mark, Object, Place

__all__ = ["Objects"]

_COLUMNS = "id, hash, size, frame, start, parts"
_REACHED = """
  SELECT object FROM documents {live}
  UNION SELECT v.object FROM versions v JOIN documents d ON d.id = v.document {live}
"""


class Objects:
    """The part of the catalogue that knows content."""

    def __init__(self, db: Database) -> None:
        self._db = db

    # objects -------------------------------------------------------------------------------------

    def with_hash(self, digest: bytes) -> Object | None:
        """The object with this SHA-256."""
        row = self._db.one(f"SELECT {_COLUMNS} FROM objects WHERE hash = ?", (digest,))  # noqa: S608
        return _object(row) if row else None

    def frames_of(self, numbers: Sequence[int]) -> set[int] | None:
        """The frames that some leaves lie in; None where not every leaf is there."""
        wanted = sorted(set(numbers))
        rows = self._db.all(
            "SELECT frame, count(*) FROM objects WHERE id IN (SELECT value FROM json_each(?)) GROUP BY frame",
            (json.dumps(wanted),),
        )
        return {row[0] for row in rows if row[0]} if sum(row[1] for row in rows) == len(wanted) else None

    def get(self, number: int) -> Object | None:
        row = self._db.one(f"SELECT {_COLUMNS} FROM objects WHERE id = ?", (number,))  # noqa: S608
        return _object(row) if row else None

    def marks(self, number: int) -> list[Mark]:
        """What every few leaves of a list hold: bytes and line ends."""
        found = self._db.value("SELECT parts FROM objects WHERE id = ?", (number,))
        return unpack_marks(found) if found else []

    def get_many(self, numbers: Iterable[int]) -> dict[int, Object]:
        wanted = json.dumps(sorted(set(numbers)))
        rows = self._db.all(
            f"SELECT {_COLUMNS} FROM objects WHERE id IN (SELECT value FROM json_each(?))",  # noqa: S608
            (wanted,),
        )
        return {row[0]: _object(row) for row in rows}

    def add(self, objects: Sequence[Object]) -> None:
        rows = [(o.id, o.hash, o.size, o.frame, o.start, _packed(o)) for o in objects]
        self._db.many("INSERT INTO objects VALUES(?, ?, ?, ?, ?, ?)", rows)

    def replace(self, objects: Iterable[Object]) -> None:
        """The bytes of these objects lie elsewhere now, or are made of other leaves."""
        rows = [(o.size, o.frame, o.start, _packed(o), o.id) for o in objects]
        self._db.many("UPDATE objects SET size = ?, frame = ?, start = ?, parts = ? WHERE id = ?", rows)

    def move(self, number: int, frame: int, start: int) -> None:
        """The object's bytes now lie elsewhere."""
        self._db.run("UPDATE objects SET frame = ?, start = ? WHERE id = ?", (frame, start, number))

    def next_numbers(self) -> tuple[int, int]:
        """The first free object number and the first free frame number.

        Numbers of collected rows are not given out again while an index may remember them, so both
        counters are kept in `meta` beside the tables.
        """
        objects = self._db.value("SELECT coalesce(max(id), 0) FROM objects")
        frames = self._db.value("SELECT coalesce(max(id), 0) FROM frames")
        kept: dict[str, int] = dict(
            self._db.all("SELECT key, value FROM meta WHERE key IN ('last_object', 'last_frame')")
        )
        return max(objects, kept.get("last_object", 0)) + 1, max(frames, kept.get("last_frame", 0)) + 1

    def keep_numbers(self) -> None:
        """Remember the highest numbers given out, before rows are removed."""
        objects, frames = self.next_numbers()
        self._db.many(
            "INSERT OR REPLACE INTO meta VALUES(?, ?)", [("last_object", objects - 1), ("last_frame", frames - 1)]
        )

    def by_prefix(self, prefix: str, limit: int) -> list[Object]:
        """Objects whose hash begins with these hexadecimal digits."""
        low = bytes.fromhex(prefix.ljust(64, "0"))
        high = bytes.fromhex(prefix.ljust(64, "f"))
        rows = self._db.all(
            f"SELECT {_COLUMNS} FROM objects WHERE hash BETWEEN ? AND ? ORDER BY hash LIMIT ?",  # noqa: S608
            (low, high, limit),
        )
        return [_object(row) for row in rows]

    def everything(self, after: int = 0) -> Iterator[Object]:
        rows = self._db.all(f"SELECT {_COLUMNS} FROM objects WHERE id > ? ORDER BY id", (after,))  # noqa: S608
        yield from _readable(rows)

    def layout(self, after: int) -> list[Row]:
        """(frame, start, size, id) of leaves with a higher number: what grep maps hits with."""
        return self._db.all(
            "SELECT frame, start, size, id FROM objects WHERE id > ? AND frame IS NOT NULL ORDER BY id", (after,)
        )

    def digests(self, after: int) -> list[Row]:
        """(number, first bytes of the hash) of objects with a higher number."""
        return self._db.all("SELECT id, substr(hash, 1, 8) FROM objects WHERE id > ? ORDER BY id", (after,))

    def lists(self, after: int) -> list[Object]:
        rows = self._db.all(f"SELECT {_COLUMNS} FROM objects WHERE id > ? AND parts IS NOT NULL", (after,))  # noqa: S608
        return list(_readable(rows))

    def in_use(self) -> set[int]:
        """Objects that a document which is not deleted, or a version of one, refers to; not their leaves."""
        return {row[0] for row in self._db.all(_REACHED.format(live="WHERE deleted IS NULL"))}

    def reached(self) -> set[int]:
        """Objects that a document (deleted or not), a version or a snapshot refers to; not their leaves."""
        found = {row[0] for row in self._db.all(_REACHED.format(live=""))}
        found.update(row[0] for row in self._db.all("SELECT DISTINCT object FROM snapshot_entries"))
        return found

    def remove(self, numbers: Iterable[int]) -> None:
        self._db.many("DELETE FROM objects WHERE id = ?", [(number,) for number in numbers])

    # frames --------------------------------------------------------------------------------------

    def frame(self, number: int) -> Frame | None:
        row = self._db.one("SELECT id, pack, offset, length, raw, base, depth FROM frames WHERE id = ?", (number,))
        return _frame(row) if row else None

    def frames(self, after: int = 0, limit: int = -1) -> list[Frame]:
        rows = self._db.all(
            "SELECT id, pack, offset, length, raw, base, depth FROM frames WHERE id > ? ORDER BY id LIMIT ?",
            (after, limit),
        )
        return [_frame(row) for row in rows]

    def last_frame(self) -> int:
        return int(self._db.value("SELECT coalesce(max(id), 0) FROM frames"))

    def add_frame(self, frame: Frame) -> None:
        place = frame.place
        self._db.run(
            "INSERT INTO frames VALUES(?, ?, ?, ?, ?, ?, ?)",
            (frame.id, place.pack, place.offset, place.length, frame.raw, frame.base, frame.depth),
        )

    def place_frame(self, number: int, place: Place) -> None:
        self._db.run(
            "UPDATE frames SET pack = ?, offset = ?, length = ? WHERE id = ?",
            (place.pack, place.offset, place.length, number),
        )

    def remove_frames(self, numbers: Iterable[int]) -> None:
        self._db.many("DELETE FROM frames WHERE id = ?", [(number,) for number in numbers])

    # packs ---------------------------------------------------------------------------------------

    def packs(self) -> dict[int, int]:
        return dict(self._db.all("SELECT id, length FROM packs ORDER BY id"))

    def unknown_packs(self) -> dict[int, int]:
        """Packs that frames lie in and that have no row of their own, and how far their frames go."""
        return dict(
            self._db.all(
                "SELECT pack, max(offset + length) FROM frames WHERE pack NOT IN (SELECT id FROM packs) GROUP BY pack"
            )
        )

    def tail(self) -> tuple[int, int]:
        """The pack that is being filled, and its committed length."""
        row = self._db.one("SELECT id, length FROM packs ORDER BY id DESC LIMIT 1")
        assert row is not None
        return row[0], row[1]

    def set_pack(self, pack: int, length: int) -> None:
        self._db.run("INSERT OR REPLACE INTO packs VALUES(?, ?)", (pack, length))

    def remove_pack(self, pack: int) -> None:
        self._db.run("DELETE FROM packs WHERE id = ?", (pack,))

    # what a collection has to make the indexes forget ----------------------------------------------

    def purging(self) -> list[int] | None:
        """Documents that were collected and that indexes may still know; None where there is nothing to purge."""
        found = self._db.value("SELECT value FROM meta WHERE key = 'purging'")
        return None if found is None else json.loads(found)

    def set_purging(self, documents: Iterable[int] | None) -> None:
        if documents is None:
            self._db.run("DELETE FROM meta WHERE key = 'purging'")
        else:
            self._db.run("INSERT OR REPLACE INTO meta VALUES('purging', ?)", (json.dumps(sorted(documents)),))

    # the epoch changes when numbers that indexes remember have moved --------------------------------

    def epoch(self) -> int:
        return int(self._db.value("SELECT value FROM meta WHERE key = 'epoch'"))

    def next_epoch(self) -> None:
        self._db.run("UPDATE meta SET value = value + 1 WHERE key = 'epoch'")


def _packed(entry: Object) -> bytes | None:
    return pack_parts(entry.parts, aligned=entry.aligned, marks=entry.marks) if entry.parts else None


def _readable(rows: Iterable[Row]) -> Iterator[Object]:
    """The objects of the rows that are not damaged; whoever asks for one of the others is told."""
    for row in rows:
        with suppress(Damaged):
            yield _object(row)


def _object(row: Row) -> Object:
    if not (isinstance(row[1], bytes) and isinstance(row[2], int) and isinstance(row[4], int)):
        raise damaged_row()  # a flipped bit can change the type of a value
    if row[5] is None:
        return Object(row[0], row[1], row[2], row[3], row[4])
    parts, aligned = unpack_parts(row[5])
    return Object(row[0], row[1], row[2], None, 0, parts, aligned)


def _frame(row: Row) -> Frame:
    return Frame(row[0], Place(row[1], row[2], row[3]), row[4], row[5], row[6])
