"""The seam between tools and the processes that run them: one adapter per language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from rolltop.catalog.definition import Definition
from rolltop.catalog.live.answer import Answer
from rolltop.catalog.live.origin import Origin
from rolltop.catalog.live.python_tools import PythonTools
from rolltop.catalog.live.r_tools import RTools
from rolltop.confine import Cancel, Limits
from rolltop.confine.warm_process import WarmProcess

__all__ = ["Ask", "Tools", "tools_for"]

Ask = Callable[[Mapping[str, Any], float], dict[str, Any]]
"""Sends a request to a process, with its seconds, and returns the answer."""


class Tools(Protocol):
    """The tools of one package in one language: how to start a process for them, and how to call one."""

    def start(self, *, template: bool = False, cancel: Cancel | None = None) -> WarmProcess:
        """A process that has the package; as a `template` it forks for each call. `cancel` ends the start."""
        ...

    def prepare(self, process: WarmProcess, definition: Definition) -> None:
        """Load what the tool needs, as far as that is not done yet."""
        ...

    def keeps_state(self, definition: Definition) -> bool:
        """Whether a tool uses the state of its session; known once a process was started."""
        ...

    def call(self, ask: Ask, definition: Definition, arguments: Mapping[str, Any], seconds: float) -> Answer:
        """Call a tool's function with arguments that were found valid."""
        ...


def tools_for(
    origin: Origin, language: str, limits: Limits, max_print: int, initial: Mapping[str, Any] | None = None
) -> Tools:
    """The tools of a package; `initial` is what their state begins with."""
    make: Callable[..., Tools] = PythonTools if language == "python" else RTools
    return make(origin, limits, max_print, initial)
