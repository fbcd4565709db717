"""Declared tools on foreign servers: a function with a flat signature, answering in that server's way."""

from __future__ import annotations

import importlib
import inspect
import keyword
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from mcp_core.approval import ask_for
from mcp_core.context import ToolContext
from mcp_core.description import expand_result
from mcp_core.envelope import Answer, Envelope
from mcp_core.outcome import failure_of, result_of
from mcp_core.result import Result
from mcp_core.spec import ToolFunction, ToolSpec
from mcp_core.validation import InvalidArguments

__all__ = ["flat_function", "register_on"]

ContextMaker = Callable[[], ToolContext[Any]]


def register_on(target: Any, name: str, text: str, spec: ToolSpec, call: ToolFunction) -> None:
    """Register a declared tool, as a flat function, on a server that is not ours.

    Arguments are checked here, by the declared model: the SDK's server would drop unknown ones, and each server has
    its own words for wrong ones.
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
    except Exception as error:  # a value that has no JSON
        return envelope.failure(failure_of(error), spec)


def _is_of(target: Any, package: str) -> bool:
    """Whether a server is a package's own, or derived from it."""
    return any(each.__module__.partition(".")[0] == package for each in type(target).__mro__)


def _take_raw_arguments(target: Any, name: str, spec: ToolSpec) -> None:
    """Let the SDK's server publish the declared schema and hand arguments over as they came."""
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
