"""A tool set: tools, resources and prompts that are enabled together and share one envelope.

A set names its parts by import paths. Listing the sets therefore imports nothing, and a set that cannot be loaded
does not affect the others.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from mcp_core.arguments import ToolArguments
from mcp_core.context import ToolContext
from mcp_core.envelope import Envelope, ResultEnvelope
from mcp_core.result import Block
from mcp_core.spec import ToolSpec

__all__ = [
    "LiveTools",
    "Need",
    "Page",
    "Prompt",
    "PromptArgument",
    "PromptMessage",
    "ResourceContent",
    "ResourceInfo",
    "ResourceProvider",
    "TemplateInfo",
    "ToolSet",
    "UnknownResource",
    "UnknownScheme",
    "declare_prompt",
    "declared_prompts",
    "resolve",
]


class LiveTools(Protocol):
    """Tools that come from data (files, a configuration) and may change while the server runs."""

    def specs(self) -> Iterable[ToolSpec]:
        """The tools as they are now."""
        ...

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed`, from any thread, when `specs` has changed. Returns a function that ends the watch."""
        ...


@dataclass(frozen=True, slots=True)
class Need:
    """A part that a set needs, and how to install it. `vital`: the set cannot work without it."""

    name: str
    present: bool
    detail: str = ""
    fix: str = ""
    vital: bool = False


@dataclass(frozen=True, slots=True)
class ToolSet:
    """The declaration of a set; strings are import paths, `package.module` or `package.module:name`."""

    name: str
    summary: str
    modules: tuple[str, ...] = ()
    envelope: str | None = None
    resources: str | None = None
    prompts: tuple[str, ...] = ()
    needs: str | None = None
    live: str | None = None
    default_prefix: bool = False
    hidden: bool = False
    instructions: str = ""

    def load(self) -> tuple[ToolSpec, ...]:
        """Import the modules and return the tools that they declare for this set."""
        for module in self.modules:
            importlib.import_module(module)
        return ToolArguments.catalogue(self.name)

    def make_envelope(self) -> Envelope:
        if self.envelope is None:
            return ResultEnvelope()
        made: Envelope = resolve(self.envelope)()
        return made

    def make_resources(self) -> ResourceProvider | None:
        if self.resources is None:
            return None
        made: ResourceProvider = resolve(self.resources)()
        return made

    def make_live(self, workspace: Any) -> LiveTools | None:
        """The set's tools that come from data in the application's `workspace`."""
        if self.live is None:
            return None
        made: LiveTools = resolve(self.live)(workspace)
        return made

    def check_needs(self, settings: Any) -> list[Need]:
        """The parts that the set needs; `settings` is the application's."""
        if self.needs is None:
            return []
        check: Callable[[Any], list[Need]] = resolve(self.needs)
        return check(settings)


def resolve(path: str) -> Any:
    """The object at `package.module:name`."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a list, and the cursor of the next part."""

    items: Sequence[T]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class ResourceInfo:
    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class TemplateInfo:
    """A URI template (RFC 6570) and what it names."""

    uri_template: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None


@dataclass(frozen=True, slots=True)
class ResourceContent:
    """Text, or bytes that go out as base64."""

    uri: str
    content: str | bytes
    mime_type: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)


class UnknownResource(Exception):
    """No resource at that URI."""

    error_type = "not_found"

    def __init__(self, uri: str, hint: str | None = None) -> None:
        super().__init__(f"there is no resource {uri}")
        self.uri, self.hint = uri, hint


class UnknownScheme(UnknownResource):
    """Not a URI, or one with a scheme that no tool set serves."""


class ResourceProvider(Protocol):
    """The resources of one tool set. `schemes` are its URI schemes."""

    schemes: tuple[str, ...]

    async def list(self, cursor: str | None, ctx: ToolContext[Any]) -> Page[ResourceInfo]: ...
    def templates(self) -> Sequence[TemplateInfo]: ...
    async def read(self, uri: str, ctx: ToolContext[Any]) -> Sequence[ResourceContent]:
        """Raise `UnknownResource` when there is none."""
        ...

    async def complete(self, template: str, argument: str, value: str, ctx: ToolContext[Any]) -> Sequence[str]: ...


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
    """Declare `async def prompt(arguments, ctx)` as a prompt; returns the function unchanged."""

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
