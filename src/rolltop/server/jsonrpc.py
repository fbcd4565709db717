"""JSON-RPC messages, read strictly: what is not one is answered with JSON-RPC's own error codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from mcp_core.jsonable import to_json_bytes
from mcp_core.outcome import reference_for
from rolltop.server.reading import NotJson, load

__all__ = [
    "INTERNAL_ERROR", "INVALID_REQUEST", "PARSE_ERROR", "Malformed", "checked", "defect_line", "defect_text", "dump",
    "error_line", "read",
]  # fmt: skip

INTERNAL_ERROR = -32603
PARSE_ERROR = -32700
INVALID_REQUEST = -32600


class Malformed(Exception):
    """Not a message: the code, what was wrong, and the id to answer to where there is one."""

    def __init__(self, code: int, message: str, request_id: str | int | None = None) -> None:
        super().__init__(message)
        self.code, self.request_id = code, request_id

    def line(self) -> bytes:
        return error_line(self.request_id, self.code, str(self))


def read(line: bytes) -> Any:
    """The JSON of a line, whatever it is."""
    try:
        return load(line)
    except NotJson as error:
        raise Malformed(PARSE_ERROR, f"Parse error: {error}", _id_of(error.document)) from None


def checked(document: Any) -> dict[str, Any]:
    """What was read, if it has the shape of a message of JSON-RPC."""
    if isinstance(document, list):
        raise Malformed(INVALID_REQUEST, "Invalid Request: only revision 2025-03-26 has batches, and no empty ones")
    if not isinstance(document, dict):
        raise Malformed(INVALID_REQUEST, "Invalid Request: a message is an object")
    request_id = _checked_id(document)
    if document.get("jsonrpc") != "2.0":
        raise Malformed(INVALID_REQUEST, 'Invalid Request: jsonrpc must be "2.0"', request_id)
    if "method" in document:
        _check_call(document, request_id)
    return document


def _id_of(document: Any) -> str | int | None:
    found = document.get("id") if isinstance(document, dict) else None
    return found if type(found) in (str, int) else None


def _checked_id(document: dict[str, Any]) -> str | int | None:
    if "id" not in document:
        return None
    request_id = document["id"]
    if type(request_id) not in (str, int):
        if request_id is None and "error" in document:
            return None
        raise Malformed(INVALID_REQUEST, "Invalid Request: id must be a string or a whole number")
    return request_id  # type: ignore[no-any-return]


def _check_call(document: dict[str, Any], request_id: str | int | None) -> None:
    if not isinstance(document["method"], str):
        raise Malformed(INVALID_REQUEST, "Invalid Request: method must be a string", request_id)
    params = document.get("params")
    if params is not None and not isinstance(params, dict):
        raise Malformed(INVALID_REQUEST, "Invalid Request: params must be an object", request_id)


def dump(document: Mapping[str, Any]) -> bytes:
    """JSON of anything that a tool may answer."""
    try:
        return orjson.dumps(document)
    except TypeError:
        # Half a surrogate pair in a text, a number beyond 64 bits, 254 levels: all have a JSON form all the same.
        return to_json_bytes(document)


def error_line(request_id: str | int | None, code: int, message: str, data: Any = None) -> bytes:
    error = {"code": code, "message": message, **({"data": data} if data is not None else {})}
    return dump({"jsonrpc": "2.0", "id": request_id, "error": error})


def defect_line(request_id: str | int | None, error: BaseException) -> bytes:
    """The answer when everything else has failed; the log has the details."""
    return error_line(request_id, INTERNAL_ERROR, defect_text(error))


def defect_text(error: BaseException) -> str:
    """What a client is told of an exception that nobody expected: nothing of its words."""
    return f"Internal error: the server's log has the details under {reference_for(error)}"
