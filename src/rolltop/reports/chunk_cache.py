"""Chunks that are kept between renders: what knitr saved of each, by a key that covers everything before it.

A render is given what is kept for its own keys and never writes here itself. `ChunkRecorder` takes a chunk's files only
while that chunk is the one that runs: code can hand over a result of its own and of no other chunk, and whoever reuses
it has the same code before it. Nothing kept is read outside of a sandbox.
"""

from __future__ import annotations

import contextlib
import json
import os
from base64 import b64decode, b64encode
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from rolltop.base.atomic_files import write_file
from rolltop.reports.job import Event

__all__ = ["ChunkCache", "ChunkFiles", "ChunkRecorder"]

ChunkFiles = Mapping[str, bytes]
"""What is kept of one chunk: paths below the document's directory."""

_MOST_FILES = 100
_MOST_BYTES = 8 << 20


class ChunkRecorder:
    """What the chunks of one render handed over, each while it ran."""

    def __init__(self, keys: Mapping[str, str]) -> None:
        self.chunks: dict[str, ChunkFiles] = {}
        self._keys = keys
        self._running: str | None = None

    def see(self, event: Event) -> None:
        if event.phase == "knit":
            self._running = event.chunk

    def take(self, wire: Mapping[str, Any]) -> None:
        label, files = wire.get("chunk"), wire.get("files")
        if label != self._running or label not in self._keys or label in self.chunks or not isinstance(files, dict):
            return
        with contextlib.suppress(ValueError, TypeError):
            decoded = {str(name): b64decode(data, validate=False) for name, data in files.items()}
            if len(decoded) <= _MOST_FILES and all(map(_is_below, decoded)):
                self.chunks[str(label)] = decoded


def _is_below(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\0" not in name


class ChunkCache:
    """A bounded directory with one file per chunk; the least recently used go first."""

    def __init__(self, root: Path, limit: int) -> None:
        self.root = root
        self.limit = limit

    def get(self, keys: Mapping[str, str]) -> dict[str, ChunkFiles]:
        """What is kept for these chunks, by label."""
        found: dict[str, ChunkFiles] = {}
        for label, key in keys.items():
            with contextlib.suppress(OSError, ValueError, AttributeError, TypeError):
                path = self.root / f"{key}.json"
                found[label] = {name: b64decode(data) for name, data in json.loads(path.read_bytes()).items()}
                os.utime(path)
        return found

    def put(self, keys: Mapping[str, str], chunks: Mapping[str, ChunkFiles]) -> None:
        """Keep chunks; on a disk that takes nothing more they are not kept, which costs the next render time alone."""
        if not chunks or self.limit <= 0:
            return
        with contextlib.suppress(OSError):
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            for label, files in chunks.items():
                data = json.dumps({name: b64encode(each).decode("ascii") for name, each in files.items()}).encode()
                if len(data) <= 2 * _MOST_BYTES:
                    write_file(self.root / f"{keys[label]}.json", data, mode=0o600, durable=False, overwrite=True)
            self._prune()

    def forget(self, keys: Mapping[str, str]) -> None:
        for key in keys.values():
            with contextlib.suppress(OSError):
                (self.root / f"{key}.json").unlink()

    def _prune(self) -> None:
        used = 0
        with os.scandir(self.root) as entries:
            stamped = sorted(((entry.stat(), entry.path) for entry in entries), key=lambda each: -each[0].st_mtime)
        for info, path in stamped:
            used += info.st_size
            if used > self.limit:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
