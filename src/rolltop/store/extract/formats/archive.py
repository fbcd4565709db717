"""Archives: the names of their members, and the texts of those that have one."""

from __future__ import annotations

import io
import tarfile
from typing import IO, cast

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.formats.package import Package
from rolltop.store.extract.formats.parts import read_part
from rolltop.store.extract.formats.unpacking import BROKEN, Joined, Readable, Unpacked

__all__ = ["read"]

LONGEST_MEMBER = 32 << 20


def read(data: bytes, draft: Draft) -> None:
    if data.startswith(b"PK"):
        _zip(data, draft)
    elif data[257:262] == b"ustar":
        _tar(io.BytesIO(data), draft)
    else:
        _packed(data, draft)


def _zip(data: bytes, draft: Draft) -> None:
    package = Package(data, draft.spent)
    for name in package.names:
        if name.endswith("/"):
            continue
        draft.spent.member()
        if package.size(name) > LONGEST_MEMBER:
            _only_named(name, draft, f"longer than {LONGEST_MEMBER >> 20} MB")
            continue
        try:
            content = package.read(name)
        except Unreadable as error:
            _only_named(name, draft, str(error))
        else:
            read_part(content, name, draft)


def _only_named(name: str, draft: Draft, why: str) -> None:
    draft.at(name)
    draft.line(name)
    draft.note(f"{name}: {why}")


def _tar(file: Readable, draft: Draft) -> None:
    try:
        with tarfile.open(fileobj=cast(IO[bytes], file), mode="r|") as archive:
            for member in archive:
                draft.spent.member()
                stream = archive.extractfile(member) if member.isreg() else None
                if member.isdir():
                    continue
                if stream is None or member.size > LONGEST_MEMBER:
                    _only_named(member.name, draft, "not read")
                else:
                    read_part(stream.read(), member.name, draft)
    except (tarfile.TarError, *BROKEN) as error:
        if not draft.length:
            raise Unreadable(f"the archive is damaged ({error})") from None
        draft.note(f"the archive is cut off or damaged ({error})")


def _packed(data: bytes, draft: Draft) -> None:
    """One file, compressed; often a tar archive."""
    content = b""
    try:
        stream = Unpacked(data, draft.spent)
        content = stream.read(512)
        if content[257:262] == b"ustar":
            _tar(Joined(content, stream), draft)
            return
        content += stream.read(LONGEST_MEMBER)
        if stream.read(1):
            draft.note(f"only the first {LONGEST_MEMBER >> 20} MB were unpacked")
    except BROKEN as error:
        if not content:
            raise Unreadable(f"it cannot be unpacked ({error})") from None
        draft.note(f"the file is cut off or damaged ({error})")
    read_part(content, "content", draft, named=False)
