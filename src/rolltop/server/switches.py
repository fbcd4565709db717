"""Tools that the owner switched off on the page: agents do not see or call them, in any process of the workspace."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp_core import ToolContext
from mcp_core.registry import ToolExcluded
from rolltop.base.atomic_files import write_file
from rolltop.errors import Damaged

__all__ = ["FILE", "Switches"]

FILE = "switched-off.json"
OWNERS = ("page", "cli")
"""Transports of the owner, who may use everything."""


class Switches:
    """The names in `switched-off.json`, read again when another process changed it."""

    def __init__(self, root: Path, prepare: Callable[[], object]) -> None:
        self._path, self._prepare = root / FILE, prepare
        self._stamp: tuple[int, int] | None = None
        self._off: frozenset[str] = frozenset()

    def off(self) -> frozenset[str]:
        """Plain names of the tools that are switched off."""
        try:
            status = os.stat(self._path)
        except OSError:
            return frozenset()
        stamp = (status.st_mtime_ns, status.st_ino)
        if stamp != self._stamp:
            try:
                self._off = frozenset(str(name) for name in json.loads(self._path.read_text("utf-8")))
            except (ValueError, TypeError):
                raise Damaged(f"{self._path} is damaged", hint="Remove it and switch tools off again.") from None
            self._stamp = stamp
        return self._off

    def switch(self, name: str, *, on: bool) -> None:
        self._prepare()
        names = self.off() - {name} if on else self.off() | {name}
        write_file(self._path, (json.dumps(sorted(names)) + "\n").encode())

    def refuse(self, name: str, ctx: ToolContext[Any]) -> None:
        """Raise `ToolExcluded` for an agent's call of a tool that is switched off."""
        if ctx.client.transport not in OWNERS and name in self.off():
            raise ToolExcluded(name)
