"""What a server notes about its copies of the shared indexes."""

from __future__ import annotations

import json
from pathlib import Path

from rolltop.base.atomic_files import write_file
from rolltop.store.replication.manifest import Manifest, PublishedPart

__all__ = ["LocalState"]


class LocalState:
    """Which publication each copy came from or became, and how many resets they have followed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            found = json.loads(path.read_bytes())
            self.resets = int(found["resets"])
            self._parts = {str(name): str(seen) for name, seen in found["parts"].items()}
        except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
            self.resets, self._parts = 0, dict[str, str]()

    def has(self, name: str, published: PublishedPart) -> bool:
        """Whether the copy here came from this publication; it may have gone on since."""
        return self._parts.get(name) == published.fingerprint()

    def note(self, name: str, published: PublishedPart) -> None:
        self._parts[name] = published.fingerprint()
        self._write()

    def note_all(self, manifest: Manifest) -> None:
        """All copies here are those of one publication."""
        self.resets = manifest.resets
        self._parts |= {name: part.fingerprint() for name, part in manifest.parts.items()}
        self._write()

    def note_resets(self, resets: int) -> None:
        self.resets = resets
        self._write()

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_file(self._path, json.dumps({"resets": self.resets, "parts": self._parts}).encode())
