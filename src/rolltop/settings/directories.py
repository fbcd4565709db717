"""Directories that settings have by default: configuration, workspace, allowed roots."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from rolltop.errors import InvalidInput
from rolltop.settings import values as read

__all__ = [
    "config_path",
    "default_roots",
    "default_workspace",
    "home_directory",
    "temporary_directory",
    "working_directory",
]


def home_directory() -> Path | None:
    """The user's home; None if there is none, as in a container whose user is only a number."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def config_path(env: Mapping[str, str]) -> Path | None:
    """The configuration file: `ROLLTOP_CONFIG`, else in the user's configuration directory; None without a home."""
    if given := env.get("ROLLTOP_CONFIG"):
        try:
            return read.path(given)
        except ValueError as error:
            raise InvalidInput(f"the setting ROLLTOP_CONFIG is not valid: {error}") from None
    return _of_user(env.get("XDG_CONFIG_HOME"), ".config", "config.toml")


def default_workspace(env: Mapping[str, str]) -> Path:
    found = _of_user(env.get("XDG_DATA_HOME"), ".local/share")
    if found is None:
        raise InvalidInput(
            "there is no home directory to have the workspace in",
            hint="Set ROLLTOP_WORKSPACE to a directory.",
        )
    return found


def _of_user(base: str | None, below: str, *names: str) -> Path | None:
    """A path below `base` or below the home directory; None if there is neither."""
    home = None if base else home_directory()
    place = Path(base) if base else home and home / below
    return place and Path(place, "rolltop", *names)


def default_roots(cwd: Path | None, home: Path | None) -> tuple[Path, ...]:
    """The working directory unless it is `/`, home, and the system's temporary directory."""
    candidates = [path for path in (cwd, home, temporary_directory()) if path is not None]
    return tuple(dict.fromkeys(path for path in candidates if path != Path(path.anchor)))


def working_directory() -> Path | None:
    try:
        return Path.cwd()
    except FileNotFoundError:  # it was removed
        return None


def temporary_directory() -> Path:
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError:  # the disk is full: Python tries to write there, but reading needs no space
        return Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 - nothing is made in it
