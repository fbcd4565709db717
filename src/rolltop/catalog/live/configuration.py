"""The settings of the catalog: the section `[catalog]`, or `ROLLTOP_CATALOG_*`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from rolltop.catalog.live.http_tools import Service
from rolltop.catalog.live.origin import Grants
from rolltop.confine import Mount
from rolltop.errors import InvalidInput

__all__ = ["CatalogSettings"]

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HOST = re.compile(r"(\*\.)?([A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")
_RESERVED = ("PATH", "HOME", "TMPDIR", "LANG", "LC_", "TZ", "LD_", "R_", "PYTHON", "ROLLTOP_")


@dataclass(frozen=True, slots=True)
class CatalogSettings:
    """How tools are called. Times are in seconds, memory in MiB."""

    serve: tuple[str, ...] = ()
    """Packages or paths whose tools are served."""
    groups: tuple[str, ...] = ()
    """Groups to serve; all when empty."""
    seconds: float = 60.0
    """Longest run of one call."""
    memory: int = 1024
    state_seconds: float = 3600.0
    """How long state is kept after its last use."""
    sessions: int = 16
    """Most callers whose state is kept at the same time."""
    max_print: int = 1000
    """Most lines of a result's description."""
    watch_seconds: float = 2.0
    """How often the files of served definitions are looked at."""
    folders: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    """By package: folders that its tools may read."""
    output_folders: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    """By package: the folder that its tools may write to."""

    secrets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By package: names of secrets (environment or keyring) that its tools find in their environment."""
    limits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By package: `seconds` and `memory` of its calls, instead of those above."""
    network: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By package: hosts that its tools may connect to; none for packages that are not here."""
    author_sessions: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    """By package: the folder of `mcp_session()`; while a session is open there, R tools run in it, not in a sandbox."""
    services: Mapping[str, Service] = field(default_factory=dict)
    """By package: where the service is whose OpenAPI document it has."""

    def grants_of(self, package: str) -> Grants:
        """What the owner lets the tools of a package see of this machine, at the places where it is, and use."""
        reads = [Mount(folder, str(folder)) for folder in self.folders.get(package, ())]
        writes = [Mount(folder, str(folder), writable=True) for folder in self.output_folders.get(package, ())]
        limits = self.limits.get(package, {})
        memory = int(limits["memory"]) << 20 if "memory" in limits else None
        hosts = self.network.get(package, ())
        return Grants((*reads, *writes), self.secrets.get(package, ()), limits.get("seconds"), memory, hosts)

    @classmethod
    def from_section(
        cls, section: Mapping[str, Any], serve: tuple[str, ...] = (), groups: tuple[str, ...] = ()
    ) -> CatalogSettings:
        """Read a section; unknown keys and impossible values are refused. `serve` adds, `groups` replaces."""
        known = {each.name: each for each in fields(cls)}
        values: dict[str, Any] = {}
        for key, value in section.items():
            if key not in known:
                raise InvalidInput(f"[catalog] has no setting {key!r}", hint=f"It has: {', '.join(known)}.")
            if key in ("folders", "output_folders"):
                values[key] = _folders(key, value)
            elif key == "author_sessions":
                values[key] = _folders(key, value, must_exist=False)
            elif key == "secrets":
                values[key] = _secrets(value)
            elif key == "network":
                values[key] = _network(value)
            elif key == "limits":
                values[key] = _limits(value)
            elif key == "services":
                values[key] = _services(value)
            else:
                values[key] = _parsed(key, value, str(known[key].type))
        values["groups"] = groups or values.get("groups", ())
        values["serve"] = (*values.get("serve", ()), *serve)
        return cls(**values)


def _folders(key: str, value: Any, *, must_exist: bool = True) -> dict[str, tuple[Path, ...]]:
    """A table: the name of a package, and its folder or folders."""
    if not isinstance(value, Mapping):
        raise InvalidInput(f"the setting catalog.{key} must be a table", hint=f'[catalog.{key}]\norchard = ["/data"]')
    found = {name: (given,) if isinstance(given, str) else given for name, given in value.items()}
    for name, given in found.items():
        if not isinstance(given, list | tuple) or not all(isinstance(each, str) for each in given):
            raise InvalidInput(f"catalog.{key}.{name} must be a folder or a list of folders")
        if key in ("output_folders", "author_sessions") and len(given) > 1:
            raise InvalidInput(f"catalog.{key}.{name} must be one folder")
    folders = {name: tuple(Path(each).expanduser().resolve() for each in given) for name, given in found.items()}
    for name, given in folders.items():
        if missing := [each for each in given if must_exist and not each.is_dir()]:
            raise InvalidInput(
                f"catalog.{key}.{name}: there is no folder {missing[0]}", hint="Make it, or leave it out."
            )
    return folders


def _secrets(value: Any) -> dict[str, tuple[str, ...]]:
    """A table: the name of a package, and the names of its secrets."""
    if not isinstance(value, Mapping):
        raise InvalidInput(
            "the setting catalog.secrets must be a table", hint='[catalog.secrets]\norchard = ["API_KEY"]'
        )
    found = {name: (given,) if isinstance(given, str) else given for name, given in value.items()}
    for name, given in found.items():
        if not isinstance(given, list | tuple) or not all(isinstance(each, str) for each in given):
            raise InvalidInput(f"catalog.secrets.{name} must be a name or a list of names")
        if wrong := [each for each in given if not _VARIABLE.fullmatch(each) or each.startswith(_RESERVED)]:
            raise InvalidInput(
                f"catalog.secrets.{name}: {wrong[0]!r} cannot be a secret of a tool",
                hint="Letters, digits and _; not PATH, HOME, R_* or others that programs obey.",
            )
    return {name: tuple(given) for name, given in found.items()}


def _network(value: Any) -> dict[str, tuple[str, ...]]:
    """A table: the name of a package, and its hosts; true is all public hosts, false none."""
    if not isinstance(value, Mapping):
        raise InvalidInput(
            "the setting catalog.network must be a table", hint='[catalog.network]\norchard = ["api.example.org"]'
        )
    whole: dict[Any, tuple[str, ...]] = {True: ("*",), False: ()}
    given = {name: whole[said] if isinstance(said, bool) else said for name, said in value.items()}
    found = {name: (said,) if isinstance(said, str) else said for name, said in given.items()}
    for name, hosts in found.items():
        if not isinstance(hosts, list | tuple) or not all(isinstance(each, str) for each in hosts):
            raise InvalidInput(f"catalog.network.{name} must be true, false, a host or a list of hosts")
        if wrong := [each for each in hosts if each != "*" and not _HOST.fullmatch(each)]:
            raise InvalidInput(
                f"catalog.network.{name}: {wrong[0]!r} is no host",
                hint="Such as api.example.org, api.example.org:8443, *.example.org or 192.0.2.7; no scheme, no path.",
            )
    return {name: tuple(each.lower() for each in hosts) for name, hosts in found.items()}


def _limits(value: Any) -> dict[str, dict[str, float]]:
    """A table for each package: seconds and memory (MiB) of its calls."""
    if not isinstance(value, Mapping) or not all(isinstance(given, Mapping) for given in value.values()):
        raise InvalidInput(
            "the setting catalog.limits must hold a table for each package",
            hint="[catalog.limits.orchard]\nseconds = 300\nmemory = 4096",
        )
    for name, given in value.items():
        if wrong := [key for key in given if key not in ("seconds", "memory")]:
            raise InvalidInput(f"catalog.limits.{name} has no setting {wrong[0]!r}", hint="It has: seconds, memory.")
    return {
        name: {key: _parsed(f"limits.{name}.{key}", number, "float") for key, number in given.items()}
        for name, given in value.items()
    }


def _services(value: Any) -> dict[str, Service]:
    """A table for each package: address, and what its secret is called and sent as."""
    known = [each.name for each in fields(Service)]
    if not isinstance(value, Mapping) or not all(isinstance(given, Mapping) for given in value.values()):
        raise InvalidInput("the setting catalog.services must hold a table for each package")
    for name, given in value.items():
        wrong = [key for key, said in given.items() if key not in known or not isinstance(said, str)]
        if wrong or "address" not in given:
            what = f"has no setting {wrong[0]!r} that is text" if wrong else "has no address"
            raise InvalidInput(f"catalog.services.{name} {what}", hint=f"It has: {', '.join(known)}.")
    return {name: Service(**given) for name, given in value.items()}


def _parsed(key: str, value: Any, kind: str) -> Any:
    try:
        if kind.startswith("tuple"):
            parts = value if isinstance(value, list | tuple) else str(value).split(",")
            return tuple(str(part).strip() for part in parts if str(part).strip())
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidInput(f"the setting catalog.{key} must be a number") from None
    if not 0 < number < 1e9:
        raise InvalidInput(f"the setting catalog.{key} must be above 0")
    return int(number) if kind == "int" else number
