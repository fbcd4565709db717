"""JSON-RPC messages: parsing, checking, batches, replies. A malformed message gets JSON-RPC's own error codes."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import orjson

from mcp_core.jsonable import to_json_bytes

__all__ = [
    "BATCH_REVISION", "INTERNAL_ERROR", "INVALID_PARAMS", "INVALID_REQUEST", "LARGE", "LARGEST_BATCH",
    "METHOD_NOT_FOUND", "PARSE_ERROR", "Document", "Malformed", "NotJson", "Replies", "batch_members", "checked",
    "dump", "error_reply", "is_batch", "is_request", "load", "read",
]  # fmt: skip

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

BATCH_REVISION = "2025-03-26"
"""The only revision of MCP with batches."""
LARGEST_BATCH = 100

Document = dict[str, Any]
Id = str | int

LARGE = 64 << 10
"""Bytes of a message above which reading, checking and recording it is left to a thread, where others wait too."""
MOST_VALUES = 50_000
"""JSON values in one message. Data belongs into texts: a value is an object for each part of the server."""

_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)
_LONG = b"0" * 19
_MOST_DIGITS = 1000


class NotJson(ValueError):
    """Why the text cannot be parsed, and what a lenient parser makes of it: that may still hold the id."""

    def __init__(self, reason: str, document: Any = None) -> None:
        super().__init__(reason)
        self.document = document


class Malformed(Exception):
    """Not a JSON-RPC message: the error code, the reason, and the id to answer to if there is one."""

    def __init__(self, code: int, message: str, request_id: Id | None = None) -> None:
        super().__init__(message)
        self.code, self.request_id = code, request_id

    def line(self) -> bytes:
        return dump(error_reply(self.request_id, self.code, str(self)))


def load(data: bytes | bytearray) -> Any:
    """Parse JSON with exact numbers.

    orjson rounds integers beyond 64 bits, so a text with 19 digits in a row is parsed by the standard library.
    """
    if len(data) > LARGE and not _has_few_values(data):
        raise NotJson(f"it holds more than {MOST_VALUES:,} values; pass large data as one text, or by a doc:// URI")
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise NotJson(str(error), _leniently(data)) from None
    if _LONG in data.translate(_ZEROS):
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise NotJson(reason, document) from None
    return document


def _has_few_values(data: bytes | bytearray) -> bool:
    """Whether a message holds at most `MOST_VALUES` values: known before it is parsed, in time linear in its size."""
    if sum(map(data.count, _BEFORE_VALUES)) <= MOST_VALUES:
        return True
    bare = data.replace(b"\\\\", b"").replace(b'\\"', b"")  # now every quote begins or ends a text
    if bare.count(b'"') > 4 * MOST_VALUES:  # a text is a value or the key of one
        return False
    between = b"".join(bare.split(b'"')[::2])
    return sum(map(between.count, _BEFORE_VALUES)) <= MOST_VALUES


_BEFORE_VALUES = (b",", b"[", b"{")


def _leniently(data: bytes | bytearray) -> Any:
    """Parse what orjson refuses but the grammar allows: a number beyond doubles, half a surrogate pair."""
    try:
        return json.loads(data, parse_int=lambda digits: int(digits) if len(digits) < _MOST_DIGITS else None)
    except (ValueError, RecursionError):
        return None


def read(line: bytes) -> Any:
    """The JSON value of a line or body."""
    try:
        return load(line)
    except NotJson as error:
        raise Malformed(PARSE_ERROR, f"Parse error: {error}", _id_of(error.document)) from None


def checked(document: Any) -> Document:
    """`document` if it has the shape of a JSON-RPC message."""
    if isinstance(document, list):
        raise Malformed(INVALID_REQUEST, "Invalid Request: only revision 2025-03-26 has batches, and no empty ones")
    if not isinstance(document, dict):
        raise Malformed(INVALID_REQUEST, "Invalid Request: a message is an object")
    request_id = _checked_id(document)
    if document.get("jsonrpc") != "2.0":
        raise Malformed(INVALID_REQUEST, 'Invalid Request: jsonrpc must be "2.0"', request_id)
    if "method" in document:
        _check_call(document, request_id)
    elif ("result" in document) == ("error" in document) or "id" not in document:
        raise Malformed(INVALID_REQUEST, "Invalid Request: neither a call nor a reply", request_id)
    return document


def is_request(document: Document) -> bool:
    return "method" in document and "id" in document


def _id_of(document: Any) -> Id | None:
    found = document.get("id") if isinstance(document, dict) else None
    return found if type(found) in (str, int) else None


def _checked_id(document: Document) -> Id | None:
    if "id" not in document:
        return None
    request_id = document["id"]
    if type(request_id) not in (str, int):
        if request_id is None and "error" in document:
            return None
        raise Malformed(INVALID_REQUEST, "Invalid Request: id must be a string or a whole number")
    return request_id  # type: ignore[no-any-return]


def _check_call(document: Document, request_id: Id | None) -> None:
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
        # Half a surrogate pair, a number beyond 64 bits and 254 levels of nesting have a JSON form too.
        return to_json_bytes(document)


def error_reply(request_id: Id | None, code: int, message: str, data: Any = None) -> Document:
    error = {"code": code, "message": message, **({"data": data} if data is not None else {})}
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def is_batch(document: Any, revision: str | None) -> bool:
    """True for a batch of a client that may send one; an empty array is not a message."""
    return isinstance(document, list) and bool(document) and revision == BATCH_REVISION


def batch_members(batch: list[Any]) -> tuple[list[Document], list[Malformed]]:
    """The messages of a batch, and the errors of its malformed members."""
    if len(batch) > LARGEST_BATCH:
        raise Malformed(INVALID_REQUEST, f"Invalid Request: a batch may have {LARGEST_BATCH} messages")
    good: list[Document] = []
    bad: list[Malformed] = []
    asked: set[Id] = set()
    for each in batch:
        try:
            good.append(_member(each, asked))
        except Malformed as error:
            bad.append(error)
    return good, bad


def _member(read: Any, asked: set[Id]) -> Document:
    document = checked(read)
    if document.get("method") == "initialize":
        raise Malformed(INVALID_REQUEST, "Invalid Request: initialize comes alone", document.get("id"))
    if is_request(document):
        if document["id"] in asked:
            raise Malformed(INVALID_REQUEST, "Invalid Request: the id stands in this batch twice", document["id"])
        asked.add(document["id"])
    return document


class _Batch:
    def __init__(self, missing: set[Id], lines: list[bytes]) -> None:
        self.missing, self.lines = missing, lines


class Replies:
    """Writes replies: alone, or as one array once all replies of their batch are there."""

    def __init__(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        self._write = write
        self._batches: dict[Id, _Batch] = {}

    async def expect(self, documents: list[Document], wrong: list[Malformed]) -> None:
        """Collect the replies to these requests, and the errors of the batch's malformed members."""
        batch = _Batch({each["id"] for each in documents if is_request(each)}, [error.line() for error in wrong])
        self._batches |= dict.fromkeys(batch.missing, batch)
        await self._send_if_whole(batch)

    async def send(self, request_id: Id | None, line: bytes) -> None:
        batch = self._batches.pop(request_id, None) if request_id is not None else None
        if batch is None:
            await self._write(line)
            return
        batch.lines.append(line)
        await self._without(batch, request_id)

    async def withdraw(self, request_id: Any) -> None:
        """A cancelled request gets no reply: its batch does not wait for it."""
        batch = self._batches.pop(request_id, None) if type(request_id) in (str, int) else None
        if batch is not None:
            await self._without(batch, request_id)

    async def _without(self, batch: _Batch, request_id: Any) -> None:
        batch.missing.discard(request_id)
        await self._send_if_whole(batch)

    async def _send_if_whole(self, batch: _Batch) -> None:
        if not batch.missing and batch.lines:
            await self._write(b"[" + b",".join(batch.lines) + b"]")
