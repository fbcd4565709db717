"""Turn single flipped bits in rows of the catalogue back.

A row carries a checksum of its values, and content carries its SHA-256. Of all rows that differ from a damaged one in a
single bit, the one that fits its checksum is what was written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from rolltop.store.catalog.connection import Database
from rolltop.store.catalog.leaf_lists import unpack_parts
from rolltop.store.catalog.row_checksums import seal
from rolltop.store.file_types import name_and_extension
from rolltop.store.records import Frame, Object, Place

__all__ = ["mend_rows", "neighbours"]

_SEALED = {
    "documents": "path object size version mime kind created modified indexed deleted",
    "versions": "document number object size modified indexed",
    "metadata": "document key value since",
    "metadata_history": "document key value since until",
    "snapshot_entries": "snapshot path object size modified",
}

Values = Sequence[Any]


def neighbours(value: Any) -> Iterator[Any]:
    """Every value that differs from one in a single bit."""
    if isinstance(value, int):
        yield from (value ^ (1 << bit) for bit in range(62))
    elif isinstance(value, (str, bytes)):
        data = bytearray(value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value)
        for at in range(len(data)):
            for bit in range(8):
                data[at] ^= 1 << bit
                with suppress(UnicodeDecodeError):
                    yield data.decode() if isinstance(value, str) else bytes(data)
                data[at] ^= 1 << bit


def _near_rows(values: Values) -> Iterator[list[Any]]:
    for at, value in enumerate(values):
        for other in neighbours(value):
            yield [*values[:at], other, *values[at + 1 :]]


def mend_rows(db: Database, holds: Callable[[Object], bool], whole: Callable[[Frame], bool]) -> list[str]:
    """Mend what can be mended; what was done. `holds` checks the bytes of a leaf, `whole` those of a frame."""
    with db.transaction():
        if next(_broken(db), None) or not all(map(_sound(holds), db.all(_OBJECTS))):
            db.run("REINDEX")  # an index that disagrees with a damaged row would refuse its change
        return [*_mend_frames(db, whole), *_mend_objects(db, holds), *_mend_sealed(db)]


def _broken(db: Database) -> Iterator[tuple[str, list[str], Values, int]]:
    """(table, columns, values, seal) of rows that do not fit their seal."""
    for table, names in _SEALED.items():
        columns = names.split()
        # As bytes: a flipped bit can make a text that is no UTF-8.
        read = ", ".join(
            f"CASE typeof({name}) WHEN 'text' THEN CAST({name} AS BLOB) ELSE {name} END" for name in columns
        )
        key = "rowid" if table in _WITH_ROWID else "NULL"
        for row in db.all(f"SELECT {key}, seal, {read} FROM {table}"):  # noqa: S608
            values = [each.decode("utf-8", "surrogateescape") if isinstance(each, bytes) else each for each in row[2:]]
            if row[1] != seal(*values) or (table == "documents" and not _is_named(db, row[0], values[0])):
                yield table, columns, [row[0], row[1], *values], row[1]


_WITH_ROWID = ("documents", "metadata_history")


def _is_named(db: Database, number: int, path: str) -> bool:
    """Name and extension follow from the path."""
    found = db.one("SELECT CAST(name AS BLOB), CAST(ext AS BLOB) FROM documents WHERE id = ?", (number,))
    return found is not None and found == tuple(
        each.encode("utf-8", "surrogateescape") for each in name_and_extension(path)
    )


def _mend_sealed(db: Database) -> Iterator[str]:
    for table, columns, row, expected in list(_broken(db)):
        values = list(row[2:])
        right = (
            values
            if seal(*values) == expected
            else next((near for near in _near_rows(values) if seal(*near) == expected), None)
        )
        mended_seal = expected
        if right is None and isinstance(expected, int) and (seal(*values) ^ expected).bit_count() == 1:
            right, mended_seal = values, seal(*values)
        if right is None:
            continue
        where, key = "rowid = ?", [row[0]]
        if row[0] is None:
            texts = [isinstance(value, str) for value in values]
            where = " AND ".join(
                f"{name} IS {'CAST(? AS TEXT)' if text else '?'}" for name, text in zip(columns, texts, strict=True)
            )
            key = [each.encode("utf-8", "surrogateescape") if isinstance(each, str) else each for each in values]
        named = ", name = ?, ext = ?" if table == "documents" else ""
        names = name_and_extension(right[0]) if table == "documents" else ()
        db.run(
            f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in columns)}, seal = ?{named} WHERE {where}",  # noqa: S608
            [*right, mended_seal, *names, *key],
        )
        yield f"a row of {table} of the catalogue ({right[0]})"


# objects and frames --------------------------------------------------------------------------------

_OBJECTS = "SELECT id, hash, size, frame, start, parts FROM objects NOT INDEXED"
_FRAMES = "SELECT id, pack, offset, length, raw, base, depth FROM frames"


def _frame(row: Values) -> Frame:
    return Frame(row[0], Place(row[1], row[2], row[3]), row[4], row[5], row[6])


def _sound(holds: Callable[[Object], bool]) -> Callable[[Values], bool]:
    def sound(row: Values) -> bool:
        if row[5] is not None:
            return _unpacked(row[5]) is not None
        if not isinstance(row[1], bytes) or not isinstance(row[2], int) or not isinstance(row[4], int):
            return False
        return holds(Object(row[0], row[1], row[2], row[3], row[4]))

    return sound


def _unpacked(parts: Any) -> tuple[int, ...] | None:
    try:
        return unpack_parts(parts)[0]
    except Exception:
        return None


def _mend_frames(db: Database, whole: Callable[[Frame], bool]) -> Iterator[str]:
    for row in db.all(_FRAMES):
        if whole(_frame(row)):
            continue
        for near in _near_rows(row[1:5]):
            if min(near) >= 0 and near[2] < 1 << 30 and whole(_frame([row[0], *near, *row[5:]])):
                db.run("UPDATE frames SET pack = ?, offset = ?, length = ?, raw = ? WHERE id = ?", [*near, row[0]])
                yield f"a row of frames of the catalogue ({row[0]})"
                break


def _mend_objects(db: Database, holds: Callable[[Object], bool]) -> Iterator[str]:
    sound = _sound(holds)
    for row in db.all(_OBJECTS):
        if sound(row):
            continue
        for near in _near_rows(row[1:]):
            if (near[1] >= 0 and near[3] >= 0) and sound([row[0], *near]):
                db.run(
                    "UPDATE objects SET hash = ?, size = ?, frame = ?, start = ?, parts = ? WHERE id = ?",
                    [*near, row[0]],
                )
                yield f"a row of objects of the catalogue ({row[0]})"
                break
