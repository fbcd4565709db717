"""Prompts: text that a user calls by name. Declared like tools, documented in four sections."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from mcp_core.content import Block
from mcp_core.context import ToolContext

__all__ = ["Prompt", "PromptArgument", "PromptMessage", "declare_prompt", "declared_prompts"]

SECTIONS = ("Description", "Conceptual Schema", "Usage Instructions", "Concrete Examples")
"""The headings of a prompt's documentation, in order."""

Render = Callable[[Mapping[str, str], ToolContext[Any]], Awaitable["Sequence[PromptMessage] | str"]]
Complete = Callable[[str, str, ToolContext[Any]], Awaitable[Sequence[str]]]
F = TypeVar("F", bound=Callable[..., Any])

_declared: dict[str, Prompt] = {}


@dataclass(frozen=True, slots=True)
class PromptArgument:
    name: str
    description: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class PromptMessage:
    content: str | Block
    role: str = "user"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: `render(arguments, ctx)` gives its messages, `complete(argument, value, ctx)` suggestions."""

    name: str
    render: Render
    arguments: tuple[PromptArgument, ...] = ()
    complete: Complete | None = None
    title: str | None = None
    module: str = ""

    @property
    def text(self) -> str:
        return inspect.cleandoc(self.render.__doc__ or "")

    @property
    def summary(self) -> str:
        return self.text.partition("\n")[0].strip()


def declare_prompt(
    name: str | None = None,
    *,
    arguments: Sequence[PromptArgument] = (),
    complete: Complete | None = None,
    title: str | None = None,
) -> Callable[[F], F]:
    """Declare `async def prompt(arguments, ctx)`; the function comes back unchanged."""

    def declare(func: F) -> F:
        prompt = Prompt(name or func.__name__, func, tuple(arguments), complete, title, func.__module__)
        known = _declared.get(prompt.name)
        if known is not None and known.module != prompt.module:
            raise ValueError(f"two prompts are called {prompt.name!r}: in {known.module} and in {prompt.module}")
        _declared[prompt.name] = prompt
        return func

    return declare


def declared_prompts(modules: Sequence[str]) -> tuple[Prompt, ...]:
    """The prompts that these modules declared."""
    return tuple(prompt for prompt in _declared.values() if prompt.module in modules)
