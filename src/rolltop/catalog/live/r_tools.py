"""R tools in one R process: load the package, call its functions, run its examples."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from typing import Any

from rolltop.catalog.definition import Definition
from rolltop.catalog.live.answer import MOST_IMAGES, Answer, Ran, plots_left_out
from rolltop.catalog.live.origin import Origin
from rolltop.confine import Limits, RAnswer, RError, RWorker
from rolltop.errors import Cancelled, ForeignFailure, InvalidInput, RolltopError

__all__ = ["RTools"]

_PLACE = "/run/rolltop/catalog"
_SUPPORT = ("values.R", "data.R", "support.R")
_LOAD_SECONDS = 60.0


class RTools:
    """One R process with one package in it, for one call at a time. State lives as long as the process."""

    def __init__(
        self, origin: Origin, limits: Limits, max_print: int, initial: Mapping[str, Any] | None = None
    ) -> None:
        self.origin = origin
        self.max_print = max_print
        self._limits = limits
        self._initial = dict(initial or {})
        self._turn = threading.Lock()
        """Held from looking whether the package is loaded to the end of the call."""
        self._change = threading.Lock()
        self._worker: RWorker | None = None
        self._loaded_in = 0
        self._closed = False

    def call(self, definition: Definition, arguments: Mapping[str, Any], seconds: float) -> Answer:
        """Call a tool's function with arguments that were found valid."""
        _refuse_nul(arguments, "an argument")
        given: dict[str, Any] = {
            "name": definition.function,
            "arguments": json.dumps(dict(arguments)),
            "types": {name: _type_words(schema) for name, schema in definition.parameters["properties"].items()},
            "returns": _described(definition.returns or {}),
            "max_print": self.max_print,
            "max_images": MOST_IMAGES,
        }
        with self._turn:
            worker = self._loaded()
            try:
                answer = self._ask(worker, ".rolltop$call", given, seconds)
            except RError as error:
                raise _in_the_tool(error, definition.function) from None
            value = answer.value
            if not isinstance(value, dict) or not {"text", "plots"} <= value.keys():
                self._give_up(worker)
                raise ForeignFailure(
                    "the R process answered with something that is no answer, and was ended",
                    hint="The tool changed R itself. The next call starts a new process; its state is lost.",
                )
        return Answer(
            value=value.get("value"),
            text=value["text"],
            printed=answer.printed,
            warnings=(*answer.warnings, *plots_left_out(value["plots"])),
            messages=answer.messages,
            images=tuple(value.get("images") or ()),
        )

    def run_example(self, code: str, seconds: float, max_print: int) -> Ran:
        """Run an example in a fork of this process."""
        # The worker's own limit is only the net below the one that the fork is held to.
        given = {"code": code, "seconds": seconds, "max_print": max_print}
        with self._turn:
            value = self._ask(self._loaded(), ".rolltop$example", given, seconds + 10).value
        return Ran(tuple(value["output"] or ()), float(value["seconds"]), value.get("failure"))

    def warm_up(self, _definition: Definition) -> None:
        """Start the process and load the package now; all tools of a package are loaded together."""
        with self._turn:
            self._loaded()

    def _loaded(self) -> RWorker:
        """A process that has the package: the one there is, or a new one, at first and after a crash."""
        worker = self._current()
        if self._loaded_in and self._loaded_in == worker.generation and worker.confinement is not None:
            return worker
        load = ".rolltop$load_installed" if self.origin.is_installed else ".rolltop$load_source"
        try:
            self._ask(worker, load, {"package": self.origin.package}, _LOAD_SECONDS)
            if self._initial:
                _refuse_nul(self._initial, "the state")
                self._ask(worker, ".rolltop$set_state", {"values": self._initial}, _LOAD_SECONDS)
        except BaseException:
            # What was loaded of it stays in the process: only a new one can say what is wrong the next time.
            self._give_up(worker)
            raise
        self._loaded_in = worker.generation
        return worker

    def _current(self) -> RWorker:
        with self._change:
            if self._closed:
                raise Cancelled("the R worker is closed")
            if self._worker is None:
                folder = resources.files("rolltop.catalog.live")
                files = {f"{_PLACE}/{name}": folder.joinpath(name).read_bytes() for name in _SUPPORT}
                self._worker = RWorker(self.origin.sandbox(self._limits, files), files=list(files))
                self._loaded_in = 0
            return self._worker

    def _give_up(self, worker: RWorker) -> None:
        with self._change:
            if self._worker is worker:
                self._worker = None
        worker.close()

    def _ask(self, worker: RWorker, function: str, arguments: Mapping[str, Any], seconds: float) -> RAnswer:
        code = f"function(...) {function}(...)"
        try:
            return worker.call(code, arguments, timeout=seconds)
        except RolltopError as error:
            error.details.setdefault("package", self.origin.package)
            raise

    def close(self) -> None:
        """End the process for good, whatever it does."""
        with self._change:
            self._closed = True
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()


def _type_words(schema: Mapping[str, Any]) -> dict[str, Any]:
    items = schema.get("items")
    return {"type": schema.get("type"), "items": items.get("type") if isinstance(items, dict) else None}


def _described(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What R needs to know of the schema of a result: the types, and where they are."""
    words: dict[str, Any] = {"type": schema.get("type")}
    if isinstance(items := schema.get("items"), dict):
        words["items"] = _described(items)
    if isinstance(fields := schema.get("properties"), dict):
        words["properties"] = {name: _described(field) for name, field in fields.items() if isinstance(field, dict)}
    return words


def _in_the_tool(error: RError, function: str) -> RError:
    """The error, with the tool's own call by its name: the arguments are the caller's, and known to them."""
    call = error.condition.call or ""
    if not call.startswith((f"{function}(", f"`{function}`(")):
        return error
    shorter = RError(replace(error.condition, call=function), error.answer)
    shorter.details.update(error.details)
    return shorter


def _refuse_nul(value: Any, what: str) -> None:
    """R ends a text at NUL: better no call than one with half of what was meant."""
    if isinstance(value, str) and "\0" in value:
        raise InvalidInput(f"{what} has the character NUL in it, which R cannot keep in a text", hint="Leave it out.")
    if isinstance(value, Mapping):
        for key, item in value.items():
            _refuse_nul(key, what)
            _refuse_nul(item, what)
    elif isinstance(value, list | tuple):
        for item in value:
            _refuse_nul(item, what)
