"""The guide: one configuration directory, opened."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rolltop.errors import InvalidInput, RolltopError
from rolltop.files import Files
from rolltop.guide import expression as expressions
from rolltop.guide.complete import complete
from rolltop.guide.config import Config
from rolltop.guide.content import Content, Limits, excluded, gather, read_inside
from rolltop.guide.detect import Clues, detect
from rolltop.guide.errors import ArgumentInvalid, nearest
from rolltop.guide.flags import FlagValue
from rolltop.guide.flagtables import FeatureFlags, ProjectFlags
from rolltop.guide.formats import FORMATS
from rolltop.guide.model import Project
from rolltop.guide.session import Session
from rolltop.guide.team import TeamFiles, with_team

__all__ = ["Guide"]

_NUMBERS = {"max_documents": "documents", "max_bytes": "bytes", "max_depth": "depth"}
SESSIONS = 10_000
"""Sessions whose choice of a project is remembered."""
_KEYS = ("config_dir", *_NUMBERS)


class Guide:
    """Flags, categories, collections and content of all projects of one user."""

    def __init__(self, directory: Path, *, limits: Limits | None = None, files: Files | None = None) -> None:
        """`files` says which document roots and documents may be opened; without it, every one may."""
        self.config = Config(directory)
        self._files = files
        self._teams = TeamFiles()
        self.limits = limits or Limits()
        self.chosen: str | None = None
        """The key or path of the project that this process's one client chose; none where clients share it."""
        self._chosen_in: OrderedDict[str, str] = OrderedDict()

    @classmethod
    def from_section(cls, section: Mapping[str, Any], default: Path, files: Files | None = None) -> Guide:
        """From `[guide]` of the settings; `default` is where the configuration is when it does not say."""
        for key in section:
            if key not in _KEYS:
                meant = f"; did you mean {near[0]}?" if (near := nearest(key, _KEYS)) else ""
                raise InvalidInput(f"the section guide has an unknown key {key!r}{meant}")
        given = section.get("config_dir")
        directory = Path(os.path.expandvars(str(given))).expanduser().absolute() if given else default
        sizes = {field: _positive(key, section[key]) for key, field in _NUMBERS.items() if key in section}
        return cls(directory, limits=replace(Limits(), **sizes), files=files)

    def docroot(self) -> Path:
        """The document root, if it may be opened. The one inside our own configuration directory always may."""
        root = self.config.docroot()
        if self._files is not None and not self._is_own(root):
            self._files.resolve(root)
        return root

    def _is_own(self, root: Path) -> bool:
        return root.is_relative_to(os.path.realpath(self.config.directory))

    def effective(self, project: Project) -> Project:
        """A project as it is for its user: what is stored for it over what its team committed."""
        current = self.config.current(project)
        return with_team(current, self.team(current))

    def team(self, project: Project) -> Project:
        """What the team committed in `.rolltop/guide.toml`; nothing of a directory that may not be opened."""
        if self._files is not None:
            try:
                self._files.resolve(project.path)
            except RolltopError:
                return Project(project.key, project.name, project.path)
        return self._teams.of(project)

    def _read_document(self, root: Path, document: Path, largest: int) -> bytes:
        """Read through the opener, which keeps keys, histories and the like closed in any root but our own."""
        if self._files is None or self._is_own(root):
            return read_inside(root, document, largest)
        with self._files.open_read(document) as file:
            return file.read(largest + 1)

    def choose(self, project: Project, session: str | None = None) -> None:
        """Make a project the current one: of this process, or of one session of several."""
        chosen = str(project.path) if project.path.is_absolute() else project.key
        if session is None:
            self.chosen = chosen
            return
        self._chosen_in[session] = chosen
        self._chosen_in.move_to_end(session)
        while len(self._chosen_in) > SESSIONS:
            self._chosen_in.popitem(last=False)

    def clues(
        self, *, shared: bool, roots: Sequence[str] = (), started_in: str | None = None, session: str = ""
    ) -> Clues:
        """What says which project a call without a project is about.

        `shared`: many clients use this process (HTTP), so what it was started in is nobody's project; what counts is
        what was chosen in the `session`, if there is one.
        """
        if shared:
            return Clues(chosen=self._chosen_in.get(session), roots=tuple(roots))
        return Clues(chosen=self.chosen, roots=tuple(roots), started_in=started_in)

    def detect(self, clues: Clues) -> Project | None:
        return detect(self.config, clues)

    def session(self, project: Project | None) -> Session:
        return Session(self, project)

    def feature_flags(self) -> FeatureFlags:
        return FeatureFlags(self.config)

    def project_flags(self, project: Project) -> ProjectFlags:
        return ProjectFlags(self.config, project)

    def complete(self, project: Project, text: str) -> list[str]:
        """How an expression that was begun may go on: names, and after a slash documents of the category."""
        current = self.effective(project)
        return complete(self.docroot(), current, text, self.limits, excluded(self._flags(current)))

    def _flags(self, project: Project) -> Mapping[str, FlagValue]:
        return {**self.config.feature_flags(), **project.flags}

    def content(
        self,
        project: Project,
        expression: str,
        pattern: str | None = None,
        *,
        offset: int = 0,
        how: str | None = None,
        limits: Limits | None = None,
    ) -> Content:
        """The documents that `expression` stands for; `pattern` is the two-argument form."""
        if how is not None and how not in FORMATS:
            raise ArgumentInvalid(f"there is no content format {how!r}", hint=f"There are: {', '.join(FORMATS)}.")
        if offset < 0:
            raise ArgumentInvalid("offset cannot be below 0")
        parsed = expressions.parse(expression)
        if pattern is not None:
            parsed = parsed.with_pattern(pattern)
        current = self.effective(project)
        flags = self._flags(current)
        return gather(
            self.docroot(),
            current,
            parsed,
            flags,
            limits=limits or self.limits,
            offset=offset,
            how=how,
            read=self._read_document,
        )


def _positive(key: str, value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if number <= 0:
        raise InvalidInput(f"the setting guide.{key} has to be a number above 0")
    return number
