"""Python tools: start Python with a package on its path, call its functions, run its examples."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from rolltop.catalog.arguments import invalid_arguments
from rolltop.catalog.definition import Definition
from rolltop.catalog.live.answer import MOST_IMAGES, Answer, Ran, plots_left_out
from rolltop.catalog.live.origin import Origin
from rolltop.catalog.pylang.modules import Modules
from rolltop.catalog.sources import source_tree
from rolltop.confine import Cancel, Limits, Mount
from rolltop.confine.identity import foreign_identity, require_reachable
from rolltop.confine.warm_process import START_SECONDS, Program, WarmProcess
from rolltop.errors import ForeignFailure, MemoryLimit, NotFound, PartMissing, PermissionDenied

__all__ = ["PythonError", "PythonTools"]

_PLACE = "/run/rolltop/catalog"
_FILES = ("live/worker.py", "live/conversion.py", "tool_decorator.py", "describe.py", "live/results.py", "state.py")
_SYSTEM_PYTHON = "/usr/bin/python3"
_INSTALL = "On Debian: apt-get install python3-minimal, or install Python where every user can read it."
_STATE = "_state_env"

Ask = Callable[[Mapping[str, Any], float], dict[str, Any]]


class PythonError(ForeignFailure):
    """Python code raised: the exception's name, message and trace."""

    code = "python_error"

    def __init__(self, failure: Mapping[str, Any], printed: str = "", messages: Sequence[str] = ()) -> None:
        super().__init__(
            f"{failure['kind']}: {failure['message']}" if failure["message"] else str(failure["kind"]),
            details={"trace": failure["trace"], "printed": printed[-4000:], "messages": list(messages[-50:])},
        )


class PythonTools:
    """The Python tools of one package."""

    def __init__(
        self, origin: Origin, limits: Limits, max_print: int, initial: Mapping[str, Any] | None = None
    ) -> None:
        self.origin = origin
        self.max_print = max_print
        self._limits = limits
        self._initial = dict(initial or {})
        functions = [(item, module.name) for module in Modules(source_tree(origin.path)) for item in module.functions]
        self._modules = {item.name: name for item, name in functions}
        self._stateful = {
            item.name
            for item, _ in functions
            if any(each.arg == _STATE for each in (*item.args.posonlyargs, *item.args.args, *item.args.kwonlyargs))
        }

    def start(self, *, template: bool = False, cancel: Cancel | None = None) -> WarmProcess:
        """Python with the package on its path; modules are imported by the calls that need them."""
        program, mounts = _interpreter()
        catalog = resources.files("rolltop.catalog")
        files = {f"{_PLACE}/{Path(name).name}": catalog.joinpath(name).read_bytes() for name in _FILES}
        sandbox = self.origin.sandbox(self._limits, files)
        paths = json.dumps(self.origin.python_paths)
        process = WarmProcess(
            Program("Python", lambda fds: [program, "-B", "-X", "utf8", f"{_PLACE}/worker.py", paths, *fds], _INSTALL),
            replace(sandbox, mounts=(*sandbox.mounts, *mounts)),
            template=template,
            cancel=cancel,
        )
        try:
            # By the pipe, not the command line: everybody on the machine could read it there.
            self._ask(process.ask, {"op": "set_state", "values": self._initial}, START_SECONDS)
            process.mark_ready()
        except BaseException:
            process.close()
            raise
        return process

    def prepare(self, process: WarmProcess, definition: Definition) -> None:
        """Import the tool's module; one that fails does so again in the call, and says why."""
        with contextlib.suppress(PythonError):
            module = self._module_of(definition.function)
            self._ask(process.ask, {"op": "load", "module": module}, START_SECONDS)
        process.mark_ready()

    def keeps_state(self, definition: Definition) -> bool:
        return definition.function in self._stateful

    def call(self, ask: Ask, definition: Definition, arguments: Mapping[str, Any], seconds: float) -> Answer:
        """Call a tool's function with arguments that were found valid."""
        request = {
            "op": "call",
            "module": self._module_of(definition.function),
            "function": definition.function,
            "arguments": dict(arguments),
            "returns": definition.returns or {},
            "max_print": self.max_print,
            "max_images": MOST_IMAGES,
        }
        answer = self._ask(ask, request, seconds)
        return Answer(
            value=answer["value"],
            text=answer["text"],
            printed=answer["printed"],
            warnings=(*answer["warnings"], *plots_left_out(answer["plots"])),
            messages=tuple(answer["messages"]),
            images=tuple(answer["images"]),
        )

    def run_example(self, code: str, function: str, seconds: float, max_print: int) -> Ran:
        """Run an example in a process of its own."""
        request = {"op": "example", "code": code, "modules": [self._module_of(function)], "max_print": max_print}
        process = self.start()
        try:
            value = self._ask(process.ask, request, seconds)["value"]
        finally:
            process.close()
        return Ran(tuple(value["output"]), float(value["seconds"]), value["failure"])

    def _module_of(self, function: str) -> str:
        try:
            module = self._modules[function]
        except KeyError:
            raise NotFound(
                f"{self.origin.path} no longer has the function {function}", hint="Build the catalog again."
            ) from None
        name = module.removesuffix(".__init__")
        if not self.origin.is_python_package:
            return name
        return self.origin.path.name if name == "__init__" else f"{self.origin.path.name}.{name}"

    def _ask(self, ask: Ask, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        answer = ask(request, seconds)
        if error := answer.get("error"):
            if "problems" in error:
                raise invalid_arguments(error["problems"])
            if error["kind"] == "MemoryError":
                raise MemoryLimit(
                    "the Python code needed more memory than it is allowed",
                    hint="Use less data at once.",
                    details={"trace": error["trace"]},
                )
            raise PythonError(error, answer["printed"], answer["messages"])
        return answer


def _interpreter() -> tuple[str, tuple[Mount, ...]]:
    """The interpreter that runs rolltop, with its libraries, where foreign code may reach it; else the system's."""
    places = {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve()}
    outside = [place for place in sorted(places) if not place.is_relative_to("/usr")]
    try:
        for place in outside:
            require_reachable(place, foreign_identity())
    except PermissionDenied:
        if not Path(_SYSTEM_PYTHON).exists():
            raise PartMissing(
                "the Python that runs rolltop cannot be reached from the sandbox, and the system has no other",
                hint=_INSTALL,
            ) from None
        return _SYSTEM_PYTHON, ()
    return sys.executable, tuple(Mount(place, str(place)) for place in outside)
