"""Which project is meant. The first that says something wins:

1. the `project` that a call names: a key, a name or an absolute path;
2. what the client chose before (`set_project`);
3. the first root that the client offers;
4. on stdio, the directory in which the client started the server (`PWD`), if it is absolute;
5. nothing: project tools answer `no_project`, global flags work.

The working directory of the process is never used: a server that a desktop program starts would
take that program's directory for the user's project.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rolltop.guide.config import Config
from rolltop.guide.errors import ArgumentInvalid
from rolltop.guide.model import Project

__all__ = ["Clues", "detect", "path_of_root", "project_for"]


@dataclass(frozen=True, slots=True)
class Clues:
    """What is known about where a call comes from."""

    explicit: str | None = None
    chosen: str | None = None
    roots: tuple[str, ...] = ()
    started_in: str | None = None
    """`PWD`, and only on stdio: over HTTP it is the server's, not the client's."""


def detect(config: Config, clues: Clues) -> Project | None:
    if clues.explicit is not None:
        return project_for(config, clues.explicit)
    if clues.chosen is not None:
        return project_for(config, clues.chosen)
    for place in _places(clues):
        project = Project.at(place)
        return config.project_above(project.path) or project
    return None


def project_for(config: Config, text: str) -> Project:
    """The project that a text names: an absolute path is that directory, else a key or a name."""
    if "\0" in text or not text.strip():
        raise ArgumentInvalid("a project is named by its key, its name or an absolute path")
    expanded = os.path.expanduser(text)
    if os.path.isabs(expanded):
        if os.path.isfile(expanded):
            raise ArgumentInvalid(f"{expanded} is a file", hint="A project is a directory.")
        return config.project_at(Path(expanded))
    return config.project_named(text)


def path_of_root(uri: str) -> Path | None:
    """The directory that a `file://` root names; None for every other kind of root."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
        return None
    path = unquote(parts.path)
    return Path(path) if os.path.isabs(path) and "\0" not in path else None


def _places(clues: Clues) -> Iterable[Path]:
    for uri in clues.roots:
        if (path := path_of_root(uri)) is not None:
            yield path
    started = clues.started_in
    if started and os.path.isabs(started) and os.path.realpath(started) != os.path.sep:
        yield Path(started)
