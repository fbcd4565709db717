"""MCP methods other than tools (`Methods`), and notifications about changes (`Notifications`).

Methods raise what goes wrong; `RequestPath` turns it into a protocol error.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.connection import Connection as SdkConnection
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)

from mcp_core import Change, Prompt, ProtocolFault, ResourceContent, ResourceInfo, TemplateInfo, ToolContext
from mcp_core.result import wire_block
from rolltop.errors import RolltopError
from rolltop.prompts.files import project_prompts
from rolltop.server.application import Application
from rolltop.server.connection import Connection, tool_context
from rolltop.server.jsonrpc import INVALID_PARAMS
from rolltop.server.listing import PAGE, page_of
from rolltop.server.resources import list_resources, list_templates
from rolltop.server.subscriptions import ResourceWatch
from rolltop.workspace import Workspace

__all__ = ["Methods", "Notifications"]


COMPLETIONS = 100

Context = ServerRequestContext[Any, Any]


class Methods:
    """`connection_of` finds the connection of a request that the SDK handles."""

    def __init__(self, application: Application, connection_of: Callable[[Context], Connection]) -> None:
        self._application, self._connection_of = application, connection_of

    def context(self, ctx: Context) -> ToolContext[Workspace]:
        return tool_context(self._application, self._connection_of(ctx), ctx.params or {})

    async def set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        self._connection_of(ctx).log_threshold.set(params.level)
        return types.EmptyResult()

    async def list_resources(self, ctx: Context, params: types.PaginatedRequestParams | None) -> Any:
        """All providers' lists one after the other; `_meta` names those that cannot be listed now, and why."""
        cursor = params.cursor if params else None
        listed = await list_resources(self._application.providers, cursor, self.context(ctx))
        result: dict[str, Any] = {"resources": [_resource(info) for info in listed.items]}
        meta = {"rolltop/missing": listed.missing} if listed.missing else None
        return types.ListResourcesResult.model_validate(
            {**result, "nextCursor": listed.following, "_meta": meta}, by_name=False
        )

    async def list_templates(self, ctx: Context, params: types.PaginatedRequestParams | None) -> Any:
        page, following = _page([_template(each) for each in list_templates(self._application.providers)], params)
        return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": page, "nextCursor": following})

    async def read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> Any:
        contents = await self._application.read(str(params.uri), self.context(ctx))
        return types.ReadResourceResult.model_validate({"contents": [_contents(each) for each in contents]})

    async def list_prompts(self, ctx: Context, params: types.PaginatedRequestParams | None) -> Any:
        prompts = [
            {
                "name": prompt.name,
                "title": prompt.title,
                "description": prompt.summary,
                "arguments": [
                    {"name": each.name, "description": each.description, "required": each.required}
                    for each in prompt.arguments
                ],
            }
            for prompt in (await self._prompts(self.context(ctx))).values()
        ]
        page, following = _page(prompts, params)
        return types.ListPromptsResult.model_validate({"prompts": page, "nextCursor": following})

    async def get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> Any:
        prompt = await self._prompt(params.name, self.context(ctx))
        given = dict(params.arguments or {})
        missing = [each.name for each in prompt.arguments if each.required and each.name not in given]
        if missing:
            raise ProtocolFault(INVALID_PARAMS, f"Invalid params: the prompt needs {', '.join(missing)}")
        try:
            rendered = await prompt.render(given, self.context(ctx))
        except RolltopError as error:
            rendered = f"{error}\n{error.hint or ''}".strip()
        messages = (
            [{"role": "user", "content": {"type": "text", "text": rendered}}]
            if isinstance(rendered, str)
            else [_message(each) for each in rendered]
        )
        return types.GetPromptResult.model_validate({"description": prompt.summary, "messages": messages})

    async def complete(self, ctx: Context, params: types.CompleteRequestParams) -> Any:
        context = self.context(ctx)
        context.beside = (params.context and params.context.arguments) or {}
        argument, value = params.argument.name, params.argument.value
        found: Sequence[str] = []
        if isinstance(params.ref, types.PromptReference):
            prompt = await self._prompt(params.ref.name, context)
            if prompt.complete is not None:
                found = await prompt.complete(argument, value, context)
        else:
            provider = self._application.provider_for(str(params.ref.uri))
            if provider is not None:
                found = await provider.complete(str(params.ref.uri), argument, value, context)
        completion = {"values": list(found[:COMPLETIONS]), "total": len(found), "hasMore": len(found) > COMPLETIONS}
        return types.CompleteResult.model_validate({"completion": completion})

    async def _prompts(self, context: ToolContext[Workspace]) -> dict[str, Prompt]:
        """Ours, and where the guide is served those of the client's project; ours win."""
        own = self._application.prompts
        return {**await project_prompts(context), **own} if "guide" in own else own

    async def _prompt(self, name: str, context: ToolContext[Workspace]) -> Prompt:
        prompt = self._application.prompts.get(name) or (await self._prompts(context)).get(name)
        if prompt is None:
            raise ProtocolFault(INVALID_PARAMS, f"Unknown prompt: {name}")
        return prompt


def _page(items: list[dict[str, Any]], params: types.PaginatedRequestParams | None) -> tuple[Any, str | None]:
    return page_of(items, params.cursor if params else None, PAGE)


def _resource(info: ResourceInfo) -> dict[str, Any]:
    return _present(
        uri=info.uri,
        name=info.name,
        title=info.title,
        description=info.description,
        mimeType=info.mime_type,
        size=info.size,
    )


def _template(info: TemplateInfo) -> dict[str, Any]:
    return _present(
        uriTemplate=info.uri_template,
        name=info.name,
        title=info.title,
        description=info.description,
        mimeType=info.mime_type,
    )


def _contents(content: ResourceContent) -> dict[str, Any]:
    shared = _present(uri=content.uri, mimeType=content.mime_type, _meta=content.meta or None)
    if isinstance(content.content, str):
        return {**shared, "text": content.content}
    return {**shared, "blob": base64.b64encode(content.content).decode("ascii")}


def _message(message: Any) -> dict[str, Any]:
    content = message.content
    block = {"type": "text", "text": content} if isinstance(content, str) else wire_block(content)
    return {"role": message.role, "content": block}


def _present(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}


_LISTS: dict[str, type[ToolsListChanged | PromptsListChanged | ResourcesListChanged]] = {
    "tools": ToolsListChanged,
    "prompts": PromptsListChanged,
    "resources": ResourcesListChanged,
}


class Notifications:
    """Sends changes to clients: by `subscriptions/listen` streams, and by notification to clients of 2025.

    A client is kept while its connection is open; the SDK drops what is sent to a closed one.
    """

    def __init__(self, application: Application, context_of: Callable[[Context], ToolContext[Workspace]]) -> None:
        self._application, self._context_of = application, context_of
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus)
        self._watch = ResourceWatch(lambda uri: self._start(Change("resource", uri)))
        self.loop: asyncio.AbstractEventLoop | None = None
        self._subscribed: dict[SdkConnection, dict[str, Path]] = {}
        """The clients of 2025 that are connected, with the resources they subscribed to and the workspace of each."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def connected(self, ctx: Context, params: types.NotificationParams | None) -> None:
        connection = self._remembered(ctx)
        if self._application.list_was_stale:
            self._application.list_was_stale = False
            await connection.send_tool_list_changed()

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Tell of changes of a resource, whichever process makes them; one that does not exist is refused."""
        uri, context, connection = str(params.uri), self._context_of(ctx), self._remembered(ctx)
        if uri not in self._subscribed[connection]:
            await self._watch.add(uri, context)
            self._subscribed[connection][uri] = context.workspace.root
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        uri = str(params.uri)
        if (root := self._subscribed[self._remembered(ctx)].pop(uri, None)) is not None:
            self._watch.remove(uri, root)
        return types.EmptyResult()

    def _forget(self, connection: SdkConnection) -> None:
        for uri, root in self._subscribed.pop(connection, {}).items():
            self._watch.remove(uri, root)

    async def listen(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        """One stream of changes; its resources are watched as long as it is open."""
        context, watched = self._context_of(ctx), list[str]()
        try:
            for uri in params.notifications.resource_subscriptions or ():
                await self._watch.add(str(uri), context)
                watched.append(str(uri))
            return await self._streams(ctx, params)
        finally:
            for uri in watched:
                self._watch.remove(uri, context.workspace.root)

    def close(self) -> None:
        self._watch.close()
        self._streams.close()

    def from_any_thread(self, change: Change) -> None:
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._start, change)

    def _remembered(self, ctx: Context) -> SdkConnection:
        """The client's connection; a session of the SDK is one request's view of it."""
        connection = ctx.session._connection
        if connection not in self._subscribed:
            self._subscribed[connection] = {}
            connection.exit_stack.callback(self._forget, connection)
        return connection

    def _start(self, change: Change) -> None:
        task = asyncio.get_running_loop().create_task(self._deliver(change))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, change: Change) -> None:
        uri = change.uri or ""
        if change.kind == "resource":
            await self._watch.refresh(uri)
            await self._bus.publish(ResourceUpdated(uri))
            receivers = [connection for connection, uris in self._subscribed.items() if uri in uris]
        else:
            event: ServerEvent = _LISTS[change.kind]()
            await self._bus.publish(event)
            receivers = list(self._subscribed)
        # Concurrently: a client that does not read must not delay the others.
        await asyncio.gather(*(_tell(connection, change.kind, uri) for connection in receivers))


async def _tell(connection: SdkConnection, kind: str, uri: str) -> None:
    match kind:
        case "resource":
            await connection.send_resource_updated(uri)
        case "tools":
            await connection.send_tool_list_changed()
        case "prompts":
            await connection.send_prompt_list_changed()
        case _:
            await connection.send_resource_list_changed()
