"""`ToolSpec`: the declaration of one tool, from which its schema, description and calls are made."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from mcp_core.consent import Consent, NoArguments, with_consent_field
from mcp_core.context import ToolContext
from mcp_core.result import Result
from mcp_core.schema import model_schema, type_schema
from mcp_core.validation import check_arguments

__all__ = [
    "DESTROYS",
    "FOR_OWNER",
    "READS",
    "RUNS",
    "WRITES",
    "Example",
    "Parameters",
    "ToolAnnotations",
    "ToolFunction",
    "ToolSpec",
    "inspect_function",
]

ToolFunction = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class ToolAnnotations:
    """MCP's four hints about a tool. `--read-only`, consent and `tools/list` use them.

    `open_world`: it reaches beyond this machine's own data.
    """

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False

    def wire(self, title: str | None = None) -> dict[str, bool | str]:
        hints: dict[str, bool | str] = {
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }
        return {"title": title, **hints} if title else hints


READS = ToolAnnotations(read_only=True, idempotent=True)
"""Changes nothing."""
WRITES = ToolAnnotations(idempotent=True)
"""Adds or sets; idempotent."""
DESTROYS = ToolAnnotations(destructive=True, idempotent=True)
"""Removes or replaces what was there."""
RUNS = ToolAnnotations()
"""Runs something; not idempotent."""


FOR_OWNER = "for-owner"
"""The tag of a tool that changes what the server itself runs or how it is set up."""


@dataclass(frozen=True, slots=True)
class Example:
    """A call that a test runs: real arguments, why one would make it, what to expect.

    `before` lists calls (tool name, arguments) that put things in place first; `fails` names the error
    type when the example shows a failure.
    """

    arguments: Mapping[str, Any]
    why: str
    expect: str
    before: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    fails: str | None = None


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters and the return type of a tool function."""

    model: type[BaseModel] | None
    arguments: str | None
    context: str | None
    returns: Any
    others: tuple[str, ...] = ()
    """Parameters without a default that are neither the arguments nor the context."""


def inspect_function(func: ToolFunction) -> Parameters:
    """Find the argument model and the context among the parameters, also with postponed annotations."""
    names = {**_enclosing_names(func), **_closure_names(func)}
    hints = typing.get_type_hints(func, include_extras=True, localns=names)
    model: type[BaseModel] | None = None
    arguments = context = None
    others = []
    for name, parameter in inspect.signature(func).parameters.items():
        kind = hints.get(name)
        plain = get_origin(kind) or kind
        if model is None and isinstance(plain, type) and issubclass(plain, BaseModel):
            model, arguments = plain, name
        elif plain is ToolContext or name == "ctx":
            context = name
        elif name == "args" and arguments is None:
            arguments = name
        elif parameter.default is parameter.empty and parameter.kind not in _COLLECTING:
            others.append(name)
    return Parameters(model, arguments, context, hints.get("return", Any), tuple(others))


_COLLECTING = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _enclosing_names(func: ToolFunction) -> dict[str, Any]:
    """For a function made inside another one that is still running: the names of that one."""
    *_, enclosing, nested = ("", "", *func.__qualname__.split(".")[:-1])
    if nested != "<locals>":
        return {}
    code, frame = getattr(inspect.unwrap(func), "__code__", None), inspect.currentframe()
    while frame is not None and code is not None:
        if (frame.f_code.co_name, frame.f_code.co_filename) == (enclosing, code.co_filename):
            return dict(frame.f_locals)
        frame = frame.f_back
    return {}


def _closure_names(func: ToolFunction) -> dict[str, Any]:
    """Names of the enclosing functions, which annotations may use."""
    code, closure = getattr(func, "__code__", None), getattr(func, "__closure__", None)
    if code is None or not closure:
        return {}
    return {name: cell.cell_contents for name, cell in zip(code.co_freevars, closure, strict=True) if _is_filled(cell)}


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - reading is the test
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class ToolSpec:
    """One tool. Made by `ToolArguments.declare`, or directly for tools that are defined by data.

    For the latter, `schema` and `validate` replace the argument model, and the function gets the validated mapping
    as its first argument. `brief` is their description in the compact profile.
    """

    name: str
    func: ToolFunction
    toolset: str = ""
    annotations: ToolAnnotations = RUNS
    title: str | None = None
    examples: tuple[Example, ...] = ()
    usage: str = ""
    consent: Consent | None = None
    prefix: str | None = None
    timeout: float | None = None
    hidden: bool = False
    writes_with: str = ""
    """The optional argument without which the tool only reads; a read-only server serves the tool without it."""
    reads_when: Callable[[Mapping[str, Any]], bool] | None = None
    """Whether a call with these arguments, as they were given, only reads; for tools that do several things."""
    sections_in_list: bool = False
    """True if `tools/list` shows all four sections by default; other tools are compact there."""
    schema: Mapping[str, Any] | None = None
    validate: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    output: Mapping[str, Any] | None = None
    documentation: str | None = None
    brief: str | None = None
    tags: frozenset[str] = field(default=frozenset())

    @cached_property
    def parameters(self) -> Parameters:
        found = inspect_function(self.func)
        if self.schema is not None and found.arguments is None and found.others:
            found = replace(found, arguments=found.others[0], others=found.others[1:])
        if found.others:
            raise TypeError(
                f"the tool {self.name} has the parameter {found.others[0]!r}, and nothing to put into it: what a "
                f"caller gives are the fields of one model that inherits from ToolArguments ({self.source})"
            )
        if self.consent is not None and self.schema is None:
            return replace(found, model=with_consent_field(found.model, self.consent))
        return found

    @property
    def model(self) -> type[BaseModel] | None:
        return self.parameters.model if self.schema is None else None

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        if self.schema is not None:
            return dict(self.schema)
        if self.model is None:
            return {"type": "object", "properties": {}, "additionalProperties": False}
        return model_schema(self.model)

    @cached_property
    def value_schema(self) -> dict[str, Any]:
        """The schema of the value inside the `Result`."""
        if self.output is not None:
            return dict(self.output)
        returns = self.parameters.returns
        if get_origin(returns) is Result:
            returns = get_args(returns)[0]
        elif returns is Result:
            returns = Any
        return type_schema(returns)

    @cached_property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(self.func)

    @property
    def source(self) -> str:
        """Where it was declared, for messages about duplicates."""
        code = getattr(inspect.unwrap(self.func), "__code__", None)
        return f"{code.co_filename}:{code.co_firstlineno}" if code else repr(self.func)

    @cached_property
    def text(self) -> str:
        """The documentation as written, dedented."""
        return inspect.cleandoc(self.documentation or self.func.__doc__ or "")

    @property
    def summary(self) -> str:
        return self.text.partition("\n")[0].strip()

    @property
    def body(self) -> str:
        return self.text.partition("\n")[2].strip()

    def check(self, arguments: Mapping[str, Any] | None) -> Any:
        """Validate the arguments; raises `InvalidArguments` with all problems."""
        if self.validate is not None:
            return self.validate(arguments or {})
        return check_arguments(self.model or NoArguments, arguments)

    def bind(self, arguments: Any, context: Any) -> dict[str, Any]:
        """Keyword arguments for the function."""
        bound: dict[str, Any] = {}
        if self.parameters.arguments is not None:
            bound[self.parameters.arguments] = arguments
        if self.parameters.context is not None:
            bound[self.parameters.context] = context
        return bound
