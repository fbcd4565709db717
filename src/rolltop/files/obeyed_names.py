"""Names of files that other programs execute or obey: tools do not write them unless the owner allows it.

A shell runs `.bashrc`, an editor obeys `.vscode`, pytest runs `conftest.py`: to write such a file is to run code
later, as the user. The table is by name, wherever the file lies; some directories count as a whole.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from rolltop.files.denied import plain_parts

__all__ = ["ObeyedNames"]

FOLDERS: dict[str, str] = {
    "hooks": "hooks that a program runs",
    "autostart": "programs that start with the session",
    "systemd": "services",
    "launchagents": "services",
    "launchdaemons": "services",
    "cron.d": "jobs",
    "cron.daily": "jobs",
    "cron.hourly": "jobs",
    "site-packages": "code that Python imports",
    "dist-packages": "code that Python imports",
    "node_modules": "code that Node imports",
    "startup": "programs that start with the session",
    "application support": "settings of other programs",
    "appdata": "settings of other programs",
}
"""Directories in which everything is executed or obeyed."""

FILES: dict[str, str] = {
    "*.pth": "code that Python runs at start",
    "sitecustomize.py": "code that Python runs at start",
    "usercustomize.py": "code that Python runs at start",
    "conftest.py": "code that pytest runs",
    "pytest.ini": "settings of pytest",
    "tox.ini": "settings of a test runner",
    "noxfile.py": "code that a test runner runs",
    "setup.py": "code that an installer runs",
    "setup.cfg": "settings of an installer",
    "pyproject.toml": "settings of an installer",
    "makefile": "commands that make runs",
    "gnumakefile": "commands that make runs",
    "*.mk": "commands that make runs",
    "cmakelists.txt": "commands that cmake runs",
    "justfile": "commands",
    "rakefile": "commands",
    "gemfile": "commands",
    "package.json": "commands that npm runs",
    "dockerfile": "commands that docker runs",
    "dockerfile.*": "commands that docker runs",
    "docker-compose*.yml": "commands that docker runs",
    "docker-compose*.yaml": "commands that docker runs",
    "compose.yml": "commands that docker runs",
    "compose.yaml": "commands that docker runs",
    "jenkinsfile": "commands",
    "vagrantfile": "commands",
    "procfile": "commands",
    "*.desktop": "a starter",
    "*.service": "a service",
    "*.timer": "a service",
    "*.socket": "a service",
    "*.plist": "a service",
    "*.code-workspace": "settings of an editor",
    "crontab": "jobs",
    "authorized_keys": "keys that may log in",
    "rprofile.site": "code that R runs at start",
    "renviron.site": "settings of R",
    "mcp.json": "settings of an agent",
    "claude.md": "instructions of an agent",
    "claude_desktop_config.json": "settings of an agent",
    "agents.md": "instructions of an agent",
    "agent.md": "instructions of an agent",
    "gemini.md": "instructions of an agent",
    "copilot-instructions.md": "instructions of an agent",
    "llms.txt": "instructions of an agent",
}
"""File names, with what they are to other programs."""

_FILE_NAMES = re.compile("|".join(f"({fnmatch.translate(name)})" for name in FILES))
_FILE_MEANINGS = ["", *FILES.values()]


@dataclass(frozen=True)
class ObeyedNames:
    """The table, ready to be asked. `allowed` are patterns of names that the owner opened."""

    allowed: tuple[str, ...] = ()
    programs: tuple[Path, ...] = field(default_factory=lambda: program_directories(os.environ.get("PATH", "")))
    """Directories that commands are looked for in."""

    def why(self, place: Path, root: Path) -> str | None:
        """What a new file at `place` would be to other programs; None if it is nothing to them.

        Names above `root` are the owner's choice and do not count.
        """
        below = plain_parts(place.relative_to(root).parts)
        for number, name in enumerate(below, 1):
            meaning = _meaning(name, is_file=number == len(below))
            if meaning and not self._is_allowed(name):
                return meaning
        if any(place.parent == folder for folder in self.programs):
            return "a command that a shell finds by its name"
        if _is_bare_repository(place.parent):
            return "a part of a git repository"
        return None

    def _is_allowed(self, name: str) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern.casefold()) for pattern in self.allowed)


def program_directories(path: str) -> tuple[Path, ...]:
    """The directories of a search path, resolved."""
    return tuple(dict.fromkeys(Path(os.path.realpath(part)) for part in path.split(os.pathsep) if os.path.isabs(part)))


def _meaning(name: str, *, is_file: bool) -> str | None:
    if name.startswith("."):
        return "hidden files and folders hold their settings"
    if not is_file:
        return FOLDERS.get(name)
    found = _FILE_NAMES.fullmatch(name)
    return _FILE_MEANINGS[found.lastindex or 0] if found else None


def _is_bare_repository(folder: Path) -> bool:
    names: Iterable[str] = ("HEAD", "objects", "refs")
    return all((folder / name).exists() for name in names)
