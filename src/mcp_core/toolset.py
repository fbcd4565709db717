"""A tool set: what belongs together, is switched together, and answers in one shape.

A set says by import paths where its parts are, so that reading the list of sets costs nothing and a set
that cannot be loaded stops nobody else.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from mcp_core.arguments import ToolArguments
from mcp_core.envelope import Envelope, ResultEnvelope
from mcp_core.resources import ResourceProvider
from mcp_core.spec import ToolSpec

__all__ = ["LiveTools", "Need", "ToolSet", "resolve"]


class LiveTools(Protocol):
    """Tools that come from data (files, a configuration) and may change while the server runs."""

    def specs(self) -> Iterable[ToolSpec]:
        """The tools as they are now."""
        ...

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed`, from any thread, when `specs` would give something else; returns what ends it."""
        ...


@dataclass(frozen=True, slots=True)
class Need:
    """A part that a set uses: is it there, and if not, what to do. `vital`: the set is useless without it."""

    name: str
    present: bool
    detail: str = ""
    fix: str = ""
    vital: bool = False


@dataclass(frozen=True, slots=True)
class ToolSet:
    """The declaration of a set; strings are import paths, `package.module` or `package.module:name`."""

    name: str
    summary: str
    modules: tuple[str, ...] = ()
    envelope: str | None = None
    resources: str | None = None
    prompts: tuple[str, ...] = ()
    needs: str | None = None
    live: str | None = None
    default_prefix: bool = False
    hidden: bool = False
    instructions: str = ""

    def load(self) -> tuple[ToolSpec, ...]:
        """Import the modules and give the tools that they declare for this set."""
        for module in self.modules:
            importlib.import_module(module)
        return ToolArguments.catalogue(self.name)

    def make_envelope(self) -> Envelope:
        if self.envelope is None:
            return ResultEnvelope()
        made: Envelope = resolve(self.envelope)()
        return made

    def make_resources(self) -> ResourceProvider | None:
        if self.resources is None:
            return None
        made: ResourceProvider = resolve(self.resources)()
        return made

    def make_live(self, workspace: Any) -> LiveTools | None:
        """The set's tools that come from data, of which the application's `workspace` knows."""
        if self.live is None:
            return None
        made: LiveTools = resolve(self.live)(workspace)
        return made

    def check_needs(self, settings: Any) -> list[Need]:
        """What the set uses and whether it is there; `settings` is the application's."""
        if self.needs is None:
            return []
        check: Callable[[Any], list[Need]] = resolve(self.needs)
        return check(settings)


def resolve(path: str) -> Any:
    """The object at `package.module:name`."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
