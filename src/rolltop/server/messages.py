"""JSON-RPC messages, read strictly: what is not one is answered with JSON-RPC's own error codes."""

from __future__ import annotations

from typing import Any

import mcp_types as types
import orjson

__all__ = ["INVALID_REQUEST", "PARSE_ERROR", "Malformed", "decode", "encode", "error_line"]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600

Message = types.JSONRPCRequest | types.JSONRPCNotification | types.JSONRPCResponse | types.JSONRPCError


class Malformed(Exception):
    """Not a message: the code, what was wrong, and the id to answer to where there is one."""

    def __init__(self, code: int, message: str, request_id: str | int | None = None) -> None:
        super().__init__(message)
        self.code, self.request_id = code, request_id

    def line(self) -> bytes:
        return error_line(self.request_id, self.code, str(self))


def decode(line: bytes) -> Message:
    """One message from one line."""
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise Malformed(PARSE_ERROR, f"Parse error: {error}") from None
    if isinstance(document, list):
        raise Malformed(INVALID_REQUEST, "Invalid Request: batches are not part of this protocol")
    if not isinstance(document, dict):
        raise Malformed(INVALID_REQUEST, "Invalid Request: a message is an object")
    request_id = _checked_id(document)
    if document.get("jsonrpc") != "2.0":
        raise Malformed(INVALID_REQUEST, 'Invalid Request: jsonrpc must be "2.0"', request_id)
    if "method" in document:
        return _call(document, request_id)
    return _reply(document, request_id)


def _checked_id(document: dict[str, Any]) -> str | int | None:
    if "id" not in document:
        return None
    request_id = document["id"]
    if type(request_id) not in (str, int):
        if request_id is None and "error" in document:
            return None
        raise Malformed(INVALID_REQUEST, "Invalid Request: id must be a string or a whole number")
    return request_id  # type: ignore[no-any-return]


def _call(document: dict[str, Any], request_id: str | int | None) -> Message:
    method, params = document["method"], document.get("params")
    if not isinstance(method, str):
        raise Malformed(INVALID_REQUEST, "Invalid Request: method must be a string", request_id)
    if params is not None and not isinstance(params, dict):
        raise Malformed(INVALID_REQUEST, "Invalid Request: params must be an object", request_id)
    if "id" in document:
        return types.JSONRPCRequest(jsonrpc="2.0", id=document["id"], method=method, params=params)
    return types.JSONRPCNotification(jsonrpc="2.0", method=method, params=params)


def _reply(document: dict[str, Any], request_id: str | int | None) -> Message:
    try:
        return types.jsonrpc_message_adapter.validate_python(document, by_name=False)
    except ValueError:
        raise Malformed(INVALID_REQUEST, "Invalid Request: neither a call nor a reply", request_id) from None


def encode(message: Message) -> bytes:
    """One line for one message."""
    if isinstance(message, types.JSONRPCResponse):
        document: dict[str, Any] = {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    else:
        document = message.model_dump(by_alias=True, mode="json", exclude_unset=True)
    try:
        return orjson.dumps(document)
    except TypeError:
        # A lone surrogate in a text, or a number beyond 64 bits: both have a JSON form all the same.
        import json  # noqa: PLC0415 - for this case only

        return json.dumps(document, separators=(",", ":")).encode("ascii")


def error_line(request_id: str | int | None, code: int, message: str) -> bytes:
    return orjson.dumps({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}})
