"""The settings of the engine: `[reports]` in the configuration file, `ROLLTOP_REPORTS_*` in the environment."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from rolltop.errors import InvalidInput
from rolltop.reports.job import Engine
from rolltop.settings import values as read

__all__ = ["RendererName", "ReportsConfig"]

RendererName = Literal["auto", "local", "docker", "compose"]

MIB = 1 << 20

Count = int
"""A number of things of which there has to be one: without a slot no render would ever begin."""


@dataclass(frozen=True, slots=True)
class ReportsConfig:
    """Defaults are what a laptop can bear and the requirement asks for."""

    renderer: RendererName = "auto"
    """Where to render when a call does not say: local R if there is one, else Docker."""
    engine: Engine = "rmarkdown"
    timeout: float = 120.0
    """Seconds that one render may take, unless the call says otherwise."""
    max_timeout: float = 900.0
    memory: Count = 1024
    """MiB that a render may use."""
    processes: Count = 128
    tmp_size: Count = 256
    """MiB of scratch space."""
    output_limit: Count = 64
    """MiB that one render may answer with."""
    side_limit: int = 32
    """MiB of side files that go into a render."""
    slots: Count = 2
    """Renders at a time."""
    queue: int = 16
    """Renders that may wait."""
    warm: bool = True
    """Keep a warm R between renders, forked for each; false: a new sandbox and a new R every time."""
    warm_uses: Count = 100
    """Renders after which a warm R is replaced."""
    preload: tuple[str, ...] = ("ggplot2",)
    """R packages that a warm R loads in advance for documents that mention them."""
    libraries: tuple[str, ...] = ()
    """Directories of R packages beyond those that R knows of."""
    python_libraries: tuple[str, ...] = ()
    """Directories of Python packages for Python chunks, and of DuckDB for SQL chunks where it is not rolltop's own."""
    cran: str = ""
    """CRAN mirror that `rolltop reports packages install` takes packages from; none is asked unless it is set."""
    cache_limit: int = 256
    """MiB of results kept for unchanged documents; 0 keeps none."""
    docker_host: str = ""
    """The container engine, such as unix:///run/docker.sock; `DOCKER_HOST` and the usual places when empty."""
    image_base: str = "auto"
    """Base of the image: a reference, `debian` for a bootstrap from packages, or `auto`."""
    packages: tuple[str, ...] = ()
    """R packages to put into the image beyond its own."""
    mirror: str = ""
    """Debian mirror for the bootstrap, when the default is not reachable."""
    allow_unconfined: bool = False
    """Let a local R run with limits alone where the machine offers no sandbox."""

    @classmethod
    def read(cls, section: Mapping[str, Any]) -> ReportsConfig:
        """Check and convert a section; an unknown or malformed entry is named."""
        known = {field.name: field for field in fields(cls)}
        values: dict[str, Any] = {}
        for key, value in section.items():
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                raise InvalidInput(
                    f"[reports] has an unknown setting {key!r}" + (f"; did you mean {near[0]}?" if near else "")
                )
            try:
                values[key] = _CONVERT[str(known[key].type)](value)
            except (ValueError, TypeError):
                raise InvalidInput(f"the setting {key} of [reports] must be {_MEANING[str(known[key].type)]}") from None
        return cls(**values)


def _choice(*choices: str) -> Callable[[Any], str]:
    def convert(value: Any) -> str:
        if value not in choices:
            raise ValueError(value)
        return str(value)

    return convert


def _boolean(value: Any) -> bool:
    return value if isinstance(value, bool) else read.boolean(str(value))


def _natural(value: Any) -> int:
    number = int(value)
    if number < 0:
        raise ValueError(value)
    return number


def _count(value: Any) -> int:
    number = _natural(value)
    if number == 0:
        raise ValueError(value)
    return number


def _seconds(value: Any) -> float:
    number = float(value)
    if not 0 < number < 1e6:
        raise ValueError(value)
    return number


def _words(value: Any) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    return tuple(str(item).strip() for item in items if str(item).strip())


_CONVERT: Mapping[str, Callable[[Any], Any]] = {
    "RendererName": _choice("auto", "local", "docker", "compose"),
    "Engine": _choice("rmarkdown", "fast"),
    "bool": _boolean,
    "int": _natural,
    "Count": _count,
    "float": _seconds,
    "str": str,
    "tuple[str, ...]": _words,
}

_MEANING: Mapping[str, str] = {
    "RendererName": "auto, local, docker or compose",
    "Engine": "rmarkdown or fast",
    "bool": "true or false",
    "int": "a whole number, not below 0",
    "Count": "a whole number, at least 1",
    "float": "a number of seconds above 0",
    "str": "a text",
    "tuple[str, ...]": "a list of names",
}
