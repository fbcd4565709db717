"""One flipped bit in the catalogue: its document is left out, the rest is answered, repair turns the bit back."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from rolltop.errors import Damaged
from rolltop.store import Library, Listing, Pattern

TEXTS = {f"notes/{number:02d}.txt": f"honey number {number}\n" * 30 for number in range(20)}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    with Library(tmp_path / "store") as library:
        for path, text in TEXTS.items():
            library.documents.add_text(path, text)
        library.indexes.update()
        library.catalog.checkpoint()
    with sqlite3.connect(tmp_path / "store" / "catalog.db") as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return tmp_path / "store"


def change(directory: Path, table: str, column: str, value: str) -> None:
    """Write another value into a row, past its checksum."""
    with sqlite3.connect(directory / "catalog.db") as connection:
        key = "id" if table in ("documents", "objects", "frames") else "rowid"
        connection.execute(f"UPDATE {table} SET {column} = {value} WHERE {key} = 7")


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("documents", "path", "'notes/16.txt'"),  # 06 with a bit flipped: another document has that name
        ("documents", "path", "CAST(x'6e6f7465732f3036ae747874' AS TEXT)"),  # no UTF-8 any more
        ("documents", "size", "(size | 4096) - (size & 4096)"),
        ("documents", "object", "(object | 64) - (object & 64)"),
        ("documents", "modified", "(modified | 1024) - (modified & 1024)"),
        ("documents", "seal", "(seal | 8) - (seal & 8)"),
        ("objects", "size", "(size | 512) - (size & 512)"),
        ("objects", "hash", "CAST(x'00' || substr(hash, 2) AS BLOB)"),
        ("frames", "offset", "(offset | 16384) - (offset & 16384)"),
        ("frames", "length", "(length | 4096) - (length & 4096)"),
    ],
)
def test_a_flipped_bit_in_a_row_harms_nothing_else_and_is_turned_back(
    directory: Path, table: str, column: str, value: str
) -> None:
    with sqlite3.connect(directory / "catalog.db") as connection:
        connection.execute("DROP INDEX IF EXISTS documents_path")  # as on disk, where no index is asked
        (before,) = connection.execute("SELECT hash FROM objects WHERE id = 7").fetchone()
    if column == "hash":
        first = before[0] ^ 1
        value = f"CAST(x'{first:02x}{before[1:].hex()}' AS BLOB)"
    change(directory, table, column, value)
    with sqlite3.connect(directory / "catalog.db") as connection:
        connection.execute("CREATE INDEX documents_path ON documents(path) WHERE deleted IS NULL")
    with Library(directory) as library:
        listed = [document.path for document in library.documents.page(Listing(limit=100)).documents]
        assert len(listed) >= 19
        assert library.search.keyword("honey", limit=100).total >= 19
        assert sum(1 for _ in library.grep.counts(Pattern("honey"), {})) >= 19
        report = library.care.repair()
        assert any("row of" in line for line in report.mended), report
        assert report.ok, report.problems
        found = {
            document.path: library.documents.read(document).decode() for document in library.documents.select(Listing())
        }
        assert found == TEXTS


def test_the_answers_say_what_they_leave_out(directory: Path) -> None:
    change(directory, "documents", "size", "size + 4096")
    with Library(directory) as library:
        assert library.documents.page(Listing(limit=100)).total == 20
        note = library.search.keyword("honey", limit=100).note
        assert note is not None
        assert note.startswith("Documents left out because their rows of the catalogue are damaged: 1.")
        with pytest.raises(Damaged):
            library.documents.get("notes/06.txt")
