"""R tools: start R with a package, call its functions, run its examples."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import resources
from typing import Any

from rolltop.catalog.definition import Definition
from rolltop.catalog.live.answer import MOST_IMAGES, Answer, Ran, plots_left_out
from rolltop.catalog.live.origin import Origin
from rolltop.confine import Cancel, Limits, RAnswer, RError
from rolltop.confine.r import call_request, read_answer, start_r
from rolltop.confine.warm_process import WarmProcess
from rolltop.errors import ForeignFailure, InvalidInput, RolltopError

__all__ = ["NoAnswer", "RTools"]

_PLACE = "/run/rolltop/catalog"
_SUPPORT = ("values.R", "data.R", "support.R")
_LOAD_SECONDS = 60.0

Ask = Callable[[Mapping[str, Any], float], dict[str, Any]]


_INCLUDE = re.compile(r"^ *#include (\S+)$", re.MULTILINE)


def _code(name: str) -> str:
    """A file of the R side, with those that it includes in their places."""
    text = resources.files("rolltop.catalog.live").joinpath(name).read_text("utf-8")
    return _INCLUDE.sub(lambda found: _code(found[1]), text)


class RTools:
    """The R tools of one package."""

    def __init__(
        self, origin: Origin, limits: Limits, max_print: int, initial: Mapping[str, Any] | None = None
    ) -> None:
        self.origin = origin
        self.max_print = max_print
        self._limits = limits
        self._initial = dict(initial or {})
        self._stateful: frozenset[str] | None = None

    def start(self, *, template: bool = False, cancel: Cancel | None = None) -> WarmProcess:
        """R with the package loaded: a process that failed to load it is of no use, and ended."""
        _refuse_nul(self._initial, "the state")
        files = {f"{_PLACE}/{name}": _code(name).encode() for name in _SUPPORT}
        process = start_r(self.origin.sandbox(self._limits, files), files=list(files), template=template, cancel=cancel)
        try:
            load = ".rolltop$load_installed" if self.origin.loads_as_installed else ".rolltop$load_source"
            loaded = self._ask(process.ask, load, {"package": self.origin.package}, _LOAD_SECONDS).value
            self._stateful = frozenset([loaded] if isinstance(loaded, str) else loaded or ())
            if self._initial:
                self._ask(process.ask, ".rolltop$set_state", {"values": self._initial}, _LOAD_SECONDS)
            process.mark_ready()
        except BaseException:
            process.close()
            raise
        return process

    def prepare(self, process: WarmProcess, definition: Definition) -> None:
        """All tools of a package are loaded together."""

    def keeps_state(self, definition: Definition) -> bool:
        return self._stateful is None or definition.function in self._stateful

    def call(self, ask: Ask, definition: Definition, arguments: Mapping[str, Any], seconds: float) -> Answer:
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
        try:
            answer = self._ask(ask, ".rolltop$call", given, seconds)
        except RError as error:
            raise _in_the_tool(error, definition.function) from None
        value = answer.value
        if not isinstance(value, dict) or not {"text", "plots"} <= value.keys():
            raise _no_answer()
        return Answer(
            value=value.get("value"),
            text=value["text"],
            printed=answer.printed,
            warnings=(*answer.warnings, *plots_left_out(value["plots"])),
            messages=answer.messages,
            images=tuple(value.get("images") or ()),
        )

    def run_example(self, ask: Ask, code: str, seconds: float, max_print: int) -> Ran:
        """Run an example in a fork of a process that has the package."""
        # The process's own limit is only the net below the one that the fork is held to.
        given = {"code": code, "seconds": seconds, "max_print": max_print}
        value = self._ask(ask, ".rolltop$example", given, seconds + 10).value
        return Ran(tuple(value["output"] or ()), float(value["seconds"]), value.get("failure"))

    def _ask(self, ask: Ask, function: str, arguments: Mapping[str, Any], seconds: float) -> RAnswer:
        try:
            return read_answer(ask(call_request(f"function(...) {function}(...)", arguments), seconds))
        except (AttributeError, TypeError, ValueError):
            raise _no_answer() from None
        except RolltopError as error:
            error.details.setdefault("package", self.origin.package)
            raise


class NoAnswer(ForeignFailure):
    """A process answered with something that is no answer: it must not be used again."""


def _no_answer() -> NoAnswer:
    return NoAnswer(
        "the R process answered with something that is no answer, and was ended",
        hint="The tool changed R itself. The next call starts a new process; its state is lost.",
    )


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
