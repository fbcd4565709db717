"""Nobody above the others: whatever a first client does, `store_text` of a second one is answered meanwhile.

Nothing here measures milliseconds. Where the first client's work ends only when the test says so, the order of events
is the proof; elsewhere the answer has to come long before the first client's work could be through.
"""

from __future__ import annotations

import http.client
import itertools
import json
import socket
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from conditions import wait_until

CALLS = 40
SECONDS = 20.0
"""An answer that comes later was starved; the first client's work would take minutes."""
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
PLAIN = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

HOG_SET = """
import asyncio, time
from pathlib import Path
from mcp_core import READS, RUNS, Consent, Result, ToolArguments, ToolContext, ToolSet
TOOLSET = ToolSet("hog", "Keeps the server busy.", modules=("hog_set",))

class Until(ToolArguments):
    place: str

def begun(args):
    with open(args.place + ".begun", "a") as file:
        file.write("x")

@ToolArguments.declare(toolset="hog", annotations=READS)
def hold_reading(args: Until) -> Result[str]:
    begun(args)
    while not Path(args.place).exists():
        time.sleep(0.02)
    return Result.ok("released")

@ToolArguments.declare(toolset="hog", annotations=RUNS)
def hold_writing(args: Until) -> Result[str]:
    return hold_reading(args)

@ToolArguments.declare(toolset="hog", annotations=READS)
async def wait(args: Until) -> Result[str]:
    begun(args)
    while not Path(args.place).exists():
        await asyncio.sleep(0.05)
    return Result.ok("released")

@ToolArguments.declare(toolset="hog", annotations=READS)
def burn(args: Until, ctx: ToolContext) -> Result[str]:
    begun(args)
    while not Path(args.place).exists():
        ctx.check_cancelled()
        sum(range(20_000))
    return Result.ok("released")

@ToolArguments.declare(toolset="hog", annotations=READS)
async def ask(args: Until, ctx: ToolContext) -> Result[str]:
    begun(args)
    await ctx.asker("q", "Is it so?", {"type": "object", "properties": {}})
    return Result.ok("answered")
"""


class Server:
    """One server for all scenarios, and what clients do to it."""

    def __init__(self, url: str, place: Path) -> None:
        self.url, self.parts, self.place = url, urlsplit(url), place
        self._numbers = itertools.count(1)
        self.released = place / "never"

    def begin(self) -> None:
        """A new scenario: its calls are held until this file is there."""
        self.released = self.place / f"released-{next(self._numbers)}"

    def begun(self) -> int:
        """How many held calls have begun."""
        file = Path(f"{self.released}.begun")
        return len(file.read_text()) if file.exists() else 0

    def connect(self, timeout: float = 120) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.parts.hostname or "", self.parts.port, timeout=timeout)

    def session(self, capabilities: dict[str, Any] | None = None) -> dict[str, str]:
        """The headers of a new session of 2025."""
        info = {"name": "client", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": capabilities or {}, "clientInfo": info}
        with closing(self.connect()) as connection:
            connection.request("POST", "/mcp", self.message("initialize", hello), PLAIN)
            response = connection.getresponse()
            response.read()
            headers = {**PLAIN, "Mcp-Session-Id": response.headers["mcp-session-id"]}
            connection.request("POST", "/mcp", '{"jsonrpc":"2.0","method":"notifications/initialized"}', headers)
            connection.getresponse().read()
        return headers

    def message(self, method: str, params: dict[str, Any]) -> str:
        return json.dumps({"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params})

    def call(
        self, connection: http.client.HTTPConnection, session: dict[str, str] | None, name: str, given: Any
    ) -> None:
        self.request(connection, session, "tools/call", {"name": name, "arguments": given}, name)

    def request(
        self,
        connection: http.client.HTTPConnection,
        session: dict[str, str] | None,
        method: str,
        params: dict[str, Any],
        name: str | None = None,
    ) -> None:
        if session is None:
            headers = {**PLAIN, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
            headers |= {"Mcp-Name": name} if name else {}
            params = {**params, "_meta": META}
        connection.request("POST", "/mcp", self.message(method, params), session or headers)

    def hang_up_after(self, stack: ExitStack, session: dict[str, str] | None, name: str, given: Any) -> None:
        """Many calls at once; whoever made them hangs up when the stack is closed."""
        for _ in range(CALLS):
            self.call(stack.enter_context(closing(self.connect())), session, name, given)


@pytest.fixture(scope="module")
def server(shared_server: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Server:
    place = tmp_path_factory.mktemp("hog")
    info = place / "site" / "hog_set-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hog-set\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[rolltop.toolsets]\nhog = hog_set:TOOLSET\n")
    (place / "site" / "hog_set.py").write_text(HOG_SET)
    sets = "store,transform,catalog,guide,hog"
    env = {"PYTHONPATH": str(place / "site"), "ROLLTOP_ROOTS": str(place)}
    return Server(shared_server("--toolsets", sets, env=env), place)


Load = Callable[[Server, ExitStack], None]
LOADS: dict[str, Load] = {}


def load(function: Load) -> Load:
    LOADS[function.__name__.replace("_", " ")] = function
    return function


def _held(tool: str, at_least: int, era: str) -> Load:
    def run(server: Server, stack: ExitStack) -> None:
        session = server.session() if era == "2025" else None
        server.hang_up_after(stack, session, tool, {"place": str(server.released)})
        wait_until(lambda: server.begun() >= at_least)

    return run


for _tool, _least in (("hold_reading", 8), ("hold_writing", 8), ("wait", CALLS), ("burn", 8)):
    for _era in ("2025", "2026"):
        LOADS[f"{CALLS} calls of {_tool} in {_era}"] = _held(_tool, _least, _era)


@load
def holding_from_four_sessions(server: Server, stack: ExitStack) -> None:
    for _ in range(4):
        server.hang_up_after(stack, server.session(), "hold_writing", {"place": str(server.released)})
    wait_until(lambda: server.begun() >= 8)


@load
def questions_that_nobody_answers(server: Server, stack: ExitStack) -> None:
    session = server.session({"elicitation": {}})
    server.hang_up_after(stack, session, "ask", {"place": str(server.released)})
    wait_until(lambda: server.begun() == CALLS)


HOSTILE = {
    "nested macros": "\\code{" * 100_000,
    "items": "\\item " * 100_000,
    "options": "\\a[" * 100_000,
}


def _hostile(tool: str, text: str, stays: bool) -> Load:
    def run(server: Server, stack: ExitStack) -> None:
        file = server.place / f"{abs(hash(text))}.R"
        file.write_text(f"#' Title\n#'\n#' {text}\n#' @keywords mcp-tool\nf <- function() 1\n")
        with ExitStack() as calls:
            server.hang_up_after(calls, None, tool, {"pkg": str(file)})
            first = server.connect()
            calls.enter_context(closing(first))
            server.call(first, None, tool, {"pkg": str(file)})
            assert first.getresponse().headers["content-type"] == "text/event-stream"  # under way, and long
            if stays:
                stack.enter_context(calls.pop_all())

    return run


for _name, _text in HOSTILE.items():
    LOADS[f"{CALLS} mcptool_diff over {_name}, then hanging up"] = _hostile("mcptool_diff", _text, stays=False)
LOADS["mcptool_check over nested macros"] = _hostile("mcptool_check", HOSTILE["nested macros"], stays=True)


@load
def endless_transformations(server: Server, stack: ExitStack) -> None:
    program = 'let n = split(repeat("x,", 3000), ",")\nmap(n, a => map(n, b => map(n, c => a + b + c) |> count))'
    given = {"transformation": program, "inputData": "{}", "inputFormat": "json", "outputFormat": "json"}
    server.hang_up_after(stack, None, "execute_transformation", given)


@load
def large_documents(server: Server, stack: ExitStack) -> None:
    server.hang_up_after(stack, None, "store_text", {"content": "word " * 40_000, "name": "large.txt"})


@load
def searches(server: Server, stack: ExitStack) -> None:
    server.hang_up_after(stack, None, "grep_documents", {"pattern": "(w?o?r?d? ?){1,40}x"})
    server.hang_up_after(stack, None, "search_documents", {"query": "word " * 200})


@load
def bodies_that_do_not_come(server: Server, stack: ExitStack) -> None:
    for _ in range(CALLS):
        raw = stack.enter_context(socket.create_connection((server.parts.hostname, server.parts.port)))
        raw.sendall(
            b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
        )


@load
def headers_that_do_not_end(server: Server, stack: ExitStack) -> None:
    for _ in range(CALLS):
        raw = stack.enter_context(socket.create_connection((server.parts.hostname, server.parts.port)))
        raw.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-")


@load
def connections_that_say_nothing(server: Server, stack: ExitStack) -> None:
    for _ in range(200):
        stack.enter_context(socket.create_connection((server.parts.hostname, server.parts.port)))


@load
def answers_that_are_not_read(server: Server, stack: ExitStack) -> None:
    for _ in range(CALLS):
        raw = stack.enter_context(socket.create_connection((server.parts.hostname, server.parts.port)))
        body = server.message("tools/list", {"_meta": META}).encode()
        head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n"
        head += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        raw.settimeout(2)
        with suppress(TimeoutError):
            raw.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)


@load
def streams_that_stay_open(server: Server, stack: ExitStack) -> None:
    for _ in range(CALLS // 2):
        connection = stack.enter_context(closing(server.connect()))
        connection.request("GET", "/mcp", headers={**server.session(), "Accept": "text/event-stream"})


@load
def nonsense(server: Server, stack: ExitStack) -> None:
    connection = stack.enter_context(closing(server.connect()))
    for _ in range(300):
        connection.request("POST", "/mcp", b"[" * 5000, PLAIN)
        connection.getresponse().read()


@load
def resources(server: Server, stack: ExitStack) -> None:
    for _ in range(CALLS):
        connection = stack.enter_context(closing(server.connect()))
        server.request(connection, None, "resources/list", {})


def test_there_are_enough_scenarios() -> None:
    assert len(LOADS) >= 20


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", LOADS)
def test_a_second_client_stores_its_text(server: Server, name: str) -> None:
    server.begin()
    eras = [None, server.session()]
    with ExitStack() as stack:
        try:
            LOADS[name](server, stack)
            for number, session in enumerate(eras):
                with closing(server.connect(SECONDS)) as connection:
                    server.call(
                        connection, session, "store_text", {"content": f"{name} {number}", "name": "second.txt"}
                    )
                    answer = connection.getresponse().read()
                assert b'"isError":true' not in answer, answer
                assert b"result" in answer, answer
            assert not server.released.exists()
        finally:
            server.released.touch()
