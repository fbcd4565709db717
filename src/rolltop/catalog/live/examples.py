"""Run the examples of tools in the sandbox, and write their output below their code."""

from __future__ import annotations

from collections.abc import Iterator

from rolltop.catalog.build import Outcome, unexecuted
from rolltop.catalog.found import Found
from rolltop.catalog.live.answer import Ran
from rolltop.catalog.live.origin import Origin
from rolltop.catalog.live.python_tools import PythonTools
from rolltop.catalog.live.r_tools import RTools
from rolltop.catalog.sources import SourceTree
from rolltop.confine import Limits
from rolltop.confine.resident import Resident
from rolltop.errors import PartMissing, RolltopError

__all__ = ["ExampleRuns"]

_MOST_LINES = 40
"""Output lines that a definition keeps: enough to show the form of a result."""


class ExampleRuns:
    """An `ExampleRunner`: each example in a clean process, with a time limit.

    R sources are loaded also where no tool has an example: whether R accepts them nothing else would tell.
    """

    def __init__(self, seconds: float = 20.0, limits: Limits | None = None) -> None:
        self.seconds = seconds
        self.limits = limits or Limits(seconds=seconds)

    def __call__(self, tree: SourceTree, found: list[Found]) -> Iterator[Outcome]:
        origin = Origin(tree.package, tree.root)
        r_tools = [tool for tool in found if _is_r(tool)]
        tools = RTools(origin, self.limits, _MOST_LINES)
        r = Resident(tools.start)
        try:
            failure = _load_failure(r) if r_tools else None
            for tool in found:
                if failure is not None and _is_r(tool):
                    yield _not_loaded(tool, failure, is_first=tool is r_tools[0])
                else:
                    yield self._outcome(tool, origin, tools, r)
        finally:
            r.close()
            origin.close()

    def _outcome(self, tool: Found, origin: Origin, tools: RTools, r: Resident) -> Outcome:
        if not tool.example.shown:
            return Outcome("")
        if not tool.example.run.strip():
            return unexecuted(tool, "not run")
        try:
            if _is_r(tool):
                ran = tools.run_example(r.ask, tool.example.run, self.seconds, _MOST_LINES)
            else:
                python = PythonTools(origin, self.limits, _MOST_LINES)
                ran = python.run_example(tool.example.run, tool.definition.function, self.seconds, _MOST_LINES)
        except PartMissing as error:
            return unexecuted(tool, f"not run: {error.message}")
        except RolltopError as error:
            return Outcome(unexecuted(tool, "failed").text, None, error.message)
        return _written(tool, ran)


def _load_failure(r: Resident) -> RolltopError | None:
    try:
        r.warm_up()
    except RolltopError as error:
        return error
    return None


def _not_loaded(tool: Found, failure: RolltopError, *, is_first: bool) -> Outcome:
    """The outcome where there is no R, or R refuses the sources; said once, not for every tool."""
    if isinstance(failure, PartMissing):
        return unexecuted(tool, f"not run: {failure.message}")
    remark = f"cannot be called: its package cannot be loaded: {failure.message}" if is_first else None
    return Outcome(unexecuted(tool, "failed").text, remark=remark)


def _is_r(tool: Found) -> bool:
    return tool.definition.language == "r"


def _written(tool: Found, ran: Ran) -> Outcome:
    """Code, a line with `#`, and the output behind `#> `."""
    output = list(ran.output[:_MOST_LINES])
    while output and not output[-1].strip():
        output.pop()
    if len(ran.output) > _MOST_LINES:
        output.append(f"... and {len(ran.output) - _MOST_LINES} more lines")
    if ran.failure and not output:
        output = [f"Error: {ran.failure}"]
    lines = [tool.example.shown, *(["#", *(f"#> {line}" for line in output)] if output else [])]
    text = "\n".join(lines) + "\n"
    return Outcome(text, None if ran.failure else round(ran.seconds, 3), ran.failure)
