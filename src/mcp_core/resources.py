"""Resources: what a client may read by URI, offered by a tool set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from mcp_core.context import ToolContext

__all__ = [
    "Page",
    "ResourceContent",
    "ResourceInfo",
    "ResourceProvider",
    "TemplateInfo",
    "UnknownResource",
    "UnknownScheme",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some of a list, and where the rest begins."""

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
    """Text that is no URI, or one whose scheme nobody serves."""


class ResourceProvider(Protocol):
    """One tool set's resources. `schemes` are the URI schemes that are its own."""

    schemes: tuple[str, ...]

    async def list(self, cursor: str | None, ctx: ToolContext[Any]) -> Page[ResourceInfo]: ...
    def templates(self) -> Sequence[TemplateInfo]: ...
    async def read(self, uri: str, ctx: ToolContext[Any]) -> Sequence[ResourceContent]:
        """Raise `UnknownResource` when there is none."""
        ...

    async def complete(self, template: str, argument: str, value: str, ctx: ToolContext[Any]) -> Sequence[str]: ...
