"""The MCP methods, each a few lines over the desk."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mcp_core import (
    ClientInfo,
    InputNeeded,
    ProtocolFault,
    ResourceContent,
    ResourceInfo,
    TemplateInfo,
    ToolCancelled,
    ToolContext,
    UnknownResource,
    UnknownTool,
)
from mcp_core.content import wire_block
from rolltop.errors import RolltopError
from rolltop.server.asking import Asker, capabilities_of, input_required
from rolltop.server.clientlog import ClientLog
from rolltop.server.desk import Desk
from rolltop.server.paging import INVALID_PARAMS, PAGE, bad_cursor, decode_cursor, encode_cursor, page_of
from rolltop.server.roots import roots_of
from rolltop.workspace import Workspace

__all__ = ["Handlers"]

RESOURCE_NOT_FOUND = -32002
"""Up to 2025-11-25; from 2026-07-28 on it is INVALID_PARAMS."""
METHOD_NOT_FOUND = -32601
COMPLETIONS = 100

Context = ServerRequestContext[Any, Any]


class Handlers:
    """Bound to one desk and one transport."""

    def __init__(self, desk: Desk, transport: str) -> None:
        self.desk = desk
        self.transport = transport
        self.client_log = ClientLog()

    async def list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> Any:
        tools = [registered.wire for registered in self.desk.listed()]
        page, following = _page(tools, params)
        return types.ListToolsResult.model_validate({"tools": page, "nextCursor": following})

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> Any:
        return await self.call(ctx, params.name, params.arguments, params)

    async def call_by_old_name(self, ctx: Context, params: types.CallToolRequestParams) -> Any:
        """`callTool` of requirement 003: an unknown tool is an unknown method, a failure with a code is an error."""
        if self.desk.registry.find(params.name) is None:
            raise MCPError(METHOD_NOT_FOUND, str(UnknownTool(params.name, self.desk.registry.nearest(params.name))))
        result = await self.call_tool(ctx, params)
        error = (result.get("structuredContent") or {}).get("error") if isinstance(result, dict) else None
        if isinstance(error, dict) and isinstance(error.get("code"), int):
            raise MCPError(error["code"], str(error.get("message", "the tool failed")), error)
        return result

    async def call(self, ctx: Context, name: str, arguments: Mapping[str, Any] | None, params: Any) -> Any:
        """Call a tool; `params` may carry the answers of an earlier round."""
        try:
            answer = await self.desk.dispatcher.call(name, arguments, self.tool_context(ctx, params))
        except UnknownTool as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None
        except InputNeeded as needed:
            return input_required(needed)
        except ProtocolFault as fault:
            raise MCPError(fault.code, fault.message, fault.data) from None
        except ToolCancelled:
            raise MCPError(-32800, "The call was cancelled") from None
        wire = answer.wire()
        return {**wire, "resultType": "complete"} if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else wire

    async def list_resources(self, ctx: Context, params: types.PaginatedRequestParams | None) -> Any:
        """All providers' lists one after the other; a cursor says which provider and where in it."""
        cursor = params.cursor if params else None
        index, inner = decode_cursor(cursor, (int, str)) if cursor is not None else (0, None)
        providers = self.desk.providers
        if not isinstance(index, int) or not 0 <= index < len(providers):
            raise _fault(bad_cursor())
        tool_context = self.tool_context(ctx, None)
        found: list[ResourceInfo] = []
        while index < len(providers) and len(found) < PAGE:
            page = await providers[index].list(inner, tool_context)
            found.extend(page.items)
            inner = page.next_cursor
            if inner is None:
                index += 1
        following = encode_cursor(index, inner) if index < len(providers) else None
        return types.ListResourcesResult.model_validate(
            {"resources": [_resource(info) for info in found], "nextCursor": following}
        )

    async def list_templates(self, ctx: Context, params: types.PaginatedRequestParams | None) -> Any:
        templates = [template for provider in self.desk.providers for template in provider.templates()]
        page, following = _page([_template(each) for each in templates], params)
        return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": page, "nextCursor": following})

    async def read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> Any:
        uri = str(params.uri)
        try:
            contents = await self.desk.read(uri, self.tool_context(ctx, params))
        except UnknownResource as error:
            code = INVALID_PARAMS if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else RESOURCE_NOT_FOUND
            raise MCPError(code, str(error), _present(uri=uri, hint=error.hint)) from None
        except ProtocolFault as fault:
            raise MCPError(fault.code, fault.message, fault.data) from None
        except RolltopError as error:
            raise MCPError(
                INVALID_PARAMS, str(error), {"uri": uri, "code": error.error_type, "hint": error.hint}
            ) from None
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
            for prompt in self.desk.prompts.values()
        ]
        page, following = _page(prompts, params)
        return types.ListPromptsResult.model_validate({"prompts": page, "nextCursor": following})

    async def get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> Any:
        prompt = self.desk.prompts.get(params.name)
        if prompt is None:
            raise MCPError(INVALID_PARAMS, f"Unknown prompt: {params.name}")
        given = dict(params.arguments or {})
        missing = [each.name for each in prompt.arguments if each.required and each.name not in given]
        if missing:
            raise MCPError(INVALID_PARAMS, f"Invalid params: the prompt needs {', '.join(missing)}")
        try:
            rendered = await prompt.render(given, self.tool_context(ctx, params))
        except InputNeeded as needed:
            return input_required(needed)
        except RolltopError as error:
            rendered = f"{error}\n{error.hint or ''}".strip()
        messages = (
            [{"role": "user", "content": {"type": "text", "text": rendered}}]
            if isinstance(rendered, str)
            else [_message(each) for each in rendered]
        )
        return types.GetPromptResult.model_validate({"description": prompt.summary, "messages": messages})

    async def complete(self, ctx: Context, params: types.CompleteRequestParams) -> Any:
        tool_context = self.tool_context(ctx, None)
        tool_context.beside = (params.context and params.context.arguments) or {}
        argument, value = params.argument.name, params.argument.value
        found: Sequence[str] = []
        if isinstance(params.ref, types.PromptReference):
            prompt = self.desk.prompts.get(params.ref.name)
            if prompt is None:
                raise MCPError(INVALID_PARAMS, f"Unknown prompt: {params.ref.name}")
            if prompt.complete is not None:
                found = await prompt.complete(argument, value, tool_context)
        else:
            provider = self.desk.provider_for(str(params.ref.uri))
            if provider is not None:
                found = await provider.complete(str(params.ref.uri), argument, value, tool_context)
        completion = {"values": list(found[:COMPLETIONS]), "total": len(found), "hasMore": len(found) > COMPLETIONS}
        return types.CompleteResult.model_validate({"completion": completion})

    def tool_context(self, ctx: Context, params: Any) -> ToolContext[Workspace]:
        async def progress(done: float, total: float | None, message: str | None) -> None:
            await ctx.session.report_progress(done, total, message)

        async def log(message: str, level: str) -> None:
            await self.client_log.send(ctx, message, level)

        async def roots() -> Sequence[str]:
            return await roots_of(ctx, asker)

        asker = Asker(ctx, params)

        return self.desk.context(
            self._client(ctx),
            principal=_principal(ctx),
            progress_sink=progress,
            asker=asker.form,
            client_asker=asker.many,
            roots_source=roots,
            log_sink=log,
        )

    def _client(self, ctx: Context) -> ClientInfo:
        introduced = ctx.session.client_params
        known = ClientInfo(protocol=ctx.protocol_version, transport=self.transport, capabilities=capabilities_of(ctx))
        if introduced is None:
            return known
        return replace(known, name=introduced.client_info.name, version=introduced.client_info.version)


def _page(items: list[dict[str, Any]], params: types.PaginatedRequestParams | None) -> tuple[Any, str | None]:
    try:
        return page_of(items, params.cursor if params else None, PAGE)
    except ProtocolFault as fault:
        raise _fault(fault) from None


def _fault(fault: ProtocolFault) -> MCPError:
    return MCPError(fault.code, fault.message, fault.data)


def _principal(ctx: Context) -> str | None:
    request = ctx.request
    return getattr(getattr(request, "state", None), "principal", None) if request is not None else None


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
