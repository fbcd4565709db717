"""The guide's configuration: global flags, the document root, and the projects."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rolltop.errors import PermissionDenied
from rolltop.guide.codec import Reader, stored_key, write_flags, write_project
from rolltop.guide.configfile import ConfigFile, storable
from rolltop.guide.errors import ConfigUnwritable, NameInvalid, unknown_name
from rolltop.guide.flags import FlagValue
from rolltop.guide.model import Project

__all__ = ["Config"]


class Config:
    """Reads are cheap and never wait; each change is one transaction on the file."""

    def __init__(self, directory: Path, *, deadline: float = 5.0) -> None:
        self.directory = directory
        self.file = ConfigFile(directory / "config.yaml", deadline=deadline)
        self._last: Reader | None = None

    def _reader(self) -> Reader:
        """A reader of the file as it is now; the same one as long as the file does not change."""
        document = self.file.read()
        reader = self._last
        if reader is None or reader.document is not document:
            self._last = reader = Reader(document, self.file.path)
        return reader

    def docroot(self) -> Path:
        """Where documents live: absolute, made on demand."""
        given = self._reader().docroot()
        path = Path(os.path.expandvars(given)).expanduser() if given else self.directory / "docs"
        path = path if path.is_absolute() else self.directory / path
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigUnwritable(f"the document root {path} cannot be made: {error.strerror}") from None
        return Path(os.path.realpath(path))

    def set_docroot(self, path: Path) -> None:
        def change(document: dict[str, object]) -> tuple[None, bool]:
            document["docroot"] = storable(str(path))
            return None, True

        self.file.change(change)

    def feature_flags(self) -> Mapping[str, FlagValue]:
        return self._reader().feature_flags

    def change_feature_flags(self, edit: Callable[[Mapping[str, FlagValue]], Mapping[str, FlagValue]]) -> None:
        def change(document: dict[str, object]) -> tuple[None, bool]:
            before = Reader(document, self.file.path).feature_flags
            after = edit(before)
            write_flags(document, before, after)
            return None, before != after

        self.file.change(change)

    def projects(self) -> list[Project]:
        reader = self._reader()
        return [reader.project(key) for key in reader.project_keys()]

    def project_above(self, place: Path) -> Project | None:
        """The stored project that holds a directory: work goes on below a project's top too."""
        reader = self._reader()
        stored = reader.project_paths()
        key = next((stored[path] for path in (place, *place.parents) if path in stored), None)
        return reader.project(key) if key is not None else None

    def project_at(self, path: Path) -> Project:
        """The project of exactly this directory, stored (under whichever key) or empty."""
        fresh = Project.at(path)
        reader = self._reader()
        key = reader.project_paths().get(fresh.path, fresh.key)
        return reader.project(key) if key in reader.project_keys() else fresh

    def is_stored(self, project: Project) -> bool:
        return project.key in self._reader().project_keys()

    def current(self, project: Project) -> Project:
        """The stored state of a project, or the empty one that was given."""
        reader = self._reader()
        return reader.project(project.key) if project.key in reader.project_keys() else project

    def change_project(self, project: Project, edit: Callable[[Project], Project]) -> Project:
        """Change a project in one transaction; its first change also stores it."""

        def change(document: dict[str, object]) -> tuple[Project, bool]:
            reader = Reader(document, self.file.path)
            if stored := project.key in reader.project_keys():
                before = reader.project(project.key)
            else:
                before = project
            after = edit(before)
            if not stored and reader.feature_flags.get("new-projects") is False:
                raise PermissionDenied(
                    f"project {project.name} was never set up, and the feature flag new-projects is false",
                    hint="Set the feature flag new-projects to true, or work in a project that exists.",
                )
            write_project(document, before, after)
            return after, after != before or not stored

        return self.file.change(change)

    def remove_project(self, key: str) -> None:
        def change(document: dict[str, object]) -> tuple[None, bool]:
            keys = Reader(document, self.file.path).project_keys()
            if key not in keys:
                raise unknown_name("project", key, keys)
            projects: dict[Any, object] = document["projects"]  # type: ignore[assignment]
            del projects[stored_key(projects, key)]
            return None, True

        self.file.change(change)

    def project_named(self, text: str) -> Project:
        """By key, else by name when only one project has it."""
        reader = self._reader()
        keys = reader.project_keys()
        if text in keys:
            return reader.project(text)
        named = [project for project in map(reader.project, keys) if project.name == text]
        if not named:
            raise unknown_name("project", text, [*keys, *(reader.project(key).name for key in keys)])
        if len(named) > 1:
            raise NameInvalid(
                f"{len(named)} projects are called {text}",
                hint=f"Use the key: {', '.join(project.key for project in named)}.",
            )
        return named[0]
