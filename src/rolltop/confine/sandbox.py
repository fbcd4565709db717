"""The description of a sandbox: what the program sees (`Mount`, `Sandbox`) and what it may use (`Limits`)."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rolltop.confine.kernel.loopback import PROXY_PORT
from rolltop.confine.result import Rung
from rolltop.errors import InvalidInput

__all__ = ["SYSTEM_DEVICES", "SYSTEM_LINKS", "SYSTEM_READ", "Limits", "Mount", "Sandbox"]


KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Limits:
    """Hard limits; reaching one ends the program and is named in `Finished.reason`.

    `memory` holds twice: as address space of every single process (the kernel refuses more, unless
    `address_space` says otherwise), and as resident memory of all processes together (rolltop watches, and kills).
    """

    seconds: float = 60.0
    """Wall clock, from start to end."""
    cpu_seconds: int | None = None
    """Processor time of one process; as much as `seconds` allows when None."""
    memory: int = GIB
    address_space: int | None = None
    """Addresses of one process, as much as `memory` when None; some runtimes reserve far more than they use."""
    processes: int = 64
    """Processes and threads together."""
    file_size: int = 256 * MIB
    """Largest single file."""
    disk: int = 512 * MIB
    """All files in the writable mounts together, checked several times a second."""
    tmp_size: int = 256 * MIB
    """Size of the program's own /tmp."""
    open_files: int = 256
    output: int = 8 * MIB
    """Largest standard output, and as much again for standard error."""

    def __post_init__(self) -> None:
        for name in ("seconds", "memory", "processes", "file_size", "disk", "tmp_size", "open_files", "output"):
            if not getattr(self, name) > 0:
                raise InvalidInput(f"the limit {name} must be above 0")
        if self.cpu_seconds is not None and self.cpu_seconds < 1:
            raise InvalidInput("the limit cpu_seconds must be at least 1")

        if self.address_space is not None and self.address_space < self.memory:
            raise InvalidInput("the limit address_space cannot be below memory")

    @property
    def addresses(self) -> int:
        """Bytes for RLIMIT_AS."""
        return self.memory if self.address_space is None else self.address_space

    @property
    def cpu(self) -> int:
        """Processor seconds for RLIMIT_CPU, which counts whole ones."""
        return self.cpu_seconds if self.cpu_seconds is not None else int(self.seconds) + 1


_PROXY = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), f"http://127.0.0.1:{PROXY_PORT}")

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
    `hosts` are those that the program may connect to, through an HTTP proxy outside of the sandbox: `name` (ports 80
    and 443), `name:port`, `*.domain`, or `*` for all that are public. Without any there is no network.
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
    hosts: tuple[str, ...] = ()
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
        return base | {"TMPDIR": "/tmp"} | (_PROXY if self.hosts else {}) | dict(self.env)  # noqa: S108


def _check_target(target: str) -> None:
    if "\0" in target or not target.startswith("/") or target.startswith("//") or posixpath.normpath(target) != target:
        raise InvalidInput("a place inside the sandbox must be an absolute, normal path such as /job")
    if target in RESERVED or target.startswith(("/proc/", "/dev/")):
        raise InvalidInput(f"nothing can be mounted over {target}")


SYSTEM_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Links into /usr on a merged system, directories elsewhere."""

SYSTEM_READ = (
    "/usr",
    "/etc/alternatives",
    "/etc/dpkg",  # dpkg-query fails where it cannot read its configuration
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/papersize",
    "/etc/R",
    "/etc/texmf",
    "/opt/R",
    "/var/cache/fontconfig",
    "/var/lib/dpkg",  # Debian's rmarkdown asks dpkg-query where jquery is
    "/var/lib/texmf",
)
"""System files that programs need and that hold no secrets: no /etc/passwd, no /home, nothing else of /var."""

SYSTEM_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
"""Devices for the rungs that have no /dev of their own."""
