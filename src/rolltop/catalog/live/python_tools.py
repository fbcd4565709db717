"""Python tools in one Python process in the sandbox: the same contract as `r_tools`."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from rolltop.catalog.arguments import invalid_arguments
from rolltop.catalog.definition import Definition
from rolltop.catalog.live.answer import MOST_IMAGES, Answer, Ran, plots_left_out
from rolltop.catalog.live.origin import Origin
from rolltop.catalog.live.python_process import PythonProcess
from rolltop.catalog.pylang.modules import Modules
from rolltop.catalog.sources import source_tree
from rolltop.confine import Limits
from rolltop.errors import ForeignFailure, MemoryLimit, NotFound

__all__ = ["PythonError", "PythonTools"]

_LOAD_SECONDS = 60.0


class PythonError(ForeignFailure):
    """Python code raised: the exception's name, message and trace."""

    code = "python_error"

    def __init__(self, failure: Mapping[str, Any], printed: str = "", messages: Sequence[str] = ()) -> None:
        super().__init__(
            f"{failure['kind']}: {failure['message']}" if failure["message"] else str(failure["kind"]),
            details={"trace": failure["trace"], "printed": printed[-4000:], "messages": list(messages[-50:])},
        )


class PythonTools:
    """One Python process with one package on its path. State lives as long as the process."""

    def __init__(
        self, origin: Origin, limits: Limits, max_print: int, initial: Mapping[str, Any] | None = None
    ) -> None:
        self.origin = origin
        self.max_print = max_print
        modules = Modules(source_tree(origin.path))
        self._modules = {function.name: module.name for module in modules for function in module.functions}
        self._process = PythonProcess(origin, limits, initial or {})

    def call(self, definition: Definition, arguments: Mapping[str, Any], seconds: float) -> Answer:
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
        answer = self._ask(request, seconds)
        return Answer(
            value=answer["value"],
            text=answer["text"],
            printed=answer["printed"],
            warnings=(*answer["warnings"], *plots_left_out(answer["plots"])),
            messages=tuple(answer["messages"]),
            images=tuple(answer["images"]),
        )

    def warm_up(self, definition: Definition) -> None:
        """Start the process and import the tool's module now; a module that fails does so again in the call."""
        with contextlib.suppress(PythonError):
            self._ask({"op": "load", "module": self._module_of(definition.function)}, _LOAD_SECONDS)

    def run_example(self, code: str, function: str, seconds: float, max_print: int) -> Ran:
        """Run an example in this process; give every example a process of its own."""
        modules = [self._module_of(function)]
        answer = self._ask({"op": "example", "code": code, "modules": modules, "max_print": max_print}, seconds)
        value = answer["value"]
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

    def _ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        answer = self._process.ask(request, seconds)
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

    def close(self) -> None:
        self._process.close()
