"""Compressed files: those that are cut off are read as far as they go, and texts that look like one are texts."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
from collections.abc import Callable
from pathlib import Path

import made_files as made
import pytest

from rolltop.base.zstd import zstd
from rolltop.store import Library
from rolltop.store.extract.detect import format_of
from rolltop.store.extract.formats.readers import read_document

_CHANCE = random.Random(7)
LINES = "".join(f"line {number} {_CHANCE.getrandbits(200):x}\n" for number in range(40_000)).encode()
PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd.compress}


@pytest.mark.parametrize(("form", "pack"), PACKERS.items(), ids=PACKERS)
def test_a_file_that_is_cut_off_is_read_up_to_there(form: str, pack: Callable[[bytes], bytes]) -> None:
    whole = pack(LINES)
    read = [read_document(data, f"a.log.{form}") for data in (whole, whole[: len(whole) // 2], whole[:-1])]
    assert [text.body.startswith("line 0 ") for text in read] == [True] * 3
    assert len(read[0].body) > len(read[1].body) > len(LINES) // 3
    assert [text.note and text.note.partition(" (")[0] for text in read] == [
        None,
        *["the file is cut off or damaged"] * 2,
    ]
    assert read_document(whole[:14], "a").body == ""


@pytest.mark.parametrize(("form", "pack"), PACKERS.items(), ids=PACKERS)
def test_a_file_without_text_says_so(form: str, pack: Callable[[bytes], bytes]) -> None:
    read = read_document(pack(bytes(100_000)), f"a.{form}")
    assert (read.body, read.note) == ("", "it holds no text")


@pytest.mark.parametrize(("form", "pack"), PACKERS.items(), ids=PACKERS)
def test_an_archive_that_is_cut_off_is_read_up_to_there(form: str, pack: Callable[[bytes], bytes]) -> None:
    whole = pack(made.made_tar({"a.txt": b"a lemur", "b.txt": LINES, "c.txt": b"a tapir"}))
    text = read_document(whole[: len(whole) * 9 // 10], f"a.tar.{form}")
    assert ("a lemur" in text.body, "a tapir" in text.body) == (True, False)
    assert text.note is not None
    assert text.note.startswith("the archive is cut off or damaged")


@pytest.mark.parametrize(("form", "pack"), PACKERS.items(), ids=PACKERS)
def test_files_that_were_put_behind_each_other_are_one(form: str, pack: Callable[[bytes], bytes]) -> None:
    text = read_document(pack(b"a lemur, ") + pack(b"a tapir"), f"a.{form}")
    assert (text.body, text.note) == ("a lemur, a tapir\n", None)


@pytest.mark.parametrize("options", [{}, {"checksum_flag": 1}, {"content_size_flag": 0, "compression_level": 19}])
def test_frames_with_and_without_a_sum_are_whole(options: dict[str, int]) -> None:
    chosen = {zstd.CompressionParameter[name]: value for name, value in options.items()}
    data = zstd.compress(LINES + bytes(300_000), options=chosen)
    skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc"
    assert [read_document(each, "a.zst").note for each in (data, data + skipped + data)] == [None, None]
    assert read_document(data + skipped + data[:-1], "a.zst").note is not None


def test_a_text_that_begins_like_a_compressed_file_is_a_text(tmp_path: Path) -> None:
    assert [format_of(data, "a") for data in (b"BZhang wrote", b"BZh91 is no file", b"BZh")] == ["text"] * 3
    assert [format_of(bz2.compress(data), "a") for data in (b"", b"x")] == ["packed"] * 2
    with Library(tmp_path / "store") as library:
        library.documents.add("BZnotes", b"BZhang wrote: the meeting about axolotls is on monday\n")
        library.indexes.update()
        assert [hit.document.path for hit in library.search.keyword("axolotls").hits] == ["BZnotes"]
