"""The one path of a request: `RequestPath.answer(document, connection)` returns the reply.

Every transport calls it, and nothing else answers. In this order:

1. authenticate: a connection without a principal is refused (HTTP refuses a wrong token before it reads the body);
2. introduce: the client has said who it is, by `initialize` or in the envelope;
3. validate: the parameters have the form that the revision defines;
4. `tools/list` and `tools/call`, also by their old names, are answered here. `Dispatcher.call` does the rest of a
   call: limit, check arguments, ask consent, run, journal, shape;
5. every other method is answered by the SDK, which calls `methods.Methods`;
6. an exception becomes a protocol error, by one table.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp_core import InputNeeded, ProtocolFault, UnknownResource, UnknownScheme, UnknownTool
from mcp_core.jsonable import without_surrogates
from mcp_core.outcome import comes_from_outside, reference_for
from rolltop.errors import InvalidInput, NotFound
from rolltop.server.application import Application
from rolltop.server.connection import CAPABILITIES_KEY, INFO_KEY, LEVELS, LOG_KEY, PROTOCOL_KEY, Connection
from rolltop.server.connection import tool_context as make_context
from rolltop.server.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Document,
    error_reply,
)
from rolltop.server.listing import Listing, stamped

__all__ = ["OLD_NAMES", "RequestPath"]

_OLD = {
    "listTools": "tools/list",
    "callTool": "tools/call",
    "listResources": "resources/list",
    "readResource": "resources/read",
    "listResourceTemplates": "resources/templates/list",
}
OLD_NAMES = _OLD | {name[0].upper() + name[1:]: method for name, method in _OLD.items()}
"""Requirement 003 calls the methods by older names, as `listTools` and as `ListTools`; they are aliases."""

UNAUTHORIZED = -32001
RESOURCE_NOT_FOUND = -32002
"""Up to 2025-11-25; from 2026-07-28 on it is INVALID_PARAMS."""

_OWN = ("tools/call", "tools/list")
_CALL_KEYS = frozenset({"name", "arguments", "_meta"})
_LIST_KEYS = frozenset({"cursor", "_meta"})
_RESOURCE_KEYS = ("uri", "mimeType", "name", "description")
_META_KEYS = frozenset({PROTOCOL_KEY, CAPABILITIES_KEY, INFO_KEY, LOG_KEY, "progressToken"})
_BEFORE_INITIALIZE = "Invalid request parameters"
"""What the SDK says of a request before `initialize`."""
_PROBLEMS_SHOWN = 3


async def _at_once() -> None:
    return None


class RequestPath:
    """Bound to one application. `sdk_ready` waits until the SDK may be imported."""

    def __init__(
        self, application: Application, listing: Listing, sdk_ready: Callable[[], Awaitable[None]] = _at_once
    ) -> None:
        self._application, self.listing, self._sdk_ready = application, listing, sdk_ready

    async def answer(self, document: Document, connection: Connection) -> Document:
        """The reply to a request, as a JSON-RPC document."""
        try:
            result = await self._result(document, connection)
        except BaseException as error:
            if comes_from_outside(error):
                raise
            code, message, data = _error_of(error, document, connection)
            return error_reply(document["id"], code, without_surrogates(message), without_surrogates(data))
        return {"jsonrpc": "2.0", "id": document["id"], "result": result}

    async def _result(self, document: Document, connection: Connection) -> Any:
        if not connection.principal:
            raise ProtocolFault(UNAUTHORIZED, "Unauthorized: nobody was authenticated for this request")
        called = document["method"]
        method = OLD_NAMES.get(called, called)
        if method not in _OWN:
            if method == called:
                return await connection.rest(document)
            return _as_documented(await connection.rest({**document, "method": method}))
        if connection.client is None:
            raise _before_initialize(called)
        params = document.get("params") or {}
        if not _is_plain(method, params):
            await self._validate(method, params, connection)
        if method == "tools/list":
            return self.listing.result(
                params.get("cursor"),
                modern=connection.modern,
                serialised=not connection.plain_results,
                role=connection.role,
            )
        if called != method and self._application.registry.find(params["name"]) is None:
            nearest = self._application.registry.nearest(params["name"])
            raise ProtocolFault(METHOD_NOT_FOUND, str(UnknownTool(params["name"], nearest)))
        result = await self._call(params, connection)
        return result if called == method else _as_documented(_with_error_codes(result))

    async def _validate(self, method: str, params: Mapping[str, Any], connection: Connection) -> None:
        """The SDK's check, for anything beyond the plain form; raises `ValidationError`."""
        assert connection.client is not None
        await self._sdk_ready()
        from mcp_types.methods import validate_client_request  # noqa: PLC0415 - loaded by now, where it is awaited

        validate_client_request(method, connection.client.protocol, params)

    async def _call(self, params: Mapping[str, Any], connection: Connection) -> Any:
        if not connection.modern:
            return await self._run(params, connection)
        if params.get("requestState") is None:
            try:
                return await self._run(params, connection)
            except InputNeeded as needed:
                from rolltop.server.sdk import input_required, sealed  # noqa: PLC0415

                return await sealed("tools/call", params, connection.principal, _returning(input_required(needed)))
        from rolltop.server.sdk import input_required, sealed  # noqa: PLC0415

        async def next_round(opened: Mapping[str, Any]) -> Any:
            try:
                return await self._run(opened, connection)
            except InputNeeded as needed:
                return input_required(needed)

        return await sealed("tools/call", params, connection.principal, next_round)

    async def _run(self, params: Mapping[str, Any], connection: Connection) -> dict[str, Any]:
        context = make_context(self._application, connection, params)
        answer = await self._application.dispatcher.call(params["name"], params.get("arguments"), context)
        return stamped(answer.wire()) if connection.modern else answer.wire()


def _returning(result: Any) -> Callable[[Mapping[str, Any]], Awaitable[Any]]:
    async def give(_: Mapping[str, Any]) -> Any:
        return result

    return give


def _is_plain(method: str, params: Mapping[str, Any]) -> bool:
    """True for parameters that are valid in every revision, at a glance; the SDK checks all others."""
    meta = params.get("_meta")
    if meta is not None and not _is_plain_meta(meta):
        return False
    if method == "tools/list":
        return params.keys() <= _LIST_KEYS and type(params.get("cursor", "")) is str
    return (
        params.keys() <= _CALL_KEYS
        and type(params.get("name")) is str
        and ("arguments" not in params or type(params["arguments"]) is dict)
    )


def _is_plain_meta(meta: Any) -> bool:
    if type(meta) is not dict or not meta.keys() <= _META_KEYS:
        return False
    if type(meta.get("progressToken", 0)) not in (int, str) or meta.get(LOG_KEY, "info") not in LEVELS:
        return False
    info, offered = meta.get(INFO_KEY), meta.get(CAPABILITIES_KEY)
    if INFO_KEY in meta and not (
        type(info) is dict and info.keys() == {"name", "version"} and all(type(each) is str for each in info.values())
    ):
        return False
    # Capabilities with options inside are the SDK's to check.
    return CAPABILITIES_KEY not in meta or (type(offered) is dict and not any(each != {} for each in offered.values()))


def _as_documented(result: Any) -> Any:
    """What requirement 003 shows of a result: the sentence of a call, and four fields of a resource."""
    if not isinstance(result, Mapping):
        return result
    kept = {key: value for key, value in result.items() if key not in ("structuredContent", "_meta")}
    if not kept.get("isError"):
        kept.pop("isError", None)
    if isinstance(kept.get("content"), list):
        kept["content"] = [{"type": "text", "text": each["text"]} for each in kept["content"][:1]]
    if isinstance(kept.get("resources"), list):
        kept["resources"] = [{key: each[key] for key in _RESOURCE_KEYS if key in each} for each in kept["resources"]]
    return kept


def _with_error_codes(result: dict[str, Any]) -> dict[str, Any]:
    """`callTool` of requirement 003: a failure with a numeric code is an error of the protocol."""
    error = (result.get("structuredContent") or {}).get("error") if "structuredContent" in result else None
    if isinstance(error, dict) and isinstance(error.get("code"), int):
        raise ProtocolFault(error["code"], str(error.get("message", "the tool failed")), error)
    return result


def _before_initialize(method: str) -> ProtocolFault:
    return ProtocolFault(INVALID_PARAMS, f"{method} came before initialize; send initialize first")


def _error_of(error: BaseException, document: Document, connection: Connection) -> tuple[int, str, Any]:
    """Code, message and data for an exception. The words of an unexpected one stay in the log."""
    if isinstance(error, ProtocolFault):
        return error.code, error.message, error.data
    if isinstance(error, UnknownTool):
        return INVALID_PARAMS, str(error), None
    reads = OLD_NAMES.get(document["method"], document["method"]) == "resources/read"
    uri = (document.get("params") or {}).get("uri") if reads else None
    if isinstance(error, UnknownScheme):
        return INVALID_REQUEST, f"Invalid URI format: {error}", _present(uri=uri, hint=error.hint)
    if isinstance(error, UnknownResource):
        code = INVALID_PARAMS if connection.modern else RESOURCE_NOT_FOUND
        return code, str(error), _present(uri=uri, hint=error.hint)
    if (error_type := getattr(error, "error_type", None)) is not None:
        code = INVALID_PARAMS if uri is not None or isinstance(error, InvalidInput | NotFound) else INTERNAL_ERROR
        return code, str(error), _present(uri=uri) | {"code": error_type, "hint": getattr(error, "hint", None)}
    return _foreign_error_of(error, document, connection)


def _foreign_error_of(error: BaseException, document: Document, connection: Connection) -> tuple[int, str, Any]:
    """The same for exceptions of the SDK, which is loaded when one of them is there."""
    module = type(error).__module__
    if module.startswith("pydantic"):
        from pydantic import ValidationError  # noqa: PLC0415

        if isinstance(error, ValidationError):
            return INVALID_PARAMS, f"Invalid params of {document['method']}: {_problems(error)}", None
    if module.startswith("mcp"):
        from mcp.shared.exceptions import MCPError  # noqa: PLC0415

        if isinstance(error, MCPError):
            if error.error.message == _BEFORE_INITIALIZE and connection.client is None:
                fault = _before_initialize(document["method"])
                return fault.code, fault.message, None
            return error.error.code, error.error.message, error.error.data
    return INTERNAL_ERROR, f"Internal error: the server's log has the details under {reference_for(error)}", None


def _present(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}


def _problems(error: Any) -> str:
    """What is wrong with parameters, in words."""
    found: dict[str, str] = {}
    for item in error.errors(include_url=False, include_context=False, include_input=False):
        place = ".".join(str(part) for part in item["loc"] if part != "params") or "params"
        found.setdefault(place, item["msg"])
    shown = [f"{place}: {_expected(said)}" for place, said in list(found.items())[:_PROBLEMS_SHOWN]]
    more = f"; and {len(found) - _PROBLEMS_SHOWN} more" if len(found) > _PROBLEMS_SHOWN else ""
    return "; ".join(shown) + more


def _expected(said: str) -> str:
    if said == "Field required":
        return "is missing"
    wanted = said.removeprefix("Input should be ").partition(" or instance of ")[0]
    return f"expected {wanted.replace('a valid dictionary', 'an object').replace('a valid string', 'a text')}"
