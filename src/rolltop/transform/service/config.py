"""How the service is set up: limits of one run, examples, and whether a daemon does the work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rolltop.errors import InvalidInput

__all__ = ["ServiceConfig"]

_NUMBERS = {"timeout": 5000, "max_memory_mb": 100, "workers": 16, "daemon_timeout": 10_000, "daemon_retries": 3}
_WORDS = ("daemon_url", "daemon_token", "index_path", "suite", "registry", "rebuild_on_startup")


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """What the section `transform` of the settings says."""

    timeout: float = 5.0
    """Seconds that one job may take."""
    memory: int = 100 << 20
    """Bytes that one job may use beyond what a worker starts with."""
    workers: int = 16
    """Jobs at once; a hostile one holds its worker until its time is over, and the others go on."""
    user: str | None = None
    """Whom workers run as when rolltop runs as root."""
    daemon_url: str | None = None
    """A daemon that does the work instead of own workers."""
    daemon_token: str | None = field(default=None, repr=False)
    """The token that the daemon asks for."""
    daemon_timeout: float = 10.0
    daemon_retries: int = 3
    suite: Path | None = None
    """A directory of conformance cases, examples in addition to our own."""
    registry: Path | None = None
    """A file of functions, told about in addition to our own."""
    index_path: Path | None = None
    """Where the examples are kept, read, for the next start."""
    rebuild_on_startup: bool = False

    @classmethod
    def from_section(cls, section: Mapping[str, Any], user: str | None = None) -> ServiceConfig:
        """Times in milliseconds, memory in MB; unknown keys are refused."""
        for key in section:
            if key not in _NUMBERS and key not in _WORDS:
                known = ", ".join([*_NUMBERS, *_WORDS])
                raise InvalidInput(f"the setting transform.{key} is unknown", hint=f"Known are {known}.")
        numbers = {key: _positive(key, section.get(key, default)) for key, default in _NUMBERS.items()}
        return cls(
            timeout=numbers["timeout"] / 1000,
            memory=numbers["max_memory_mb"] << 20,
            workers=numbers["workers"],
            user=user,
            daemon_url=_url(section.get("daemon_url")),
            daemon_token=section.get("daemon_token") or None,
            daemon_timeout=numbers["daemon_timeout"] / 1000,
            daemon_retries=numbers["daemon_retries"],
            suite=_path(section.get("suite")),
            registry=_path(section.get("registry")),
            index_path=_path(section.get("index_path")),
            rebuild_on_startup=str(section.get("rebuild_on_startup", "false")).lower() in ("true", "1", "yes", "on"),
        )


def _positive(key: str, value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = -1
    least = 0 if key == "daemon_retries" else 1
    if number < least:
        raise InvalidInput(f"the setting transform.{key} must be a whole number, at least {least}")
    return number


def _url(value: Any) -> str | None:
    if not value:
        return None
    text = str(value).rstrip("/")
    if not text.startswith(("http://", "https://")):
        raise InvalidInput("the setting transform.daemon_url must begin with http:// or https://")
    return text


def _path(value: Any) -> Path | None:
    return Path(str(value)).expanduser() if value else None
