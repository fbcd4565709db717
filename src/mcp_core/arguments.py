"""`ToolArguments`: the base of argument models, and the place where tools are declared."""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, TypeVar, overload

from pydantic import BaseModel, ConfigDict

from mcp_core.consent import Consent
from mcp_core.description import describe
from mcp_core.registry import Collection
from mcp_core.schema import model_schema, schema_markdown
from mcp_core.spec import RUNS, Example, ToolAnnotations, ToolFunction, ToolSpec

__all__ = ["ToolArguments"]

F = TypeVar("F", bound=Callable[..., Any])


class ToolArguments(BaseModel):
    """Arguments of a tool: unknown names are refused, assignments are validated, wire names may be aliases."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, populate_by_name=True)

    _collection: ClassVar[Collection] = Collection()
    _loop_locks: ClassVar[weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]] = (
        weakref.WeakKeyDictionary()
    )

    @overload
    @classmethod
    def declare(cls, func: F, /) -> F: ...
    @overload
    @classmethod
    def declare(
        cls,
        /,
        *,
        name: str | None = None,
        toolset: str = "",
        annotations: ToolAnnotations = RUNS,
        title: str | None = None,
        examples: Iterable[Example] = (),
        usage: str = "",
        consent: Consent | None = None,
        prefix: str | None = None,
        timeout: float | None = None,
        hidden: bool = False,
        writes_with: str = "",
        reads_when: Callable[[Mapping[str, Any]], bool] | None = None,
        sections_in_list: bool = False,
        tags: Iterable[str] = (),
    ) -> Callable[[F], F]: ...
    @classmethod
    def declare(cls, func: F | None = None, /, **options: Any) -> F | Callable[[F], F]:
        """Add a function to the collection and return it unchanged.

        Use it bare (`@ToolArguments.declare`) or with the fields of `ToolSpec`.
        """

        def add(function: F) -> F:
            ToolArguments._collection.add(_spec(function, options))
            return function

        return add if func is None else add(func)

    @classmethod
    def get_declared_tools(cls) -> dict[str, ToolFunction]:
        """Remove and return the tools declared since the last call, by name."""
        return ToolArguments._collection.drain()

    @classmethod
    async def aget_declared_tools(cls) -> dict[str, ToolFunction]:
        """The same for coroutines, one at a time.

        The asyncio lock only orders coroutines of one loop; declarations are guarded by the thread lock
        inside the collection, because an import cannot await.
        """
        lock = ToolArguments._loop_locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
        async with lock:
            return ToolArguments._collection.drain()

    @classmethod
    def catalogue(cls, toolset: str | None = None) -> tuple[ToolSpec, ...]:
        """All declared tools, or those of one tool set, drained or not. Servers are built from these."""
        return ToolArguments._collection.specs(toolset)

    @classmethod
    def spec_of(cls, func: ToolFunction) -> ToolSpec:
        """The declared spec of `func`, or one made from its signature."""
        return ToolArguments._collection.spec_of(func) or _spec(func, {})

    @classmethod
    @contextlib.contextmanager
    def isolated(cls) -> Iterator[Collection]:
        """Use an empty collection inside the block. For tests."""
        kept = ToolArguments._collection
        ToolArguments._collection = Collection()
        try:
            yield ToolArguments._collection
        finally:
            ToolArguments._collection = kept

    @classmethod
    def to_schema_markdown(cls) -> str:
        """The arguments as a markdown list: names, types, required or optional, descriptions."""
        return schema_markdown(model_schema(cls))

    @classmethod
    def build_tool_description(cls, func: ToolFunction) -> str:
        """The whole description for registration: the docstring, the generated schema, usage, examples."""
        return describe(ToolArguments.spec_of(func), "full")


def _spec(func: ToolFunction, options: Mapping[str, Any]) -> ToolSpec:
    known = dict(options)
    name = known.pop("name", None) or func.__name__
    known["examples"] = tuple(known.get("examples", ()))
    known["tags"] = frozenset(known.get("tags", ()))
    spec = ToolSpec(name=name, func=func, **known)
    if "<locals>" in func.__qualname__:
        _ = spec.parameters  # its annotations may use names that are gone when the enclosing function returns
    return spec
