"""Checksums of rows."""

from __future__ import annotations

import zlib

from rolltop.errors import Damaged

__all__ = ["check_seal", "damaged_row", "seal"]


def seal(*values: object) -> int:
    """A checksum of a row: SQLite does not notice a flipped bit inside a value."""
    return zlib.crc32("\x1f".join(map(str, values)).encode("utf-8", "surrogatepass"))


def check_seal(expected: int, *values: object) -> None:
    """Refuse a row that is not what was written."""
    if seal(*values) != expected:
        raise damaged_row()


def damaged_row() -> Damaged:
    return Damaged(
        "a row of the catalogue is damaged: it is not what was written",
        hint="Run `rolltop store verify` to see which; restore the directory from a copy or an export.",
    )
