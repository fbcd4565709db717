"""Declared tools (`Collection`), and the tools of one server by their registered names (`Registry`)."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcp_core.description import describe, expand_schema
from mcp_core.envelope import Envelope, ResultEnvelope
from mcp_core.schema import brief_schema, listed_schema
from mcp_core.spec import ToolFunction, ToolSpec

__all__ = ["Collection", "DuplicateTool", "Registered", "Registry", "ToolExcluded"]


class DuplicateTool(ValueError):
    """Two tools have the same name; the message names both places."""

    def __init__(self, name: str, first: str, second: str) -> None:
        super().__init__(f"two tools are called {name!r}: {first} and {second}")


class Collection:
    """Declared tools, until a server takes them.

    `drain` hands over each *pending* tool once; the *catalogue* keeps all of them, for a second server in the same
    process. Tools are declared at import time, where nothing can be awaited, so a thread lock guards both.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._pending: dict[str, ToolSpec] = {}
        self._catalogue: dict[tuple[str, str], ToolSpec] = {}

    def add(self, spec: ToolSpec) -> None:
        with self._lock:
            self._refuse_duplicate(spec)
            self._pending[spec.name] = spec
            self._catalogue[spec.toolset, spec.name] = spec

    def _refuse_duplicate(self, spec: ToolSpec) -> None:
        known = self._pending.get(spec.name)
        if known is None and spec.toolset:
            known = self._catalogue.get((spec.toolset, spec.name))
        # The same place again is a reloaded module, not a second tool.
        if known is not None and _place(known) != _place(spec):
            raise DuplicateTool(spec.name, known.source, spec.source)

    def drain(self) -> dict[str, ToolFunction]:
        """Remove and return the functions declared since the last drain, by name."""
        with self._lock:
            drained, self._pending = self._pending, {}
        return {name: spec.func for name, spec in drained.items()}

    def specs(self, toolset: str | None = None) -> tuple[ToolSpec, ...]:
        """The catalogue, in declaration order: all of it, or one tool set's."""
        with self._lock:
            return tuple(spec for spec in self._catalogue.values() if toolset is None or spec.toolset == toolset)

    def spec_of(self, func: ToolFunction) -> ToolSpec | None:
        with self._lock:
            return next((spec for spec in self._catalogue.values() if spec.func is func), None)


def _place(spec: ToolSpec) -> tuple[str, str]:
    return spec.source.rpartition(":")[0], spec.func.__qualname__


@dataclass(frozen=True)
class Registered:
    """A tool under the name that clients see. `run` is the function with its call logging.

    `name_of` resolves `{tool:…}` in the description. The description is made at first use, when all tools have
    their names.
    """

    name: str
    spec: ToolSpec
    run: ToolFunction
    envelope: Envelope
    name_of: Callable[[str], str]
    profile: str = "full"
    given_description: str | None = None
    publishes_output: bool = True
    """True if `tools/list` includes the output schema."""

    @cached_property
    def description(self) -> str:
        if self.given_description is not None:
            return self.given_description
        return describe(self.spec, self.profile, self.name_of)

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """The complete schema of the arguments; the list may show a shorter one."""
        schema: dict[str, Any] = expand_schema(self.spec.input_schema, self.name_of)
        return schema

    @cached_property
    def wire(self) -> dict[str, Any]:
        """The tool as `tools/list` shows it."""
        entry: dict[str, Any] = {"name": self.name}
        if self.spec.title:
            entry["title"] = self.spec.title
        if self.description:
            entry["description"] = self.description
        shown = brief_schema if self.profile == "compact" else dict if self.profile == "full" else listed_schema
        if "$schema" in self.spec.input_schema:  # it names its own dialect: published unchanged
            shown = dict
        entry["inputSchema"] = expand_schema(shown(self.spec.input_schema), self.name_of)
        if self.publishes_output:
            entry["outputSchema"] = self.envelope.output_schema(self.spec)
        entry["annotations"] = self.spec.annotations.wire()
        return entry


class ToolExcluded(Exception):
    """The owner excluded this tool."""

    error_type = "permission_denied"
    hint = "The owner of this server left it out (exclude_tools). Do without it."

    def __init__(self, name: str) -> None:
        super().__init__(f"the tool {name} is not available on this server")


class Registry:
    """Registered tools in order; names are unique. Tools in `excluded` can never be called."""

    def __init__(self, excluded: Iterable[str] = (), prefix: str = "", *, publishes_output: bool = True) -> None:
        self._publishes_output = publishes_output
        self._by_name: dict[str, Registered] = {}
        self._final: dict[str, str] = {}
        self._excluded = {form for name in excluded for form in (name, name.removeprefix(f"{prefix.rstrip('_')}_"))}

    def refuse_excluded(self, name: str) -> None:
        """Raise `ToolExcluded` if `name` is excluded. For tools that do the work of others."""
        if name in self._excluded or self.name_of(name) in self._excluded:
            raise ToolExcluded(name)

    def add(
        self,
        spec: ToolSpec,
        *,
        name: str,
        run: ToolFunction,
        envelope: Envelope | None = None,
        profile: str = "full",
        description: str | None = None,
    ) -> Registered:
        """Register `spec` under `name`. Tool names in its text are resolved later, when all tools are registered."""
        if (known := self._by_name.get(name)) is not None:
            raise DuplicateTool(name, known.spec.source, spec.source)
        self._final.setdefault(spec.name, name)
        registered = Registered(
            name,
            spec,
            run,
            envelope or ResultEnvelope(),
            self.name_of,
            profile,
            given_description=description,
            publishes_output=self._publishes_output,
        )
        self._by_name[name] = registered
        return registered

    def remove(self, name: str) -> None:
        registered = self._by_name.pop(name)
        self._final.pop(registered.spec.name, None)

    def find(self, name: str) -> Registered | None:
        return self._by_name.get(name)

    def by_plain_name(self, name: str) -> Registered | None:
        """Find a tool by its registered or its plain name."""
        return self._by_name.get(name) or self._by_name.get(self._final.get(name, ""))

    def name_of(self, plain: str) -> str:
        """The registered name of a tool, for text that a client reads."""
        return self._final.get(plain, plain)

    def nearest(self, name: str) -> str | None:
        """The registered name closest to `name`."""
        if name in self._final:
            return self._final[name]
        near = difflib.get_close_matches(name, self._by_name, n=1, cutoff=0.6)
        return near[0] if near else None

    def __iter__(self) -> Iterator[Registered]:
        # A copy: live tools may come and go in another thread.
        return iter(list(self._by_name.values()))

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name
