"""The two tables of flags, and how the one is the default of the other."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeVar

from rolltop.errors import Conflict
from rolltop.guide.config import Config
from rolltop.guide.flags import FlagValue, Scope, check_flag, checked_value
from rolltop.guide.model import Project
from rolltop.guide.names import check_flag_name

__all__ = ["ANY", "FeatureFlags", "Flag", "ProjectFlags", "matching", "resolved_flags"]

V = TypeVar("V")


class _Any(Enum):
    ANY = 0


ANY: Final = _Any.ANY
"""No condition on the value that a flag has before it is set."""

Expected = FlagValue | None | Literal[_Any.ANY]


@dataclass(frozen=True, slots=True)
class Flag:
    value: FlagValue | None
    source: Scope | Literal["team"] | None
    """Where the value comes from; None when the flag is not set at all."""


class FeatureFlags:
    """The global flags, and nothing of any project."""

    scope: Scope = "global"

    def __init__(self, config: Config) -> None:
        self._config = config

    def list(self, pattern: str | None = None) -> dict[str, FlagValue]:
        return matching(self._config.feature_flags(), pattern)

    def get(self, name: str) -> FlagValue | None:
        return self._config.feature_flags().get(check_flag_name(name))

    def set(self, name: str, value: FlagValue | None = True, *, expected: Expected = ANY) -> FlagValue | None:
        """Set one flag and give back what was stored; None removes it.

        With `expected`, only if the flag has that value now (None: is not set); else `Conflict`.
        """
        stored = None if value is None else check_flag(name, value, self.scope)
        check_flag_name(name)
        wanted = _as_stored(name, expected)

        def edit(flags: Mapping[str, FlagValue]) -> Mapping[str, FlagValue]:
            _compare(name, flags.get(name), wanted)
            return _with(flags, name, stored)

        self._config.change_feature_flags(edit)
        return stored

    def remove(self, name: str) -> bool:
        """Whether there was anything to remove."""
        before = self.get(name) is not None
        self.set(name, None)
        return before


class ProjectFlags:
    """A project's own flags, without what it inherits."""

    scope: Scope = "project"

    def __init__(self, config: Config, project: Project) -> None:
        self._config = config
        self._project = project

    def list(self, pattern: str | None = None) -> dict[str, FlagValue]:
        return matching(self._config.current(self._project).flags, pattern)

    def get(self, name: str) -> FlagValue | None:
        return self._config.current(self._project).flags.get(check_flag_name(name))

    def set(self, name: str, value: FlagValue | None = True, *, expected: Expected = ANY) -> FlagValue | None:
        """As for global flags; removing one brings back the global value."""
        stored = None if value is None else check_flag(name, value, self.scope)
        check_flag_name(name)
        wanted = _as_stored(name, expected)

        def edit(project: Project) -> Project:
            _compare(name, project.flags.get(name), wanted)
            return project.with_flag(name, stored)

        self._config.change_project(self._project, edit)
        return stored

    def remove(self, name: str) -> bool:
        before = self.get(name) is not None
        self.set(name, None)
        return before


def resolved_flags(config: Config, project: Project | None, team: Project | None = None) -> dict[str, Flag]:
    """What holds in a project: its own flags, over those of its team, over the global ones."""
    flags = {name: Flag(value, "global") for name, value in config.feature_flags().items()}
    if team is not None:
        flags.update({name: Flag(value, "team") for name, value in team.flags.items()})
    if project is not None:
        own = config.current(project).flags
        flags.update({name: Flag(value, "project") for name, value in own.items()})
    return dict(sorted(flags.items()))


def matching(flags: Mapping[str, V], pattern: str | None) -> dict[str, V]:
    """The flags whose name is, or matches, the pattern; sorted by name."""
    return {name: flags[name] for name in sorted(flags) if pattern is None or fnmatch.fnmatchcase(name, pattern)}


def _with(flags: Mapping[str, FlagValue], name: str, value: FlagValue | None) -> dict[str, FlagValue]:
    rest = {key: kept for key, kept in flags.items() if key != name or value is not None}
    return rest if value is None else {**rest, name: value}


def _as_stored(name: str, expected: Expected) -> Expected:
    """An expected value as the flag would have it: `on` is kept as true."""
    return expected if expected is ANY or expected is None else checked_value(name, expected)


def _compare(name: str, current: FlagValue | None, expected: Expected) -> None:
    if expected is not ANY and (current != expected or type(current) is not type(expected)):
        raise Conflict(
            f"the flag {name} does not have the expected value",
            hint="Read it again and decide anew.",
            details={"name": name, "value": current},
        )
