"""The processes behind tools: one package in one language, whichever language it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from rolltop.catalog.definition import Definition
from rolltop.catalog.live.answer import Answer
from rolltop.catalog.live.origin import Origin
from rolltop.catalog.live.python_tools import PythonTools
from rolltop.catalog.live.r_tools import RTools
from rolltop.confine import Limits

__all__ = ["Tools", "tools_for"]


class Tools(Protocol):
    """A process that has a package, or gets it at the first call."""

    def call(self, definition: Definition, arguments: Mapping[str, Any], seconds: float) -> Answer: ...
    def warm_up(self, definition: Definition) -> None: ...
    def close(self) -> None: ...


def tools_for(
    origin: Origin, language: str, limits: Limits, max_print: int, initial: Mapping[str, Any] | None = None
) -> Tools:
    """A process for the tools of a package; `initial` is what their state begins with."""
    make: Callable[..., Tools] = PythonTools if language == "python" else RTools
    return make(origin, limits, max_print, initial)
