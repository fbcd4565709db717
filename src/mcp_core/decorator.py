"""`ExtMcpToolDecorator`: register tools under prefixed names, and log every call.

It registers on our `Registry`, on the SDK's `MCPServer`, on FastMCP, and on any object with a method
`tool(name=, description=)`. Servers other than ours get a function with a flat signature (`flat_function`).
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import inspect
import keyword
import logging
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, overload

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from mcp_core.approval import ask_for
from mcp_core.arguments import ToolArguments
from mcp_core.consent import InputNeeded
from mcp_core.context import ToolCancelled, ToolContext
from mcp_core.description import describe, expand_result
from mcp_core.envelope import Answer, Envelope, ResultEnvelope
from mcp_core.log import TRACE, one_line
from mcp_core.outcome import failure_of, result_of
from mcp_core.registry import Registry
from mcp_core.result import Result
from mcp_core.spec import ToolFunction, ToolSpec
from mcp_core.validation import InvalidArguments

__all__ = ["PREFIX_VARIABLE", "ExtMcpToolDecorator", "NamePolicy", "flat_function", "logged", "register_on"]


logger = logging.getLogger("mcp_core.tools")

PREFIX_VARIABLE = "MCP_TOOL_PREFIX"

LONG_NAME = 48
"""Hosts add their own prefix to a name and limit the whole to 64 characters."""


PREFIX = re.compile(r"[A-Za-z0-9_.-]*")
"""The characters of a prefix; hosts refuse names with others."""


def _refuse_odd(prefix: str) -> None:
    if not PREFIX.fullmatch(prefix):
        raise ValueError(f"the prefix {prefix!r} makes no good tool names: use letters, digits, _, - and .")


@dataclass(frozen=True, slots=True)
class NamePolicy:
    """How a registered name is made: `{prefix}_{name}`, or the name alone when the prefix is empty."""

    prefix: str = ""
    separator: str = "_"

    def __post_init__(self) -> None:
        _refuse_odd(self.prefix)

    @classmethod
    def resolve(cls, prefix: str | None) -> NamePolicy:
        """An explicit prefix (the empty one included), else the environment's, else none."""
        return cls(os.environ.get(PREFIX_VARIABLE, "") if prefix is None else prefix)

    def final(self, name: str, override: str | None = None) -> str:
        """The registered name. `override` is a tool's own prefix; the empty string means none."""
        if override:
            _refuse_odd(override)
        prefix = (self.prefix if override is None else override).rstrip(self.separator)
        final = f"{prefix}{self.separator}{name}" if prefix else name
        if len(final) > LONG_NAME:
            warnings.warn(f"the tool name {final!r} is long; some hosts cut or refuse it", stacklevel=3)
        return final


class ExtMcpToolDecorator:
    """Registers tools on `mcp` with a prefix, logging every call.

    Without `prefix` the one of the environment variable `MCP_TOOL_PREFIX` applies; a tool's own prefix wins
    over both, and the empty string disables it. Names are computed when a tool is registered.
    `context` makes the `ToolContext` for calls that come through a foreign server.
    """

    def __init__(
        self,
        mcp: Any,
        prefix: str | None = None,
        *,
        context: Callable[[], ToolContext[Any]] = ToolContext,
    ) -> None:
        self.mcp = mcp
        self.names = NamePolicy.resolve(prefix)
        self._context = context

    @property
    def prefix(self) -> str:
        return self.names.prefix

    @overload
    def tool(self, name: ToolFunction, /) -> ToolFunction: ...
    @overload
    def tool(
        self, name: str | None = None, description: str | None = None, *, prefix: str | None = None, **options: Any
    ) -> Callable[[ToolFunction], ToolFunction]: ...
    def tool(
        self,
        name: str | ToolFunction | None = None,
        description: str | None = None,
        *,
        prefix: str | None = None,
        **options: Any,
    ) -> ToolFunction | Callable[[ToolFunction], ToolFunction]:
        """Register any function as a tool, bare (`@decorator.tool`) or with options.

        `options` go to the server's own `tool` decorator; our registry takes the fields of `ToolSpec`.
        """
        if name is not None and not isinstance(name, str):
            return self.tool()(name)

        def register(func: ToolFunction) -> ToolFunction:
            plain = name or func.__name__
            if isinstance(self.mcp, Registry):
                own = {"name": plain, **({} if prefix is None else {"prefix": prefix}), **options}
                return self._add(self.mcp, replace(ToolArguments.spec_of(func), **own), description)
            final = self.names.final(plain, prefix)
            run = logged(func, final, plain)
            text = description if description is not None else inspect.getdoc(func) or ""
            self.mcp.tool(name=final, description=text, **options)(run)
            return run

        return register

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tool(*args, **kwargs)

    def _add(self, registry: Registry, spec: ToolSpec, description: str | None) -> ToolFunction:
        registered = registry.find(self.register(spec, description=description))
        assert registered is not None
        return registered.run

    def register(
        self,
        tool: ToolSpec | ToolFunction,
        *,
        envelope: Envelope | None = None,
        description: str | None = None,
        profile: str = "full",
    ) -> str:
        """Register a declared tool with its generated description; returns its final name."""
        spec = tool if isinstance(tool, ToolSpec) else ToolArguments.spec_of(tool)
        final = self.names.final(spec.name, spec.prefix)
        run = logged(spec.func, final, spec.name)
        if isinstance(self.mcp, Registry):
            self.mcp.add(spec, name=final, run=run, envelope=envelope, profile=profile, description=description)
            return final
        text = describe(spec, profile) if description is None else description
        call = flat_function(spec, run, envelope or ResultEnvelope(), self._context, self.mcp)
        register_on(self.mcp, final, text, spec, call)
        return final


def logged(func: ToolFunction, name: str, plain: str) -> ToolFunction:
    """Wrap `func` so that each call and its end (completed, failed, cancelled) are logged."""
    extra = {"tool": plain}

    def failed(error: object, kind: str) -> None:
        short = f"Tool {name} failed: {kind}"
        logger.error("Tool %s failed: %s", name, one_line(error), extra={**extra, "without_values": short})

    def called() -> None:
        logger.log(TRACE, "Tool called: %s", name, extra=extra)

    def ended(result: Any, level: int) -> None:
        if isinstance(result, Result) and result.is_failure:
            failed(result.error, result.error_type or "failure")
        else:
            logger.log(level, "Tool %s completed successfully", name, extra=extra)

    def raised(error: BaseException) -> None:
        if isinstance(error, InputNeeded):
            logger.log(TRACE, "Tool %s waits for the user", name, extra=extra)
        elif isinstance(error, (asyncio.CancelledError, ToolCancelled)):
            logger.log(logging.DEBUG, "Tool %s was cancelled", name, extra=extra)
        else:
            failed(error, str(getattr(error, "error_type", type(error).__name__)))

    @functools.wraps(func)
    async def asynchronous(*args: Any, **kwargs: Any) -> Any:
        called()
        try:
            result = await func(*args, **kwargs)
        except BaseException as error:
            raised(error)
            raise
        ended(result, TRACE)
        return result

    @functools.wraps(func)
    def synchronous(*args: Any, **kwargs: Any) -> Any:
        called()
        try:
            result = func(*args, **kwargs)
        except BaseException as error:
            raised(error)
            raise
        ended(result, logging.DEBUG)
        return result

    return asynchronous if inspect.iscoroutinefunction(func) else synchronous


ContextMaker = Callable[[], ToolContext[Any]]


def register_on(target: Any, name: str, text: str, spec: ToolSpec, call: ToolFunction) -> None:
    """Register a declared tool, as a flat function, on a foreign server.

    The declared model checks the arguments: the SDK's server would drop unknown ones, and each server words its
    errors differently.
    """
    if _is_of(target, "fastmcp"):
        target.add_tool(_fastmcp_tool(call, name, text, spec))
        return
    target.tool(name=name, description=text)(call)
    if _is_of(target, "mcp"):
        _take_raw_arguments(target, name, spec)


def flat_function(
    spec: ToolSpec, run: ToolFunction, envelope: Envelope, context: ContextMaker, target: Any
) -> ToolFunction:
    """An async function whose parameters are the wire names of the tool's arguments."""
    reply = _replier(target)

    async def tool(**given: Any) -> Any:
        try:
            arguments = spec.check(given)
        except InvalidArguments as error:
            return reply(envelope.invalid_arguments(error, spec))
        ctx = context()

        async def call() -> Any:
            if spec.consent is not None and spec.consent.applies_to(arguments):
                await ask_for(spec.consent, arguments, ctx)
            bound = spec.bind(arguments, ctx)
            return await run(**bound) if spec.is_async else await ctx.run(run, **bound)

        return reply(_enveloped(await result_of(call), envelope, spec))

    tool.__name__ = spec.name
    tool.__doc__ = spec.text
    parameters = _parameters(spec.model) if spec.model is not None else []
    tool.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    tool.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return tool


def _enveloped(result: Result[Any], envelope: Envelope, spec: ToolSpec) -> Answer:
    result = expand_result(result)
    try:
        return envelope.success(result, spec) if result.is_ok else envelope.failure(result, spec)
    except Exception as error:  # a value that cannot be serialised
        return envelope.failure(failure_of(error), spec)


def _is_of(target: Any, package: str) -> bool:
    """True if the server's class, or a base of it, comes from `package`."""
    return any(each.__module__.partition(".")[0] == package for each in type(target).__mro__)


def _take_raw_arguments(target: Any, name: str, spec: ToolSpec) -> None:
    """Make the SDK's server publish the declared schema and pass arguments on unchecked."""
    tool = target._tool_manager.get_tool(name)

    class Unchecked(type(tool.fn_metadata)):  # type: ignore[misc]
        def validate_arguments(self, arguments_to_validate: dict[str, Any]) -> dict[str, Any]:
            return dict(arguments_to_validate)

    tool.parameters = spec.input_schema
    tool.fn_metadata = Unchecked(arg_model=tool.fn_metadata.arg_model)


def _fastmcp_tool(call: ToolFunction, name: str, text: str, spec: ToolSpec) -> Any:
    base = importlib.import_module("fastmcp.tools").Tool

    class Declared(base):  # type: ignore[misc, valid-type]
        async def run(self, arguments: dict[str, Any]) -> Any:
            return await call(**arguments)

    return Declared(name=name, description=text, parameters=spec.input_schema)


def _parameters(model: type[BaseModel]) -> list[inspect.Parameter]:
    return [_parameter(name, field) for name, field in model.model_fields.items()]


def _parameter(name: str, field: FieldInfo) -> inspect.Parameter:
    wire = field.alias or name
    if not wire.isidentifier() or keyword.iskeyword(wire):
        wire = name  # models take the Python name too
    described = Annotated[field.annotation, Field(description=field.description), *field.metadata]  # type: ignore[name-defined]
    default = inspect.Parameter.empty if field.is_required() else field.get_default(call_default_factory=True)
    return inspect.Parameter(wire, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=described)


def _replier(target: Any) -> Callable[[Answer], Any]:
    if _is_of(target, "fastmcp"):
        return _reply_to_fastmcp
    if _is_of(target, "mcp"):
        return _reply_to_sdk
    return lambda answer: answer.text


def _reply_to_sdk(answer: Answer) -> Any:
    types = importlib.import_module("mcp.types")
    return types.CallToolResult.model_validate(
        {"content": answer.blocks(), "structuredContent": answer.structured, "isError": answer.is_error}
    )


def _reply_to_fastmcp(answer: Answer) -> Any:
    if answer.is_error:
        raise importlib.import_module("fastmcp.exceptions").ToolError(answer.text)
    block = importlib.import_module("mcp.types")
    content = [block.CallToolResult.model_validate({"content": [each]}).content[0] for each in answer.blocks()]
    result = importlib.import_module("fastmcp.tools").ToolResult
    return result(content=content, structured_content=answer.structured)
