"""Opens a directory and builds the engines from settings: the composition root.

Several processes share one workspace: every part in it is made for that. Engines are built at first use,
so a server that only transforms data never opens the store.
"""

from __future__ import annotations

import contextlib
import json
import os
from functools import cached_property
from pathlib import Path

from rolltop.errors import InvalidData, PermissionDenied
from rolltop.files import Files
from rolltop.journal import Journal
from rolltop.settings import Settings

__all__ = ["FORMAT", "Workspace"]

FORMAT = 1
"""The layout of the directory; a newer one is refused, never rewritten."""


class Workspace:
    """What tools, commands and pages work with."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.root = settings.workspace

    def prepare(self) -> Path:
        """Make the directory if it is not there, private to the user, and check that it is ours."""
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._check_marker()
        except OSError as error:
            raise PermissionDenied(
                f"the workspace {self.root} cannot be used: {error.strerror}",
                hint="Choose another with --workspace DIR or ROLLTOP_WORKSPACE.",
            ) from None
        return self.root

    def _check_marker(self) -> None:
        marker = self.root / "workspace.json"
        try:
            found = json.loads(marker.read_text("utf-8"))["format"]
        except FileNotFoundError:
            self._write_marker(marker)
            return
        except (ValueError, KeyError, TypeError):
            raise InvalidData(
                f"{marker} is not a workspace marker", hint="Restore it, or choose another workspace."
            ) from None
        if not isinstance(found, int) or found > FORMAT:
            raise InvalidData(
                f"the workspace {self.root} was made by a newer rolltop (format {found})", hint="Upgrade rolltop."
            )

    @staticmethod
    def _write_marker(marker: Path) -> None:
        # Several processes may start at once: each writes the same bytes and the last rename wins.
        temporary = marker.with_name(f".{marker.name}.{os.getpid()}")
        temporary.write_text(json.dumps({"format": FORMAT}) + "\n", "utf-8")
        temporary.replace(marker)

    @cached_property
    def files(self) -> Files:
        """The one way to open a file of the user's."""
        return Files.from_settings(self.settings)

    @cached_property
    def journal(self) -> Journal:
        return Journal(self.prepare() / "journal.sqlite")

    def close(self) -> None:
        """Close what was opened, in any state."""
        for name in ("journal",):
            part = self.__dict__.pop(name, None)
            if part is not None:
                with contextlib.suppress(OSError):
                    part.close()
