"""Python packages that chunks of documents see: those of the settings, and DuckDB as rolltop has it installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from rolltop.confine import Mount
from rolltop.confine.identity import foreign_identity, require_reachable
from rolltop.errors import PermissionDenied

__all__ = ["python_mounts", "python_path"]

_OWN = "/run/rolltop/python"
"""Where rolltop's own DuckDB is inside the sandbox: alone, without the packages beside it."""


def python_mounts(libraries: tuple[str, ...]) -> tuple[Mount, ...]:
    """What a sandbox is given, read-only; what the user whom chunks run as cannot read is left out."""
    named = [Mount(Path(each).expanduser().resolve(), str(Path(each).expanduser().resolve())) for each in libraries]
    own = [Mount(place, f"{_OWN}/{place.name}") for place in _own_duckdb()]
    return tuple(each for each in (*named, *own) if each.source.exists() and _is_reachable(each.source))


def python_path(libraries: tuple[str, ...]) -> str:
    return ":".join([*(str(Path(each).expanduser().resolve()) for each in libraries), _OWN])


def _own_duckdb() -> Iterator[Path]:
    """What the installed distribution consists of: its packages, its binary and its metadata."""
    try:
        installed = distribution("duckdb")
    except PackageNotFoundError:
        return
    names = {Path(str(each)).parts[0] for each in installed.files or ()}
    yield from (Path(str(installed.locate_file(name))) for name in sorted(names) if name != "..")


def _is_reachable(place: Path) -> bool:
    try:
        require_reachable(place, foreign_identity())
    except PermissionDenied:
        return False
    return True
