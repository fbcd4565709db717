"""Texts that were read from foreign formats, by the hash of the content: nothing is read twice."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

from rolltop.base.zstd import zstd
from rolltop.store.extract.record import Extracted, decode, encode
from rolltop.store.sqlite.sidecar import Sidecar

__all__ = ["READERS", "KeptTexts"]

READERS = 6
"""Counted up when the readers find more or other text; everything is then read again."""

_SCHEMA = (
    "CREATE TABLE texts(id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, needs TEXT NOT NULL, told INTEGER NOT NULL, "
    "size INTEGER NOT NULL, seal INTEGER NOT NULL, record BLOB NOT NULL, source BLOB) STRICT",
    "CREATE INDEX texts_lines ON texts(id, size, seal) WHERE size > 0",
    "CREATE TABLE names(hash BLOB PRIMARY KEY, names TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX texts_untold ON texts(told) WHERE told = 0",
    "CREATE INDEX texts_needs ON texts(needs) WHERE needs <> ''",
)


class KeptTexts(Sidecar):
    """A file of texts."""

    def __init__(self, path: Path, store: str) -> None:
        self._store = store
        super().__init__(path, _SCHEMA, f"{store} {READERS}", "extracted texts")

    def renew(self) -> None:
        """Other readers find other texts. Names in code come from no reader, and nobody would look for them again."""
        same = str(self.state("owner")).startswith(f"{self._store} ")
        names = self.db.execute("SELECT hash, names FROM names").fetchall() if same else []
        self.clear()
        with self.db as db:
            db.executemany("INSERT INTO names VALUES(?, ?)", names)

    def get(self, digest: str) -> Extracted | None:
        row = self.db.execute("SELECT record FROM texts WHERE hash = ?", (bytes.fromhex(digest),)).fetchone()
        if row is None:
            return None
        try:
            return decode(zstd.decompress(row[0]))
        except (zstd.ZstdError, ValueError):  # damaged: as if it had not been read
            return None

    def has(self, digest: str) -> bool:
        row = self.db.execute("SELECT 1 FROM texts WHERE hash = ?", (bytes.fromhex(digest),)).fetchone()
        return row is not None

    def put(self, digest: str, text: Extracted, *, told: bool, lines: bool = True, source: str | None = None) -> None:
        """Keep a text. Until `told`, the indexes have not heard of it. With `lines`, they are what grep looks at;
        with `source`, the page as it is written, it looks at that."""
        record = zstd.compress(encode(text), 3)
        written = None if source is None else zstd.compress(source.encode("utf-8", "replace"), 3)
        seal = zlib.crc32(record + (written or b""))
        size = len(text.body if source is None else source) if lines else 0
        self.db.execute(
            "INSERT OR REPLACE INTO texts(hash, needs, told, size, seal, record, source) VALUES(?, ?, ?, ?, ?, ?, ?)",
            (bytes.fromhex(digest), text.needs, int(told), size, seal, record, written),
        )

    # names, for code -----------------------------------------------------------------------------

    def put_names(self, digest: str, names: dict[str, int]) -> None:
        """Keep what a parser found defined in a code, and in which lines."""
        row = bytes.fromhex(digest), " ".join(f"{name}:{line}" for name, line in names.items())
        self.db.execute("INSERT OR REPLACE INTO names VALUES(?, ?)", row)

    def names(self, digest: str) -> dict[str, int]:
        row = self.db.execute("SELECT names FROM names WHERE hash = ?", (bytes.fromhex(digest),)).fetchone()
        pairs = (each.partition(":") for each in row[0].split()) if row else ()
        return {name: int(line or 0) for name, _, line in pairs}

    # lines, for grep -----------------------------------------------------------------------------

    def has_lines(self, digest: str) -> bool:
        """Whether grep looks at this text instead of the bytes it was read from."""
        question = "SELECT 1 FROM texts WHERE hash = ? AND size > 0"
        return self.db.execute(question, (bytes.fromhex(digest),)).fetchone() is not None

    def edition(self) -> tuple[int, ...]:
        """Another one whenever the texts with lines are others."""
        row = self.db.execute("SELECT count(*), max(id), sum(size), sum(seal) FROM texts WHERE size > 0").fetchone()
        return tuple(number or 0 for number in row or ())

    def with_lines(self) -> list[tuple[int, int, int]]:
        """(number, size, seal) of the texts with lines, in order. Another text never has the same three."""
        return list(self.db.execute("SELECT id, size, seal FROM texts WHERE size > 0 ORDER BY id"))

    def numbered(self, number: int) -> tuple[str, Extracted] | None:
        """The hash of a content, and the text with its lines."""
        row = self.db.execute("SELECT hash FROM texts WHERE id = ?", (number,)).fetchone()
        text = self.lines(row[0].hex()) if row else None
        return (row[0].hex(), text) if row and text else None

    def lines(self, digest: str) -> Extracted | None:
        """The text with the lines of a content: what was read out of it, or its source where that is text."""
        question = "SELECT source FROM texts WHERE hash = ? AND source IS NOT NULL"
        row = self.db.execute(question, (bytes.fromhex(digest),)).fetchone()
        if row is None:
            return self.get(digest)
        try:
            return Extracted(body=zstd.decompress(row[0]).decode("utf-8", "replace"))
        except zstd.ZstdError:
            return None

    def number(self, digest: str) -> int | None:
        row = self.db.execute("SELECT id FROM texts WHERE hash = ? AND size > 0", (bytes.fromhex(digest),)).fetchone()
        return row[0] if row else None

    # following -----------------------------------------------------------------------------------

    def untold(self) -> list[str]:
        return [row[0].hex() for row in self.db.execute("SELECT hash FROM texts WHERE told = 0 ORDER BY id")]

    def told(self, digests: Iterable[str]) -> None:
        rows = [(bytes.fromhex(digest),) for digest in digests]
        with self.db as db:
            db.executemany("UPDATE texts SET told = 1 WHERE hash = ?", rows)

    def lacking(self) -> list[tuple[str, str]]:
        """(hash, part) of what could not be read because a part is not installed."""
        rows = self.db.execute("SELECT hash, needs FROM texts WHERE needs <> '' ORDER BY id")
        return [(digest.hex(), part) for digest, part in rows]

    def hashes(self) -> list[str]:
        return [row[0].hex() for row in self.db.execute("SELECT hash FROM texts UNION SELECT hash FROM names")]

    def forget(self, digests: Iterable[str]) -> None:
        """Leave no trace of these texts."""
        rows = [(bytes.fromhex(digest),) for digest in digests]
        if rows:
            with self.db as db:
                db.executemany("DELETE FROM texts WHERE hash = ?", rows)
                db.executemany("DELETE FROM names WHERE hash = ?", rows)
            self.purge()
