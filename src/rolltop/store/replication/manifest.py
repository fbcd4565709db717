"""What was published, and when: manifests with numbers that nobody can take twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from rolltop.errors import Damaged, NotFound
from rolltop.store.replication.blocks import File
from rolltop.store.replication.objects import ObjectStore

__all__ = ["Manifest", "Manifests", "PublishedPart"]

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class PublishedPart:
    """One state of an index: how far it goes, and its files by their relative names."""

    mark: int
    files: Mapping[str, File]

    def digests(self) -> set[str]:
        return {digest for file in self.files.values() for digest in file.digests}

    def fingerprint(self) -> str:
        """Tells two states apart that go equally far."""
        return hashlib.sha256(json.dumps([self.mark, sorted(self.files.items())]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Manifest:
    """One publication. `resets` counts how often all earlier ones became invalid, because documents were collected."""

    number: int = 0
    resets: int = 0
    parts: Mapping[str, PublishedPart] = field(default_factory=dict)

    def digests(self) -> set[str]:
        return {digest for part in self.parts.values() for digest in part.digests()}

    def encode(self) -> bytes:
        parts = {
            name: {"mark": part.mark, "files": {path: [file.size, *file.digests] for path, file in part.files.items()}}
            for name, part in self.parts.items()
        }
        return json.dumps({"format": _FORMAT, "resets": self.resets, "parts": parts}).encode()

    @classmethod
    def decode(cls, number: int, data: bytes) -> Manifest:
        try:
            found = json.loads(data)
            parts = {
                name: PublishedPart(
                    int(part["mark"]),
                    {path: File(int(size), tuple(digests)) for path, (size, *digests) in part["files"].items()},
                )
                for name, part in found["parts"].items()
            }
            return cls(number, int(found["resets"]), parts if found["format"] == _FORMAT else {})
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Damaged(f"the manifest {number} of the published indexes cannot be read") from None


class Manifests:
    """The manifests under `prefix`. The last one counts; whoever puts the next number first has published."""

    def __init__(self, objects: ObjectStore, prefix: str) -> None:
        self._objects = objects
        self._prefix = prefix
        self._last = Manifest()

    def _key(self, number: int) -> str:
        return f"{self._prefix}{number:012d}"

    def latest(self) -> Manifest:
        """The last publication, looked for now; number 0 where there is none."""
        after = self._key(self._last.number - 1) if self._last.number else ""
        numbers = [int(found.key.removeprefix(self._prefix)) for found in self._objects.list(self._prefix, after)]
        if not numbers:  # everything was deleted
            self._last = Manifest()
        elif numbers[-1] != self._last.number:
            try:
                self._last = Manifest.decode(numbers[-1], self._objects.get(self._key(numbers[-1])))
            except NotFound:  # replaced by a later one meanwhile
                return self.latest()
        return self._last

    def publish(self, manifest: Manifest) -> bool:
        """Whether this became the publication of its number."""
        done = self._objects.put(self._key(manifest.number), manifest.encode())
        if done:
            self._last = manifest
        return done

    def superseded(self, manifest: Manifest, keep: int) -> list[int]:
        """The numbers of publications before the last `keep` ones."""
        numbers = [int(found.key.removeprefix(self._prefix)) for found in self._objects.list(self._prefix)]
        return [number for number in numbers if number <= manifest.number - keep]

    def get(self, number: int) -> Manifest:
        return Manifest.decode(number, self._objects.get(self._key(number)))

    def delete(self, numbers: list[int]) -> None:
        self._objects.delete([self._key(number) for number in numbers])
