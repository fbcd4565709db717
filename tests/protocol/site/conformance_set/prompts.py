"""Prompts that the conformance suite gets."""

# Documentation of prompts follows src/rolltop/prompts/README.md.

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from conformance_set.fixture import PIXEL
from conformance_set.questions import form
from mcp_core import CannotAsk, EmbeddedResource, Image, PromptArgument, PromptMessage, ToolContext, declare_prompt
from rolltop.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])
Given = Mapping[str, str]

_DOCUMENTATION = """{summary}

## Description

A fixture of the conformance suite.

## Conceptual Schema

{name}(*args)

## Usage Instructions

```text
@{name} WORDS
```

## Concrete Examples

```text
@{name} hello world
```

Gives the messages that the suite looks for.
"""


def _documented(func: F) -> F:
    """All fixtures are used in the same way: their documentation is their first line in a common frame."""
    func.__doc__ = _DOCUMENTATION.format(summary=(func.__doc__ or "").strip(), name=func.__name__)
    return func


async def _words(argument: str, value: str, ctx: ToolContext[Workspace]) -> Sequence[str]:
    return [word for word in ("paris", "park", "party") if word.startswith(value)]


@declare_prompt()
@_documented
async def test_simple_prompt(arguments: Given, ctx: ToolContext[Workspace]) -> str:
    """Give one sentence."""
    return "This is a simple prompt for testing."


@declare_prompt(
    arguments=[
        PromptArgument("arg1", "First test argument.", required=True),
        PromptArgument("arg2", "Second test argument.", required=True),
    ],
    complete=_words,
)
@_documented
async def test_prompt_with_arguments(arguments: Given, ctx: ToolContext[Workspace]) -> str:
    """Give the two arguments back."""
    return f"Prompt with arguments: arg1='{arguments['arg1']}', arg2='{arguments['arg2']}'"


@declare_prompt(arguments=[PromptArgument("resourceUri", "URI of the resource to embed.", required=True)])
@_documented
async def test_prompt_with_embedded_resource(arguments: Given, ctx: ToolContext[Workspace]) -> Sequence[PromptMessage]:
    """Give a resource and a request."""
    held = EmbeddedResource(arguments["resourceUri"], "Embedded resource content for testing.", "text/plain")
    return [PromptMessage(held), PromptMessage("Please process the embedded resource above.")]


@declare_prompt()
@_documented
async def test_prompt_with_image(arguments: Given, ctx: ToolContext[Workspace]) -> Sequence[PromptMessage]:
    """Give an image and a request."""
    return [PromptMessage(Image(PIXEL)), PromptMessage("Please analyze the image above.")]


@declare_prompt()
@_documented
async def test_input_required_result_prompt(arguments: Given, ctx: ToolContext[Workspace]) -> str:
    """Ask for a context first."""
    context = form(context={"type": "string"})
    try:
        reply = await ctx.ask("What context should the prompt use?", context, key="user_context")
    except CannotAsk:
        return "There is nobody to ask for a context."
    return f"Context: {reply.content.get('context', 'none')}"
