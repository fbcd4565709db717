"""Batches: several messages in one array, which revision 2025-03-26 has, and none before or after it.

What comes in one is taken as if it had come by itself; the answers go out together, in an array, once the last
one is there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from rolltop.server.jsonrpc import INVALID_REQUEST, Malformed, checked

__all__ = ["LARGEST", "REVISION", "Replies", "is_batch", "is_request", "members"]

REVISION = "2025-03-26"
LARGEST = 100
"""Messages in one batch."""

Id = str | int


def is_batch(read: Any, revision: str | None) -> bool:
    """Whether what was read is a batch of a client that may send one; an empty array is no message at all."""
    return isinstance(read, list) and bool(read) and revision == REVISION


def members(batch: list[Any]) -> tuple[list[dict[str, Any]], list[Malformed]]:
    """The messages of a batch, and what is wrong with those that are none."""
    if len(batch) > LARGEST:
        raise Malformed(INVALID_REQUEST, f"Invalid Request: a batch may have {LARGEST} messages")
    good: list[dict[str, Any]] = []
    bad: list[Malformed] = []
    asked: set[Id] = set()
    for each in batch:
        try:
            good.append(_member(each, asked))
        except Malformed as error:
            bad.append(error)
    return good, bad


def _member(read: Any, asked: set[Id]) -> dict[str, Any]:
    document = checked(read)
    if document.get("method") == "initialize":
        raise Malformed(INVALID_REQUEST, "Invalid Request: initialize comes alone", document.get("id"))
    if is_request(document):
        if document["id"] in asked:
            raise Malformed(INVALID_REQUEST, "Invalid Request: the id stands in this batch twice", document["id"])
        asked.add(document["id"])
    return document


def is_request(document: dict[str, Any]) -> bool:
    return "method" in document and "id" in document


class _Batch:
    def __init__(self, missing: set[Id], lines: list[bytes]) -> None:
        self.missing, self.lines = missing, lines


class Replies:
    """Answers on their way out: alone, or with the others of their batch."""

    def __init__(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        self._write = write
        self._batches: dict[Id, _Batch] = {}

    async def expect(self, documents: list[dict[str, Any]], wrong: list[Malformed]) -> None:
        """From now on the answers to these go out together, and with them what is wrong with the others."""
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
        """A request that was cancelled gets no answer: the others do not wait for it."""
        batch = self._batches.pop(request_id, None) if type(request_id) in (str, int) else None
        if batch is not None:
            await self._without(batch, request_id)

    async def _without(self, batch: _Batch, request_id: Any) -> None:
        batch.missing.discard(request_id)
        await self._send_if_whole(batch)

    async def _send_if_whole(self, batch: _Batch) -> None:
        if not batch.missing and batch.lines:
            await self._write(b"[" + b",".join(batch.lines) + b"]")
