"""The process that runs typst: lowers itself for good, then turns pages into PDFs until its input ends.

Run as ``python -m rolltop.reports.typeset.server``. A frame is a big-endian 4-byte length and that many
bytes; a request is JSON: `{name: text}` with its `main.typ` asks for a PDF, a string asks which of its
characters no font has. An answer is one byte (0: what was asked for follows, 1: an error message follows)
and the rest. The strictest workers of `rolltop.confine` cannot do this: typst
works with threads.
"""

from __future__ import annotations

import json
import os
import re
import resource
import struct
import sys
from typing import IO

import typst

from rolltop.confine.identity import foreign_identity
from rolltop.confine.kernel import filters, landlock, process
from rolltop.confine.launch import lower_limit

__all__ = ["LENGTH", "main"]

LENGTH = struct.Struct(">I")
MEMORY = 1 << 30

_SMALL = "#set page(width: 60pt, height: 40pt, margin: 5pt)\n"
_SHAPE = re.compile(rb'<use [^>]*href="#(\w+)"')
_NOWHERE = "\U0010fffd"
"""A character for private use that no font of typst's has."""
_AT_ONCE = 200


def main() -> None:
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    fonts = typst.Fonts(include_system_fonts=False)  # read now: later no file can be opened
    _restrict(int(sys.argv[1]))
    while (request := _receive(source)) is not None:
        answer = _set(request, fonts)
        sink.write(LENGTH.pack(len(answer)) + answer)
        sink.flush()


def _restrict(parent: int) -> None:
    """Before the first page: no privileges, no files, no sockets, no signals, a bound on memory."""
    identity = foreign_identity()
    lower_limit(resource.RLIMIT_AS, MEMORY)
    lower_limit(resource.RLIMIT_FSIZE, 0)
    lower_limit(resource.RLIMIT_CORE, 0)
    os.chdir("/")
    if identity.drop:
        os.setgroups([])
        os.setresgid(identity.gid, identity.gid, identity.gid)
        os.setresuid(identity.uid, identity.uid, identity.uid)
    process.die_with_parent(parent)  # after the change of user, which forgets it
    if process.LINUX:
        process.no_new_privileges()
        if landlock.abi():
            landlock.restrict()
        if program := filters.sandbox_filter(sockets=False, signals=False):
            process.load_filter(program)


def _receive(source: IO[bytes]) -> bytes | None:
    head = source.read(LENGTH.size)
    return source.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else None


def _set(request: bytes, fonts: typst.Fonts) -> bytes:
    try:
        asked = json.loads(request)
        if isinstance(asked, str):
            return b"\0" + without_glyph(asked, fonts).encode()
        sources = {name: text.encode() for name, text in asked.items()}
        document = typst.compile(sources, font_paths=fonts, ignore_system_fonts=True)  # type: ignore[call-overload]
    except Exception as error:  # whatever a page makes typst say is the page's own fault
        return b"\1" + str(error).encode("utf-8", "replace")[:2000]
    assert isinstance(document, bytes)
    return b"\0" + document


def without_glyph(characters: str, fonts: typst.Fonts) -> str:
    """The first of the characters for which typst would set the box of its main font."""
    for at in range(0, len(characters), _AT_ONCE):
        some = characters[at : at + _AT_ONCE]
        box, *glyphs = _glyphs(_NOWHERE + some, fonts)
        if missing := "".join(each for each, shown in zip(some, glyphs, strict=True) if box & shown):
            return missing
    return ""


def _glyphs(characters: str, fonts: typst.Fonts) -> list[set[bytes]]:
    """For each character the names of the shapes that a page with it alone consists of."""
    pages = "\n#pagebreak()\n".join(f'#text("\\u{{{ord(each):x}}}")' for each in characters)
    sources = {"main.typ": f"{_SMALL}{pages}".encode()}
    drawn = typst.compile(sources, font_paths=fonts, ignore_system_fonts=True, format="svg")  # type: ignore[call-overload]
    return [set(_SHAPE.findall(page)) for page in ([drawn] if isinstance(drawn, bytes) else drawn)]


if __name__ == "__main__":
    main()
