"""What one client works with: a project, or none yet, and the flags of both scopes.

The methods of this module are for asynchronous callers: whatever waits for the disk or for another
writer does so in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rolltop.guide.content import Content, Limits
from rolltop.guide.errors import NoProject
from rolltop.guide.flags import FlagValue
from rolltop.guide.flagtables import ANY, Expected, FeatureFlags, Flag, ProjectFlags, resolved_flags
from rolltop.guide.model import Project
from rolltop.guide.names import check_flag_name

if TYPE_CHECKING:
    from rolltop.guide.guide import Guide

__all__ = ["AsyncFlags", "Session"]


class AsyncFlags:
    """A table of flags whose methods can be awaited."""

    def __init__(self, table: FeatureFlags | ProjectFlags) -> None:
        self.table = table

    async def list(self, pattern: str | None = None) -> dict[str, FlagValue]:
        return await asyncio.to_thread(self.table.list, pattern)

    async def get(self, name: str) -> FlagValue | None:
        return await asyncio.to_thread(self.table.get, name)

    async def set(self, name: str, value: FlagValue | None = True, *, expected: Expected = ANY) -> FlagValue | None:
        return await asyncio.to_thread(self.table.set, name, value, expected=expected)

    async def remove(self, name: str) -> bool:
        return await asyncio.to_thread(self.table.remove, name)


class Session:
    def __init__(self, guide: Guide, project: Project | None) -> None:
        self.guide = guide
        self._project = project

    @property
    def project(self) -> Project | None:
        """The project that is meant, if anything says which."""
        return self._project

    def feature_flags(self) -> AsyncFlags:
        """The global flags; they need no project."""
        return AsyncFlags(self.guide.feature_flags())

    def project_flags(self) -> AsyncFlags:
        """The project's own flags."""
        return AsyncFlags(self.guide.project_flags(self._bound()))

    async def resolved_flags(self) -> dict[str, Flag]:
        """What holds in the project: its own flags over its team's over the global ones."""
        bound = self._bound()
        return await asyncio.to_thread(lambda: resolved_flags(self.guide.config, bound, self.guide.team(bound)))

    async def resolve_flag(self, name: str) -> Flag:
        check_flag_name(name)
        return (await self.resolved_flags()).get(name, Flag(None, None))

    async def get_project(self) -> Project:
        """The project as it is now: what is stored for it over what its team committed."""
        return await asyncio.to_thread(self.guide.effective, self._bound())

    async def stored_project(self) -> Project:
        """The project as it is stored, without its team's part: what a change begins with."""
        return await asyncio.to_thread(self.guide.config.current, self._bound())

    async def update_project(self, edit: Callable[[Project], Project]) -> Project:
        """Change the project in one transaction: `edit` sees what is stored at that moment."""
        return await asyncio.to_thread(self.guide.config.change_project, self._bound(), edit)

    async def get_docroot(self) -> Path:
        return await asyncio.to_thread(self.guide.config.docroot)

    async def get_content(
        self, expression: str, pattern: str | None = None, *, offset: int = 0, limits: Limits | None = None
    ) -> Content:
        return await asyncio.to_thread(
            self.guide.content, self._bound(), expression, pattern, offset=offset, limits=limits
        )

    async def complete(self, text: str) -> list[str]:
        """How an expression may go on; nothing without a project."""
        if self._project is None:
            return []
        return await asyncio.to_thread(self.guide.complete, self._project, text)

    def _bound(self) -> Project:
        if self._project is None:
            raise NoProject(
                "nothing says which project is meant",
                hint="Name the project: its directory as an absolute path, or the name of one that is set up.",
            )
        return self._project
