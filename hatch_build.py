"""Put the manual pages into the source archive (man/) and the wheel (share/man/man1), made from the commands."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualPages(BuildHookInterface):  # type: ignore[type-arg]
    """The commands import engines when they run, so that click alone is needed here."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root) / "src"))
        from rolltop.cli.main import cli  # noqa: PLC0415 - from the sources that are built
        from rolltop.cli.manual import manual_pages  # noqa: PLC0415

        folder = Path(tempfile.mkdtemp(prefix="rolltop-man-"))
        wanted = build_data["shared_data"] if self.target_name == "wheel" else build_data["force_include"]
        place = "share/man/man1" if self.target_name == "wheel" else "man"
        for name, page in manual_pages(cli).items():
            (folder / name).write_text(page, "utf-8")
            wanted[str(folder / name)] = f"{place}/{name}"
        self._folder = folder

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            for page in self._folder.iterdir():
                page.unlink()
            self._folder.rmdir()
