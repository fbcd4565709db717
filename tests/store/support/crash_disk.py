"""A disk that loses power: replays a recorded run and says what could be on it at any moment.

The record is the system calls of a real process (strace). What was written but not yet synced when the power
fails may be there, be missing, be there in part, or be there although something written before it is not.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CALLS = (
    "openat,open,creat,write,pwrite64,pwritev,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,close"
)
_LINE = re.compile(r"^\d+\s+(\w+)\((.*)\)\s+=\s+(-?\d+)")
_BEGUN = " <unfinished ...>"
_RESUMED = re.compile(r"^\d+\s+<\.\.\. \w+ resumed>(.*)$")
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_FD = re.compile(r"^\d+<([^>]*)>")


@dataclass(frozen=True)
class Call:
    kind: str  # create, write, cut, sync, unlink, rename, acknowledge
    path: str
    offset: int = 0
    data: bytes = b""
    target: str = ""


def record(script: Path, store: Path, log: Path) -> list[Call]:
    """Run the workload under strace and read what it did to the files of the store."""
    tracing = ["strace", "-f", "-y", "-xx", "-s", "10000000", "-e", f"trace={CALLS}", "-o", str(log)]
    subprocess.run([*tracing, sys.executable, str(script), str(store)], check=True, capture_output=True, timeout=120)
    calls: list[Call] = []
    for line in _whole(log.read_text("latin-1").splitlines()):
        call = _parse(line, str(store))
        if call is not None:
            calls.append(call)
    return calls


def _whole(lines: list[str]) -> Iterator[str]:
    """The calls of all threads: one that another thread's call interrupted in the log is put together again."""
    begun: dict[str, str] = {}
    for line in lines:
        thread = line.partition(" ")[0]
        if line.endswith(_BEGUN):
            begun[thread] = line.removesuffix(_BEGUN)
        elif resumed := _RESUMED.match(line):
            yield begun.pop(thread, "") + resumed[1]
        else:
            yield line


def _decode(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _parse(line: str, store: str) -> Call | None:
    match = _LINE.match(line)
    if not match or int(match[3]) < 0:
        return None
    name, arguments, result = match[1], match[2], int(match[3])
    strings = [_decode(text) for text in _STRING.findall(arguments)]
    if name == "write" and strings and strings[0] in (b"ready\n", b"done\n"):
        return Call("acknowledge", strings[0].decode().strip())
    if name in ("openat", "open", "creat"):
        path = strings[0].decode() if strings else ""
        return Call("create", path) if "O_CREAT" in arguments and path.startswith(store) else None
    if name in ("unlink", "unlinkat"):
        path = strings[0].decode()
        return Call("unlink", path) if path.startswith(store) else None
    if name.startswith("rename"):
        return (
            Call("rename", strings[0].decode(), target=strings[1].decode())
            if strings[0].decode().startswith(store)
            else None
        )
    found = _FD.match(arguments)
    path = _decode(found[1]).decode() if found and "\\x" in found[1] else (found[1] if found else "")
    if not path.startswith(store):
        return None
    if name in ("fsync", "fdatasync"):
        return Call("sync", path)
    if name == "ftruncate":
        return Call("cut", path, offset=int(arguments.rpartition(",")[2]))
    if name == "pwrite64":
        return Call("write", path, int(arguments.rpartition(",")[2]), strings[0][:result])
    if name == "write":
        return Call("write", path, -1, strings[0][:result])
    return None


@dataclass
class File:
    durable: bytes = b""
    named: bool = False  # its name survives
    pending: list[tuple[str, int, bytes]] = field(default_factory=list)

    def content(self, kept: list[tuple[str, int, bytes]]) -> bytes:
        data = bytearray(self.durable)
        for kind, offset, piece in kept:
            if kind == "cut":
                del data[offset:]
                data.extend(bytes(max(0, offset - len(data))))
            else:
                place = len(data) if offset < 0 else offset
                data.extend(bytes(max(0, place - len(data))))
                data[place : place + len(piece)] = piece
        return bytes(data)


class Disk:
    """The state of the disk after some of the recorded calls."""

    def __init__(self, store: str) -> None:
        self.store = store
        self.files: dict[str, File] = {}
        self.acknowledged = -1

    def apply(self, call: Call) -> None:
        if call.kind == "acknowledge":
            self.acknowledged += 1
        elif call.kind == "create":
            self.files.setdefault(call.path, File())
        elif call.kind == "write" and call.path in self.files:
            self.files[call.path].pending.append(("write", call.offset, call.data))
        elif call.kind == "cut" and call.path in self.files:
            self.files[call.path].pending.append(("cut", call.offset, b""))
        elif call.kind == "rename":
            self.files[call.target] = self.files.pop(call.path)
        elif call.kind == "unlink":
            self.files.pop(call.path, None)
        elif call.kind == "sync":
            self._sync(call.path)

    def _sync(self, path: str) -> None:
        if path in self.files:
            file = self.files[path]
            file.durable, file.pending = file.content(file.pending), []
        else:  # a directory: the names in it are durable
            for name, file in self.files.items():
                if name.rpartition("/")[0] == path:
                    file.named = True

    def after_kill(self) -> dict[str, bytes]:
        """The process died, the system did not: everything written is there."""
        return {path: file.content(file.pending) for path, file in self.files.items()}

    def after_power_loss(self, rng: random.Random) -> dict[str, bytes]:
        """Only what was synced is certain; the rest is there by chance, perhaps torn."""
        found = {}
        chance = rng.choice([0.0, 0.3, 0.7, 1.0])
        for path, file in self.files.items():
            if not file.named and rng.random() >= chance:
                continue
            kept = [_torn(each, rng) for each in file.pending if rng.random() < chance]
            found[path] = file.content(kept)
        return found


def _torn(pending: tuple[str, int, bytes], rng: random.Random) -> tuple[str, int, bytes]:
    kind, offset, data = pending
    if kind == "write" and len(data) > 512 and rng.random() < 0.2:
        return kind, offset, data[: rng.randrange(len(data) // 512) * 512]
    return pending


def lay_out(files: dict[str, bytes], store: str, target: Path) -> None:
    for path, data in files.items():
        if path.endswith("-shm"):
            continue  # memory shared between processes; made anew from the log
        place = target / path.removeprefix(store).lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
