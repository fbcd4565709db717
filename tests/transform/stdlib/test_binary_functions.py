"""Binary, compression and archives against the standard library, and against bombs."""

from __future__ import annotations

import codecs
import gzip
import io
import struct
import zipfile
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.errors import RolltopError, SizeLimit
from rolltop.transform.stdlib import find
from rolltop.transform.stdlib.serialization import compression

QUICK = settings(max_examples=40, deadline=None)
WHOLE = st.integers(-(2**63), 2**63 - 1)


def call(name: str, *arguments: Any) -> Any:
    declared = find(name)
    assert declared is not None
    return declared.call(*arguments)


def refusal(name: str, *arguments: Any) -> str:
    with pytest.raises(RolltopError) as caught:
        call(name, *arguments)
    return caught.value.message


@QUICK
@given(st.binary())
def test_what_was_compressed_unpacks_anywhere(data: bytes) -> None:
    assert gzip.decompress(call("gzip", data)) == data
    assert zlib.decompress(call("deflate", data)) == data
    assert call("gunzip", gzip.compress(data) + gzip.compress(data)) == data + data
    assert call("inflate", zlib.compress(data)) == data
    assert call("inflate", zlib.compress(data, wbits=-15)) == data
    for algorithm in ("gzip", "zlib", "raw"):
        assert call("decompress", call("compress", data, algorithm), algorithm) == data


def test_compression_is_the_same_every_time() -> None:
    assert call("gzip", "text") == call("gzip", "text")
    assert call("zipArchive", {"a": "text"}) == call("zipArchive", {"a": "text"})


CUT = gzip.compress(b"text", mtime=0)[:-4]


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b", CUT, b"\x1f\x8b" + b"\0" * 50, b"junk" * 10])
def test_damaged_data_is_refused(data: bytes) -> None:
    assert "gunzip" in refusal("gunzip", data)
    assert "ZIP" in refusal("unzipArchive", data)
    assert call("isJarFile", b"PK\x03\x04" + data) is False


def test_bombs_do_not_go_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "MOST_BYTES", 1_000_000)
    zeros = b"\0" * 2_000_000
    with pytest.raises(SizeLimit):
        call("gunzip", gzip.compress(zeros))
    with pytest.raises(SizeLimit):
        call("inflate", zlib.compress(zeros))
    with pytest.raises(SizeLimit):
        call("gunzip", gzip.compress(zeros[:600_000]) * 2)
    archive = call("zipArchive", {"a": zeros[:600_000], "b": zeros[:600_000]})
    assert len(call("readZipEntry", archive, "a")) == 600_000
    with pytest.raises(SizeLimit):
        call("unzipArchive", archive)


def test_archives_are_those_of_zipfile() -> None:
    made = call("zipArchive", {"a.txt": "grüße", "d/b.bin": b"\0\1"})
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert archive.testzip() is None
        assert archive.read("a.txt").decode() == "grüße"
    assert call("unzipArchive", made) == {"a.txt": "grüße".encode(), "d/b.bin": b"\0\1"}
    assert [entry["name"] for entry in call("listZipEntries", made)] == ["a.txt", "d/b.bin"]


@QUICK
@given(WHOLE, st.floats(allow_nan=False))
def test_numbers_in_bytes_are_those_of_struct(whole: int, double: float) -> None:
    assert call("writeInt64", whole) == struct.pack(">q", whole)
    assert call("readInt64", b"\0" + struct.pack(">q", whole), 1) == whole
    assert call("readDouble", call("writeDouble", double), 0) == double


@pytest.mark.parametrize(("name", "number"), [("writeInt16", 2**15), ("writeInt32", -(2**31) - 1), ("writeByte", -129)])
def test_numbers_that_do_not_fit_are_refused(name: str, number: int) -> None:
    assert "does not fit" in refusal(name, number)


@pytest.mark.parametrize("offset", [-1, 1, 2**40])
def test_reading_stays_inside(offset: int) -> None:
    assert "no 4 bytes" in refusal("readInt32", b"\0\0\0\0", offset)


@QUICK
@given(st.binary())
def test_bytes_read_back(data: bytes) -> None:
    assert call("fromBytes", call("toBytes", data)) == data
    assert call("binaryConcat", call("binarySlice", data, 0, 2), call("binarySlice", data, 2, 10**9)) == data
    assert call("bitwiseNot", call("bitwiseNot", data)) == data
    assert call("bitwiseXor", data, data) == bytes(len(data))


@QUICK
@given(WHOLE, WHOLE, st.integers(0, 63))
def test_bits_are_those_of_a_machine_word(a: int, b: int, k: int) -> None:
    assert call("bitwiseAnd", a, b) == a & b
    assert call("bitwiseXor", a, b) == a ^ b
    assert call("shiftRight", a, k) == a >> k
    assert call("shiftLeft", a, k) == struct.unpack(">q", struct.pack(">Q", (a << k) % 2**64))[0]


@pytest.mark.parametrize("value", [1.5, 1e300])
def test_bits_need_whole_numbers(value: float) -> None:
    assert "whole numbers" in refusal("bitwiseNot", value)
    assert "whole numbers" in refusal("bitwiseAnd", value, 1)


@pytest.mark.parametrize("pair", [("a", 1), (None, 10), (1, [1]), (b"a", 1), ({}, {}), (True, 1), ("1", "1")])
def test_bits_of_other_kinds_are_null(pair: tuple[Any, Any]) -> None:
    for name in ("bitwiseAnd", "bitwiseOr", "bitwiseXor"):
        assert call(name, *pair) is None
    assert call("bitwiseNot", "a") is None
    assert call("bitwiseNot", None) is None


@pytest.mark.parametrize("text", ["", "A", "é€", "\U0001f600"])
def test_wide_encodings_are_big_endian(text: str) -> None:
    assert call("toBinary", text, "UTF-16") == codecs.BOM_UTF16_BE + text.encode("utf-16-be")
    assert call("toBinary", text, "utf_32") == text.encode("utf-32-be")
    for name in ("UTF-16", "UTF-32"):
        assert call("binaryToString", call("toBinary", text, name), name) == text
        for order in ("LE", "BE"):
            marked = call("addBOM", text, f"{name}{order}")
            assert call("binaryToString", marked, name) == text
            assert call("detectBOM", marked) == f"{name}{order}"
            assert call("normalizeBOM", text, f"{name}{order}", True) == marked
        assert call("binaryToString", text.encode(f"{name}-BE"), name) == text
    assert call("addBOM", b"hi", "UTF-16LE") == codecs.BOM_UTF16_LE + b"hi"


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16", "latin-1"])
def test_text_in_encodings(encoding: str) -> None:
    assert call("binaryToString", call("toBinary", "grüße", encoding), encoding) == "grüße"
    assert "no encoding" in refusal("toBinary", "x", "rot13")
    assert "are not UTF-8" in refusal("binaryToString", b"\xff")
