"""The description of a sandbox: what the program sees and what it may use."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rolltop.confine.limits import Limits
from rolltop.confine.result import Rung
from rolltop.errors import InvalidInput

__all__ = ["Mount", "Sandbox"]

RESERVED = ("/", "/proc", "/dev", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc")
"""Places of the sandbox's own system; a mount over one of them would change what the limits rest on."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A file or directory of this machine at a place inside the sandbox; read-only unless told otherwise."""

    source: Path
    target: str
    writable: bool = False

    def __post_init__(self) -> None:
        if not self.source.is_absolute():
            raise InvalidInput("the source of a mount must be an absolute path")
        if "\0" in str(self.source):
            raise InvalidInput("a mount's paths cannot contain NUL")
        _check_target(self.target)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Everything a confined program gets: system directories read-only, its mounts, an own /tmp, limits.

    `files` are put into the sandbox read-only: text by its place, without a file on this machine.
    The environment holds only PATH, HOME=/tmp, LANG=C.UTF-8, TZ and what `env` adds.
    `unreadable` names those of `files` that are programs: they can be started and not read, so that the kernel closes
    the memory of their processes to all others. `reaper` puts a shell of that kind before the program, as the first
    process of its namespace: it waits for what the program's jobs leave behind, so that ended processes do not count.
    `rungs` are the kinds of confinement that are good enough, see `rolltop.confine.sandbox_backends`.
    `user` is whom the program runs as when rolltop runs as root; an ordinary user's programs run as that
    user. `allow_unconfined` lets the program run with limits alone where the machine offers no
    confinement; without it such a run is refused. Where either is None the policy of the process decides.
    """

    limits: Limits = field(default_factory=Limits)
    mounts: tuple[Mount, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    unreadable: frozenset[str] = frozenset()
    reaper: bool = False
    cwd: str = "/tmp"  # noqa: S108 - the sandbox's own
    user: str | int | None = None
    rungs: tuple[Rung, ...] = ("bwrap", "landlock")
    allow_unconfined: bool | None = None

    def __post_init__(self) -> None:
        for target in self.files:
            _check_target(target)
        for name, value in self.env.items():
            if not name or "=" in name or "\0" in name or "\0" in value:
                raise InvalidInput("the name of an environment variable is empty, or has = or NUL in it")

    @property
    def environment(self) -> dict[str, str]:
        """The whole environment of the program."""
        base = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "TZ": "UTC"}  # noqa: S108
        return base | {"TMPDIR": "/tmp"} | dict(self.env)  # noqa: S108


def _check_target(target: str) -> None:
    if "\0" in target or not target.startswith("/") or target.startswith("//") or posixpath.normpath(target) != target:
        raise InvalidInput("a place inside the sandbox must be an absolute, normal path such as /job")
    if target in RESERVED or target.startswith(("/proc/", "/dev/")):
        raise InvalidInput(f"nothing can be mounted over {target}")
