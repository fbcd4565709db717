"""Compression and ZIP archives. What comes out is bounded, however small the input."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import Any

from rolltop.errors import SizeLimit
from rolltop.transform.errors import FunctionFailure, fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.serialization.binary import data_of
from rolltop.transform.stdlib.serialization.octets import octets

MOST_BYTES = 64_000_000
MOST_ENTRIES = 10_000
_INPUT = {"v": "Text (as UTF-8) or binary"}
_BINARY = {"data": "Binary, or base64 text"}
_ALGORITHMS = {"gzip": 31, "zlib": 15, "deflate": 15, "raw": -15}
"""Names and zlib's window sizes, which also select the container."""


def _too_large(name: str) -> SizeLimit:
    return SizeLimit(
        f"{name} would give more than {MOST_BYTES} bytes", hint="Unpack the data outside the program, in parts."
    )


def _packed(data: bytes, window: int, level: int = 6) -> bytes:
    # No time stamp: the same input always gives the same output.
    work = zlib.compressobj(level, zlib.DEFLATED, window)
    return work.compress(data) + work.flush()


def _unpacked(data: bytes, window: int, name: str) -> bytes:
    out, size = [], 0
    while True:
        work = zlib.decompressobj(window)
        try:
            part = work.decompress(data, MOST_BYTES + 1 - size)
        except zlib.error:
            fail(f"{name}: the data is damaged or in another form", hint="Compare isGzipped(data) and the algorithm.")
        size += len(part)
        if size > MOST_BYTES:
            raise _too_large(name)
        out.append(part)
        if not work.eof:
            fail(f"{name}: the data ends too early", hint="Is it complete?")
        data = work.unused_data
        if not (window == 31 and data[:2] == b"\x1f\x8b"):  # gzip files may have several members
            return b"".join(out)


def _window(algorithm: str) -> int:
    found = _ALGORITHMS.get(algorithm.strip().lower())
    if found is None:
        fail(f"there is no compression {algorithm[:40]!r}", hint=f"Use {', '.join(_ALGORITHMS)}.")
    return found


@function(
    "gzip(v: Any): Binary",
    category="crypto",
    examples=[('binaryToString(gunzip(gzip("hello")))', '"hello"')],
    params=_INPUT,
)
def gzip(v: Any) -> bytes:
    """Compresses text or binary to a gzip file."""
    return _packed(octets(v, "gzip"), 31)


@function(
    "gunzip(data: Binary | String): Binary",
    category="crypto",
    examples=[('binaryToString(gunzip(gzip("hello")))', '"hello"'), ('gunzip("AAAA")', "error: damaged")],
    params=_BINARY,
)
def gunzip(data: bytes | str) -> bytes:
    """Unpacks a gzip file."""
    return _unpacked(data_of(data, "gunzip"), 31, "gunzip")


@function(
    "deflate(v: Any, level?: Integer): Binary",
    category="crypto",
    examples=[('binaryToString(inflate(deflate("hello", 9)))', '"hello"'), ('deflate("x", 10)', "error: level")],
    params=_INPUT | {"level": "0 (fast) to 9 (small); default 6"},
)
def deflate(v: Any, level: int = 6) -> bytes:
    """Compresses text or binary in the zlib form."""
    if not 0 <= level <= 9:
        fail(f"there is no compression level {level}", hint="Use 0 to 9.")
    return _packed(octets(v, "deflate"), 15, level)


@function(
    "inflate(data: Binary | String): Binary",
    category="crypto",
    examples=[('binaryToString(inflate(deflate("hello")))', '"hello"')],
    params=_BINARY,
)
def inflate(data: bytes | str) -> bytes:
    """Unpacks what deflate made; the bare form without a header is understood too."""
    given = data_of(data, "inflate")
    wrapped = len(given) >= 2 and given[0] & 15 == 8 and (given[0] << 8 | given[1]) % 31 == 0
    return _unpacked(given, 15 if wrapped else -15, "inflate")


@function(
    "compress(v: Any, algorithm?: String): Binary",
    category="crypto",
    examples=[('isGzipped(compress("hello"))', "true"), ('compress("x", "rar")', "error: no compression")],
    params=_INPUT | {"algorithm": "gzip (the default), zlib, deflate (the same) or raw"},
)
def compress(v: Any, algorithm: str = "gzip") -> bytes:
    """Compresses text or binary by a named algorithm."""
    return _packed(octets(v, "compress"), _window(algorithm))


@function(
    "decompress(data: Binary | String, algorithm?: String): Binary",
    category="crypto",
    examples=[('binaryToString(decompress(compress("hello", "zlib"), "zlib"))', '"hello"')],
    params=_BINARY | {"algorithm": "gzip (the default), zlib, deflate (the same) or raw"},
)
def decompress(data: bytes | str, algorithm: str = "gzip") -> bytes:
    """Unpacks what compress made with the same algorithm."""
    return _unpacked(data_of(data, "decompress"), _window(algorithm), "decompress")


def _starts(value: Any, *marks: bytes) -> bool:
    return isinstance(value, bytes) and value.startswith(marks)


@function(
    "isGzipped(data: Any): Boolean",
    category="crypto",
    examples=[('isGzipped(gzip("x"))', "true"), ('isGzipped("x")', "false")],
)
def is_gzipped(data: Any) -> bool:
    """Whether binary is a gzip file, by its first bytes."""
    return _starts(data, b"\x1f\x8b")


@function(
    "isZipArchive(data: Any): Boolean",
    category="crypto",
    examples=[('isZipArchive(zipArchive({"a.txt": "x"}))', "true"), ("isZipArchive(null)", "false")],
)
def is_zip_archive(data: Any) -> bool:
    """Whether binary is a ZIP archive, by its first bytes."""
    return _starts(data, b"PK\x03\x04", b"PK\x05\x06")


@function(
    "isJarFile(data: Any): Boolean",
    category="crypto",
    examples=[
        ('isJarFile(zipArchive({"META-INF/MANIFEST.MF": "Manifest-Version: 1.0"}))', "true"),
        ('isJarFile(zipArchive({"a.txt": "x"}))', "false"),
    ],
)
def is_jar_file(data: Any) -> bool:
    """Whether binary is a ZIP archive with a manifest."""
    try:
        return is_zip_archive(data) and _MANIFEST in _archive(data).namelist()
    except FunctionFailure:
        return False


_MANIFEST = "META-INF/MANIFEST.MF"


def _archive(data: bytes | str) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data_of(data, "the archive")))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        fail("this is no ZIP archive", hint="Check it with isZipArchive(data).")
    if len(archive.filelist) > MOST_ENTRIES:
        raise SizeLimit(f"the archive has more than {MOST_ENTRIES} entries", hint="Unpack it outside the program.")
    return archive


def _entry(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        with archive.open(name) as entry:
            content = entry.read(MOST_BYTES + 1)
    except KeyError:
        fail(f"there is no {name[:80]!r} in the archive", hint="listZipEntries(data) tells what is in it.")
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError):
        fail(f"{name[:80]!r} cannot be unpacked", hint="It is damaged, encrypted or packed in an unknown way.")
    if len(content) > MOST_BYTES:
        raise _too_large("the archive")
    return content


@function(
    "zipArchive(entries: Object): Binary",
    category="crypto",
    examples=[('binaryToString(readZipEntry(zipArchive({"a.txt": "hello"}), "a.txt"))', '"hello"')],
    params={"entries": "An object {name: content}; contents are text or binary"},
)
def zip_archive(entries: dict[str, Any]) -> bytes:
    """A ZIP archive of texts and binaries; the same entries always give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name), octets(content, "zipArchive"), zipfile.ZIP_DEFLATED)
    return out.getvalue()


@function(
    "unzipArchive(data: Binary | String): Map<Binary>",
    category="crypto",
    examples=[('binaryToString(unzipArchive(zipArchive({"a.txt": "x"}))["a.txt"])', '"x"')],
    params=_BINARY,
)
def unzip_archive(data: bytes | str) -> dict[str, bytes]:
    """The files of a ZIP archive as an object {name: binary}; nothing is written anywhere."""
    archive, found, size = _archive(data), {}, 0
    for name in archive.namelist():
        if not name.endswith("/"):
            found[name] = _entry(archive, name)
            size += len(found[name])
            if size > MOST_BYTES:
                raise _too_large("unzipArchive")
    return found


@function(
    "readZipEntry(data: Binary | String, name: String): Binary",
    category="crypto",
    examples=[('readZipEntry(zipArchive({"a": "x"}), "b")', "error: there is no")],
    params=_BINARY,
)
def read_zip_entry(data: bytes | str, name: str) -> bytes:
    """One file of a ZIP archive."""
    return _entry(_archive(data), name)


_LISTED = "Array<{ name: String, size: Integer, compressedSize: Integer, isDirectory: Boolean }>"


@function(
    f"listZipEntries(data: Binary | String): {_LISTED}",
    category="crypto",
    examples=[('listZipEntries(zipArchive({"a.txt": "hello"}))[0].size', "5")],
    params=_BINARY,
)
def list_zip_entries(data: bytes | str) -> list[dict[str, Any]]:
    """What is in a ZIP archive: names and sizes."""
    return [
        {
            "name": entry.filename,
            "size": entry.file_size,
            "compressedSize": entry.compress_size,
            "isDirectory": entry.is_dir(),
        }
        for entry in _archive(data).filelist
    ]


@function(
    "readJarEntry(data: Binary | String, name: String): Binary",
    category="crypto",
    examples=[('binaryToString(readJarEntry(zipArchive({"a": "x"}), "a"))', '"x"')],
    params=_BINARY,
)
def read_jar_entry(data: bytes | str, name: str) -> bytes:
    """One file of a JAR file."""
    return _entry(_archive(data), name)


@function(
    f"listJarEntries(data: Binary | String): {_LISTED}",
    category="crypto",
    examples=[('listJarEntries(zipArchive({"a": "x"}))[0].name', '"a"')],
    params=_BINARY,
)
def list_jar_entries(data: bytes | str) -> list[dict[str, Any]]:
    """What is in a JAR file: names and sizes."""
    return list_zip_entries(data)


@function(
    "readJarManifest(data: Binary | String): Map<String>?",
    category="crypto",
    examples=[
        (
            'readJarManifest(zipArchive({"META-INF/MANIFEST.MF": "Main-Class: a.B\\n C\\n"}))',
            '{"Main-Class": "a.BC"}',
        ),
        ('readJarManifest(zipArchive({"a": "x"}))', "null"),
    ],
    params=_BINARY,
)
def read_jar_manifest(data: bytes | str) -> dict[str, str] | None:
    """The main attributes of a JAR file's manifest; null when it has none."""
    archive = _archive(data)
    if _MANIFEST not in archive.namelist():
        return None
    text = _entry(archive, _MANIFEST).decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    main = text.partition("\n\n")[0].replace("\n ", "")
    pairs = (line.partition(":") for line in main.split("\n") if ":" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}
