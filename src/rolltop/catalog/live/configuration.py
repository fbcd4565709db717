"""The settings of the catalog: the section `[catalog]`, or `ROLLTOP_CATALOG_*`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from rolltop.errors import InvalidInput

__all__ = ["CatalogSettings"]


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

    @classmethod
    def from_section(
        cls, section: Mapping[str, Any], serve: tuple[str, ...] = (), groups: tuple[str, ...] = ()
    ) -> CatalogSettings:
        """Read a section; unknown keys and impossible values are refused. `serve` adds, `groups` replaces."""
        known = {field.name: field for field in fields(cls)}
        values: dict[str, Any] = {}
        for key, value in section.items():
            if key not in known:
                raise InvalidInput(f"[catalog] has no setting {key!r}", hint=f"It has: {', '.join(known)}.")
            values[key] = _parsed(key, value, str(known[key].type))
        values["groups"] = groups or values.get("groups", ())
        values["serve"] = (*values.get("serve", ()), *serve)
        return cls(**values)


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
