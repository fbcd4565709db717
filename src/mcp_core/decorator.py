"""`ExtMcpToolDecorator`: names with prefixes, a log line before and after every call, registration.

It registers on rolltop's own registry, on the SDK's `MCPServer`, on FastMCP, and on any object that has
`tool(name=, description=)`.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, overload

from mcp_core.adapters import flat_function, register_on
from mcp_core.arguments import ToolArguments
from mcp_core.context import ToolCancelled, ToolContext
from mcp_core.description import describe
from mcp_core.envelope import Envelope, ResultEnvelope
from mcp_core.log import TRACE, one_line
from mcp_core.registry import Registry
from mcp_core.reply import InputNeeded
from mcp_core.result import Result
from mcp_core.spec import ToolFunction, ToolSpec

__all__ = ["PREFIX_VARIABLE", "ExtMcpToolDecorator", "NamePolicy", "logged"]

logger = logging.getLogger("mcp_core.tools")

PREFIX_VARIABLE = "MCP_TOOL_PREFIX"

LONG_NAME = 48
"""Hosts put their own prefix before a name and cap the whole at 64 characters."""


PREFIX = re.compile(r"[A-Za-z0-9_.-]*")
"""What a prefix may be made of: hosts refuse names with anything else in them."""


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
        """Register any function as a tool, bare (`@decorator.tool`) or with what is known about it.

        `options` go to the server's own `tool` decorator; our registry takes those of `ToolSpec`.
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
        """Register a declared tool with its generated description, and give its final name."""
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
    """`func` with its log lines: called, completed or failed or cancelled; it raises what `func` raises."""
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
