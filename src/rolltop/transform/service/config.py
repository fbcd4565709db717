"""How the service is set up: limits of one run, how many may run at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rolltop.errors import InvalidInput

__all__ = ["ServiceConfig"]


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """What `[transform]` of the configuration file and `ROLLTOP_TRANSFORM_*` set."""

    timeout: float = 5.0
    """Seconds that one job may take."""
    memory: int = 100 << 20
    """Bytes that one job may use beyond what a worker starts with."""
    workers: int = 16
    """Jobs at once; a hostile one holds its worker until its time is over, and the others go on."""
    user: str | None = None
    """Whom workers run as when rolltop runs as root."""

    @classmethod
    def from_section(cls, section: Mapping[str, Any], user: str | None = None) -> ServiceConfig:
        """`timeout` in milliseconds, `max_memory_mb`, `workers`; other keys are refused."""
        known = {"timeout": 5000, "max_memory_mb": 100, "workers": 16}
        unknown = [key for key in section if key not in known]
        if unknown:
            raise InvalidInput(f"the setting transform.{unknown[0]} is unknown", hint=f"Known are {', '.join(known)}.")
        numbers = {key: _positive(key, section.get(key, default)) for key, default in known.items()}
        return cls(numbers["timeout"] / 1000, numbers["max_memory_mb"] << 20, numbers["workers"], user)


def _positive(key: str, value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if number <= 0:
        raise InvalidInput(f"the setting transform.{key} must be a whole number above 0")
    return number
