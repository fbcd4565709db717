"""The process that runs typst: lowers itself for good, then turns pages into PDFs until its input ends.

Run as ``python -m rolltop.reports.typeset.server``. A frame is a big-endian 4-byte length and that many
bytes; a request is JSON (`{name: text}` with its `main.typ`), an answer is one byte (0: a PDF follows,
1: an error message follows) and the rest. The strictest workers of `rolltop.confine` cannot do this: typst
works with threads.
"""

from __future__ import annotations

import json
import os
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
        sources = {name: text.encode() for name, text in json.loads(request).items()}
        document = typst.compile(sources, font_paths=fonts, ignore_system_fonts=True)  # type: ignore[call-overload]
    except Exception as error:  # whatever a page makes typst say is the page's own fault
        return b"\1" + str(error).encode("utf-8", "replace")[:2000]
    assert isinstance(document, bytes)
    return b"\0" + document


if __name__ == "__main__":
    main()
