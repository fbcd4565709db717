"""One path: more than a thousand requests get the same answer over every transport and in both eras."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from mcp_core import ClientInfo, ProtocolFault
from rolltop.access import Role
from rolltop.server.application import Application
from rolltop.server.connection import Connection, client_of
from rolltop.server.jsonrpc import dump, error_reply
from rolltop.server.sdk import Built, build, route_of
from rolltop.settings import load

sys.path.insert(0, str(Path(__file__).parent))

from raw import HELLO, RawStdio

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}
Request = tuple[str, dict[str, Any]]
Answer = dict[str, Any]

GOOD: list[Request] = [
    ("tools/call", {"name": "list_documents", "arguments": {}}),
    ("tools/call", {"name": "search_documents", "arguments": {"query": "nothing"}}),
    ("tools/call", {"name": "grep_documents", "arguments": {"pattern": "x"}}),
    ("tools/call", {"name": "validate_utlx", "arguments": {"transformation": "{ a: 1 }"}}),
    ("tools/call", {"name": "get_stdlib_functions", "arguments": {"query": "sum"}}),
    ("tools/call", {"name": "list_rmd", "arguments": {}}),
    ("tools/call", {"name": "mcptool_list", "arguments": {}}),
    ("tools/call", {"name": "guide_list_categories", "arguments": {}}),
    ("tools/call", {"name": "guide_get_content", "arguments": {"expression": "docs"}}),
    ("tools/call", {"name": "read_resource", "arguments": {"uri": "tool://store_text"}}),
    ("tools/list", {}),
    ("listTools", {}),
    ("resources/list", {}),
    ("listResources", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "tool://store_text"}),
    ("readResource", {"uri": "tool://store_text"}),
    ("prompts/list", {}),
    (
        "completion/complete",
        {"ref": {"type": "ref/resource", "uri": "tool://{name}"}, "argument": {"name": "name", "value": "store"}},
    ),
]
ODD_META: list[Any] = [5, [], "x", {"progressToken": []}, {"progressToken": {}}, {"progressToken": None}, {"other": 1}]
ODD_ARGUMENTS: list[Any] = [
    [], "x", 5, {"no_such_argument": 1}, {"": {}}, {"query": {"a": 1}, "name": 7}, {"limit": "many", "path": []},
]  # fmt: skip


def requests(tools: list[str]) -> Iterator[Request]:
    yield from GOOD
    for method in ("tools/list", "listTools", "resources/list", "prompts/list", "resources/templates/list"):
        for cursor in (5, "bogus", "WzFd", [], {"a": 1}):
            yield method, {"cursor": cursor}
    for uri in ("nope://x", "doc://missing", "answer://x", "tool://nope", 5, "", "rmd:///no.Rmd", "guide://nope"):
        yield "resources/read", {"uri": uri}
        yield "readResource", {"uri": uri}
    for name in ("nope", 5, None):
        yield "prompts/get", {"name": name}
    for method in ("nope", "tools/nope", "tasks/list", ""):
        yield method, {}
    for method in ("tools/call", "callTool"):
        for odd in ({}, {"name": 5}, {"name": None}, {"name": "nope"}, {"name": "store_txt"}, {"arguments": {}}):
            yield method, odd
        for needy in ("store_text", "retrieve_document", "search_documents", "execute_transformation", "create_rmd"):
            yield method, {"name": needy}
            yield method, {"name": needy, "arguments": None}
        for tool in tools:
            yield from ((method, {"name": tool, "arguments": given}) for given in ODD_ARGUMENTS)
    for tool in tools[::3]:
        yield from (("tools/call", {"name": tool, "arguments": {"zz": 1}, "_meta": meta}) for meta in ODD_META)


def normal(answer: Answer) -> Any:
    """An answer without what differs from one run to the next."""
    kept = {"result": answer["result"]} if "result" in answer else {"error": answer["error"]}
    text = json.dumps(kept, sort_keys=True)
    text = re.sub(r"details under [0-9a-f]{8}", "details under REFERENCE", text)
    text = re.sub(
        r'(\\?"(?:executionTime|execution_time_ms|seconds|took_ms|milliseconds)\\?": ?)[0-9.]+', r"\1TIME", text
    )
    return re.sub(r"/[^\" ]*(?:home|workspace|pytest)[^\" ]*", "PATH", text)


class Memory:
    """`RequestPath` itself."""

    def __init__(self, built: Built) -> None:
        self._built = built

    async def ask(self, request: Request, modern: bool) -> Answer:
        method, params = request
        document = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

        async def rest(_: Any) -> Any:
            raise AssertionError("not asked here")

        client = ClientInfo("raw", "1", "2025-11-25", "memory")
        if modern:
            try:
                route = route_of(document)
            except ProtocolFault as fault:
                return error_reply(1, fault.code, fault.message, fault.data)
            client = client_of(route.client_info, route.client_capabilities, route.protocol_version, "memory")
        connection = Connection(client, "local:test", None, rest, modern, Role.OWNER)  # type: ignore[arg-type]
        return json.loads(dump(await self._built.path.answer(document, connection)))  # type: ignore[no-any-return]


async def sdk_answers(built: Built, asked: list[Request], modern: bool) -> list[Answer]:
    """A plain session of the SDK over streams in memory."""
    answers: list[Answer] = []
    async with (
        create_client_server_memory_streams() as ((read, write), (server_read, server_write)),
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(built.server.run, server_read, server_write, built.server.create_initialization_options())

        async def ask(method: str, params: dict[str, Any]) -> Answer:
            await write.send(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method=method, params=params)))
            while True:
                message = (await read.receive()).message  # type: ignore[union-attr]
                if isinstance(message, JSONRPCResponse | JSONRPCError):
                    return message.model_dump(by_alias=True, mode="json", exclude_unset=True)

        if not modern:
            await ask("initialize", HELLO)
            await write.send(SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")))
        answers = [await ask(*each) for each in asked]
        tasks.cancel_scope.cancel()
    return answers


class Http:
    """One connection; a session for 2025."""

    def __init__(self, url: str, modern: bool) -> None:
        self._parts, self._modern = urlsplit(url), modern
        self._connection = http.client.HTTPConnection(self._parts.hostname or "", self._parts.port, timeout=60)
        self._session: dict[str, str] = {}
        if not modern:
            self.ask(("initialize", HELLO))
            self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, request: Request) -> Answer:
        method, params = request
        return self._post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})

    def _post(self, document: dict[str, Any]) -> Answer:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28" if self._modern else "2025-11-25",
            **self._session,
        }
        if self._modern:
            params = document["params"]
            headers["Mcp-Method"] = document["method"]
            if isinstance(named := params.get("uri" if "read" in document["method"].lower() else "name"), str):
                headers["Mcp-Name"] = named
        self._connection.request("POST", self._parts.path, json.dumps(document), headers)
        response = self._connection.getresponse()
        if (session := response.headers.get("mcp-session-id")) is not None:
            self._session = {"Mcp-Session-Id": session}
        body = response.read()
        for line in body.split(b"\n"):
            if line.startswith(b"data: ") and b'"id":1' in line.replace(b" ", b""):
                return json.loads(line[6:])  # type: ignore[no-any-return]
        return json.loads(body) if body.strip() else {}

    def close(self) -> None:
        self._connection.close()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("modern", [False, True], ids=["2025-11-25", "2026-07-28"])
def test_every_transport_gives_the_same_answer(
    modern: bool,
    environment: dict[str, str],
    http_server: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MCP_TOOL_PREFIX", "guide")
    application = Application(load({"workspace": str(tmp_path / "memory")}, prefix_is_default=True))
    built = build(application)
    asked = list(requests([each.name for each in application.registry]))
    if modern:
        asked = [
            (method, {**params, "_meta": {**ENVELOPE, **params.get("_meta", {})}})
            if isinstance(params.get("_meta", {}), dict)
            else (method, params)
            for method, params in asked
        ]
    assert len(asked) >= 1000

    def by_stdio() -> list[Answer]:
        with closing(RawStdio([sys.executable, "-m", "rolltop", "serve"], environment, greet=not modern)) as server:
            answers = []
            for number, (method, params) in enumerate(asked):
                server.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
                answers.append(server.reply(number))
            return answers

    def by_http() -> list[Answer]:
        with closing(Http(http_server(), modern)) as connection:
            return [connection.ask(each) for each in asked]

    async def in_memory() -> list[Answer]:
        memory, own = Memory(built), ("tools/call", "tools/list", "callTool", "listTools")
        return [await memory.ask(each, modern) if each[0] in own else {} for each in asked]

    found = {
        "stdio": by_stdio(),
        "http": by_http(),
        "memory": asyncio.run(in_memory()),
        "sdk": asyncio.run(sdk_answers(built, asked, modern)),
    }
    application.close()
    different = []
    for number, request in enumerate(asked):
        said = {name: normal(answers[number]) for name, answers in found.items() if answers[number]}
        # Rules of HTTP alone: a header that cannot carry an odd name, and no working directory that names a project.
        if "-32020" in said["http"] or "nothing says which project" in said["http"]:
            del said["http"]
        if len(set(said.values())) > 1:
            different.append((request, said))
    assert not different, json.dumps(different[:3], indent=1)[:6000] + f"\n{len(different)} of {len(asked)} differ"
