"""The team's part of a project: `.rolltop/guide.toml`, committed beside the code.

Its categories are directories of the project itself. What a user set for the project wins over it, and it wins over
the global flags. It is read, never written: a change goes through the project's own review.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from rolltop.errors import Position, RolltopError
from rolltop.guide.errors import ConfigUnreadable
from rolltop.guide.flags import check_flag
from rolltop.guide.model import Category, Collection, Project

__all__ = ["TEAM_FILE", "TeamFiles", "with_team"]

TEAM_FILE = ".rolltop/guide.toml"
LARGEST = 1 << 20
_TABLES = ("flags", "categories", "collections")

T = TypeVar("T")
_Stamp = tuple[int, int, int]


def with_team(own: Project, team: Project) -> Project:
    """A project as it is for its user: the team's part, with the user's own over it."""
    categories = {**team.categories, **own.categories}
    collections = {name: each for name, each in team.collections.items() if name not in own.categories}
    categories = {name: each for name, each in categories.items() if name not in own.collections}
    return replace(
        own,
        flags={**team.flags, **own.flags},
        categories=categories,
        collections={**collections, **own.collections},
    )


class TeamFiles:
    """The files of all projects, each read again when it changed."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[_Stamp, Project]] = {}

    def of(self, project: Project) -> Project:
        """The team's part of a project; empty where there is no file."""
        path = project.path / TEAM_FILE
        bare = Project(project.key, project.name, project.path)
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            known = self._known.get(path)
            if known is not None and known[0] == stamp:
                return known[1]
            if status.st_size > LARGEST:
                raise _unreadable(path, f"it is larger than {LARGEST >> 20} MiB")
            found = _read(path, path.read_bytes(), bare)
        except (FileNotFoundError, NotADirectoryError):
            return bare
        except OSError as error:
            raise _unreadable(path, error.strerror or "") from None
        self._known[path] = (stamp, found)
        return found


def _read(path: Path, data: bytes, project: Project) -> Project:
    try:
        document = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise _unreadable(path, "it is not UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _unreadable(path, str(error) or "it is nested too deep") from None
    if unknown := sorted(document.keys() - set(_TABLES)):
        raise _unreadable(path, f"it has an unknown table {unknown[0]!r}; there are {', '.join(_TABLES)}")
    tables = {name: _table(path, name, document.get(name, {})) for name in _TABLES}
    for name, value in tables["flags"].items():
        flag = _checked(path, f"flags.{name}", lambda n=name, v=value: check_flag(n, v, "project"))  # type: ignore[misc]
        project = project.with_flag(name, flag)
    for name, each in tables["categories"].items():
        place = f"categories.{name}"
        said = _fields(path, place, each, {"dir": str, "patterns": list, "description": str})
        category = Category(name, said.get("dir", name), tuple(said.get("patterns", ())), said.get("description", ""))
        project = _checked(path, place, lambda p=project, c=category: p.with_category(replace(c, root=p.path)))  # type: ignore[misc]
    for name, each in tables["collections"].items():
        place = f"collections.{name}"
        said = _fields(path, place, each, {"members": list, "description": str})
        collection = Collection(name, tuple(said.get("members", ())), said.get("description", ""))
        project = _checked(path, place, lambda p=project, c=collection: p.with_collection(c))  # type: ignore[misc]
    return project


def _table(path: Path, name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _unreadable(path, f"{name} is not a table")
    return value


def _fields(path: Path, place: str, value: Any, kinds: Mapping[str, type]) -> Mapping[str, Any]:
    table = _table(path, place, value)
    for key, given in table.items():
        if key not in kinds:
            raise _unreadable(path, f"{place} has an unknown field {key!r}; there are {', '.join(kinds)}")
        texts = given if isinstance(given, list) else [given]
        if not isinstance(given, kinds[key]) or not all(isinstance(each, str) for each in texts):
            raise _unreadable(path, f"{place}.{key} is not {'a list of texts' if kinds[key] is list else 'a text'}")
    return table


def _checked(path: Path, place: str, make: Callable[[], T]) -> T:
    try:
        return make()
    except RolltopError as error:
        raise _unreadable(path, f"{place}: {error.message}") from None


def _unreadable(path: Path, why: str) -> ConfigUnreadable:
    return ConfigUnreadable(
        f"the team's guide cannot be read: {why}",
        position=Position(1, 1, str(path)),
        hint="Correct the file; docs/guide.md shows what may be in it.",
    )
