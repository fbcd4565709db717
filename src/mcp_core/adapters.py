"""Declared tools on foreign servers: a function with a flat signature, answering in that server's way."""

from __future__ import annotations

import asyncio
import importlib
import inspect
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from mcp_core.content import wire_block
from mcp_core.context import ToolContext
from mcp_core.envelope import Answer, Envelope
from mcp_core.outcome import result_of
from mcp_core.spec import ToolFunction, ToolSpec
from mcp_core.validation import InvalidArguments, check_arguments

__all__ = ["flat_function"]


def flat_function(
    spec: ToolSpec, run: ToolFunction, envelope: Envelope, context: Callable[[], ToolContext[Any]], target: Any
) -> ToolFunction:
    """An async function whose parameters are the wire names of the tool's arguments."""
    reply = _replier(target)

    async def tool(**given: Any) -> Any:
        try:
            arguments = check_arguments(spec.model, given) if spec.model is not None else given
        except InvalidArguments as error:
            return reply(envelope.invalid_arguments(error, spec))
        ctx = context()

        async def call() -> Any:
            if spec.consent is not None and spec.consent.applies_to(arguments):
                effect, given_in = spec.consent.effect_of(arguments), spec.consent.given_in(arguments)
                await ctx.require_consent(spec.consent.literal, effect, given=given_in, field=spec.consent.field)
            bound = spec.bind(arguments, ctx)
            return await run(**bound) if spec.is_async else await asyncio.to_thread(run, **bound)

        result = await result_of(call)
        return reply(envelope.success(result, spec) if result.is_ok else envelope.failure(result, spec))

    tool.__name__ = spec.name
    tool.__doc__ = spec.text
    parameters = _parameters(spec.model) if spec.model is not None else []
    tool.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    tool.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return tool


def _parameters(model: type[BaseModel]) -> list[inspect.Parameter]:
    return [_parameter(name, field) for name, field in model.model_fields.items()]


def _parameter(name: str, field: FieldInfo) -> inspect.Parameter:
    wire = field.alias or name
    described = Annotated[field.annotation, Field(description=field.description), *field.metadata]  # type: ignore[name-defined]
    default = inspect.Parameter.empty if field.is_required() else field.get_default(call_default_factory=True)
    return inspect.Parameter(wire, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=described)


def _replier(target: Any) -> Callable[[Answer], Any]:
    module = type(target).__module__
    if module.startswith("mcp."):
        return _reply_to_sdk
    if module.startswith("fastmcp"):
        return _reply_to_fastmcp
    return lambda answer: answer.text


def _blocks(answer: Answer) -> list[dict[str, Any]]:
    return [{"type": "text", "text": answer.text}, *(wire_block(block) for block in answer.content)]


def _reply_to_sdk(answer: Answer) -> Any:
    types = importlib.import_module("mcp.types")
    return types.CallToolResult.model_validate(
        {"content": _blocks(answer), "structuredContent": answer.structured, "isError": answer.is_error}
    )


def _reply_to_fastmcp(answer: Answer) -> Any:
    if answer.is_error:
        raise importlib.import_module("fastmcp.exceptions").ToolError(answer.text)
    block = importlib.import_module("mcp.types")
    content = [block.CallToolResult.model_validate({"content": [each]}).content[0] for each in _blocks(answer)]
    result = importlib.import_module("fastmcp.tools").ToolResult
    return result(content=content, structured_content=answer.structured)
