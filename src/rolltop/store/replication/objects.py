"""Immutable objects by key, as S3 has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

__all__ = ["Listed", "ObjectStore"]


class Listed(NamedTuple):
    """An object in a listing. `modified` is in seconds, by the clock of the object store."""

    key: str
    size: int
    modified: float


class ObjectStore(Protocol):
    """Objects are put once and never changed."""

    def put(self, key: str, data: bytes) -> bool:
        """Put an object that is not there yet; False if there is one."""

    def get(self, key: str) -> bytes:
        """The object; `NotFound` if there is none."""

    def list(self, prefix: str, after: str = "") -> Iterator[Listed]:
        """The objects whose keys begin with `prefix` and come after `after`, in order."""

    def delete(self, keys: Sequence[str]) -> None: ...
