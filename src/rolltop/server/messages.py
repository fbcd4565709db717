"""JSON-RPC messages as the SDK's models, in and out."""

from __future__ import annotations

from typing import Any

import mcp_types as types

from rolltop.server.jsonrpc import INVALID_REQUEST, Malformed, dump

__all__ = ["Message", "encode", "to_message"]

Message = types.JSONRPCRequest | types.JSONRPCNotification | types.JSONRPCResponse | types.JSONRPCError


def to_message(document: dict[str, Any]) -> Message:
    """The SDK's model of a parsed message."""
    if "method" in document:
        method, params = document["method"], document.get("params")
        if "id" in document:
            return types.JSONRPCRequest(jsonrpc="2.0", id=document["id"], method=method, params=params)
        return types.JSONRPCNotification(jsonrpc="2.0", method=method, params=params)
    try:
        return types.jsonrpc_message_adapter.validate_python(document, by_name=False)
    except ValueError:
        raise Malformed(INVALID_REQUEST, "Invalid Request: neither a call nor a reply", document.get("id")) from None


def encode(message: Message) -> bytes:
    """One line for one message."""
    if isinstance(message, types.JSONRPCResponse):
        document: dict[str, Any] = {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    else:
        document = message.model_dump(by_alias=True, mode="json", exclude_unset=True)
    return dump(document)
