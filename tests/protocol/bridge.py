"""Streamable HTTP in front, `rolltop serve` over stdio behind: the conformance suite speaks HTTP only.

    python bridge.py COMMAND ARG…    prints the URL when it listens

A 2025 session has a process of its own. A 2026 request takes the first process that is idle: sequential
requests meet the same one, concurrent ones never share an id.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import sys
import uuid
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

COMMAND = sys.argv[1:]
MODERN = "io.modelcontextprotocol/protocolVersion"


class Process:
    """One server process; what it says goes to the stream that is open, or to the one that waits for that id."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._streams: dict[Any, asyncio.Queue[dict[str, Any]]] = {}
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls) -> Process:
        pipe = asyncio.subprocess.PIPE
        return cls(await asyncio.create_subprocess_exec(*COMMAND, stdin=pipe, stdout=pipe, limit=1 << 24))

    @property
    def is_idle(self) -> bool:
        return not self._streams

    async def send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._write(message)
        await self._process.stdin.drain()

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")

    async def exchange(self, message: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """Everything that the server says until it has answered."""
        queue = self._streams[message["id"]] = asyncio.Queue()
        answered = False
        try:
            await self.send(message)
            while not answered:
                said = await queue.get()
                answered = said.get("id") == message["id"] and "method" not in said
                yield said
        finally:
            self._streams.pop(message["id"], None)
            if not answered:  # the caller hung up: over stdio that is said by a message
                self._write(cancelled(message["id"]))

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            said = json.loads(line)
            answered = self._streams.get(said.get("id")) if "method" not in said else None
            for queue in [answered] if answered else list(self._streams.values())[-1:]:
                queue.put_nowait(said)

    async def stop(self) -> None:
        self._reading.cancel()
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()


def cancelled(request_id: str | int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}}


sessions: dict[str, Process] = {}
shared: list[Process] = []


async def _process_for(request: Request, message: dict[str, Any]) -> tuple[Process | None, dict[str, str]]:
    if MODERN in ((message.get("params") or {}).get("_meta") or {}):
        process = next((each for each in shared if each.is_idle), None)
        if process is None:
            process = await Process.start()
            shared.append(process)
        return process, {}
    if message.get("method") == "initialize":
        session = uuid.uuid4().hex
        sessions[session] = await Process.start()
        return sessions[session], {"mcp-session-id": session}
    return sessions.get(request.headers.get("mcp-session-id", "")), {}


async def post(request: Request) -> Response:
    message = await request.json()
    process, headers = await _process_for(request, message)
    if process is None:
        error = {"code": -32602, "message": "neither a session nor a protocol version"}
        return JSONResponse({"jsonrpc": "2.0", "id": message.get("id"), "error": error}, 400)
    if "method" not in message or "id" not in message:
        await process.send(message)
        return Response(status_code=202)

    async def events() -> AsyncIterator[bytes]:
        async with contextlib.aclosing(process.exchange(message)) as said:
            async for each in said:
                yield b"event: message\ndata: " + json.dumps(each).encode() + b"\n\n"

    return StreamingResponse(events(), media_type="text/event-stream", headers=headers)


async def delete(request: Request) -> Response:
    if (process := sessions.pop(request.headers.get("mcp-session-id", ""), None)) is not None:
        await process.stop()
    return Response(status_code=204)


@contextlib.asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    yield
    await asyncio.gather(*(process.stop() for process in [*sessions.values(), *shared]))


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    routes = [Route("/mcp", post, methods=["POST"]), Route("/mcp", delete, methods=["DELETE"])]
    config = uvicorn.Config(Starlette(routes=routes, lifespan=lifespan), log_level="error")
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
