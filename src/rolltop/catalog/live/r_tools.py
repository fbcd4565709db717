"""R tools in one R process: load the package, call its functions, run its examples."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from rolltop.catalog.definition import Definition
from rolltop.catalog.live.answer import Answer, Ran
from rolltop.catalog.live.origin import Origin
from rolltop.confine import Limits, RAnswer, RWorker
from rolltop.errors import RolltopError

__all__ = ["RTools"]

_SUPPORT = "/run/rolltop/catalog.R"


class RTools:
    """One R process with one package in it. State lives as long as the process."""

    def __init__(
        self, origin: Origin, limits: Limits, max_print: int, initial: Mapping[str, Any] | None = None
    ) -> None:
        support = resources.files("rolltop.catalog.live").joinpath("support.R").read_bytes()
        self.origin = origin
        self.max_print = max_print
        self._worker = RWorker(origin.sandbox(limits, {_SUPPORT: support}), files=[_SUPPORT])
        self._initial = dict(initial or {})
        self._loaded_in = 0

    def call(
        self, definition: Definition, arguments: Mapping[str, Any], seconds: float, *, apart: bool = False
    ) -> Answer:
        """Call a tool's function with arguments that were found valid; `apart` leaves nothing behind."""
        self._ensure_loaded()
        given: dict[str, Any] = {
            "name": definition.function,
            "arguments": json.dumps(dict(arguments)),
            "types": {name: _type_words(schema) for name, schema in definition.parameters["properties"].items()},
            "max_print": self.max_print,
        }
        if apart:
            answer = self._ask(".rolltop$call_apart", given | {"seconds": seconds}, seconds + 5)
        else:
            answer = self._ask(".rolltop$call", given, seconds)
        value = answer.value
        return Answer(
            value=value.get("value"),
            text=value["text"],
            printed=answer.printed,
            warnings=answer.warnings,
            messages=answer.messages,
            images=tuple(value.get("images") or ()),
        )

    def run_example(self, code: str, seconds: float, max_print: int) -> Ran:
        """Run an example in a fork of this process."""
        self._ensure_loaded()
        # The worker's own limit is only the net below the one that the fork is held to.
        given = {"code": code, "seconds": seconds, "max_print": max_print}
        value = self._ask(".rolltop$example", given, seconds + 10).value
        return Ran(tuple(value["output"] or ()), float(value["seconds"]), value.get("failure"))

    def warm_up(self, _definition: Definition) -> None:
        """Start the process and load the package now; all tools of a package are loaded together."""
        self._ensure_loaded()

    def _ensure_loaded(self) -> None:
        """Load the package into a process that does not have it yet: the first, or one after a crash."""
        if self._loaded_in and self._loaded_in == self._worker.generation and self._worker.confinement is not None:
            return
        if self.origin.is_installed:
            self._ask(".rolltop$load_installed", {"package": self.origin.package}, 60)
        else:
            self._ask(".rolltop$load_source", {"package": self.origin.package}, 60)
        if self._initial:
            self._ask(".rolltop$set_state", {"values": self._initial}, 60)
        self._loaded_in = self._worker.generation

    def _ask(self, function: str, arguments: Mapping[str, Any], seconds: float) -> RAnswer:
        code = f"function(...) {function}(...)"
        try:
            return self._worker.call(code, arguments, timeout=seconds)
        except RolltopError as error:
            error.details.setdefault("package", self.origin.package)
            raise

    def close(self) -> None:
        self._worker.close()


def _type_words(schema: Mapping[str, Any]) -> dict[str, Any]:
    items = schema.get("items")
    return {"type": schema.get("type"), "items": items.get("type") if isinstance(items, dict) else None}
