"""What an index must be able to do to be shared between servers."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

__all__ = ["Lease", "Part"]


class Part(Protocol):
    """An index in files of the local directory. `name` also names its format: another format is another part."""

    @property
    def name(self) -> str: ...

    def mark(self) -> int:
        """How far it goes; a higher one is the better one."""

    def near(self) -> Path:
        """A directory that may already hold some of the files, under the same names."""

    def snapshot(self, target: Path) -> int | None:
        """Copy or link one state of its files into an empty directory: its mark; None while another process writes."""

    def adopt(self, source: Path) -> bool:
        """Take the files of a directory over, which it may move; False while another process writes."""

    def clear(self) -> None:
        """Forget everything."""


class Lease(Protocol):
    """Held by one server at a time, and given up when that server dies. It saves work and protects nothing."""

    def held(self) -> bool:
        """Get it or keep it; whether this server has it now."""

    def release(self) -> None: ...
