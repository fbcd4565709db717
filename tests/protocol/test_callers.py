"""Callers: a call runs once, ends when its caller leaves, and each session has its own share of the threads."""

from __future__ import annotations

import http.client
import itertools
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from conditions import wait_until
from mcp import Client
from mcp_types import ListRootsResult, Root

sys.path.insert(0, os.path.dirname(__file__))
from test_http import EXAMPLES, HEADERS, META, session

_ids = itertools.count(100)

HOLD_SET = """
import time
from pathlib import Path
from mcp_core import READS, Result, ToolArguments, ToolSet
TOOLSET = ToolSet("hold", "Keeps threads busy.", modules=("hold_set",))

class Hold(ToolArguments):
    place: str

@ToolArguments.declare(toolset="hold", annotations=READS)
def hold(args: Hold) -> Result[str]:
    with open(args.place + ".held", "a") as held:
        held.write("x")
    while not Path(args.place).exists():
        time.sleep(0.02)
    return Result.ok("released")

@ToolArguments.declare(toolset="hold", annotations=READS)
def pass_by() -> Result[str]:
    return Result.ok("passed")
"""


@pytest.fixture
def hold_set(tmp_path: Path) -> dict[str, str]:
    info = tmp_path / "site" / "hold_set-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hold-set\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[rolltop.toolsets]\nhold = hold_set:TOOLSET\n")
    (tmp_path / "site" / "hold_set.py").write_text(HOLD_SET)
    return {"PYTHONPATH": str(tmp_path / "site")}


@contextmanager
def asked(url: str, identity: str | None, name: str, arguments: dict[str, Any]) -> Iterator[http.client.HTTPConnection]:
    """A call that is sent and not waited for; the caller hangs up at the end. `identity`: a session of 2025."""
    parts = urlsplit(url)
    meta = {} if identity else {"_meta": META}
    headers = {**HEADERS, "Mcp-Name": name}
    if identity:
        headers = {"Content-Type": HEADERS["Content-Type"], "Accept": HEADERS["Accept"], "Mcp-Session-Id": identity}
    params = {"name": name, "arguments": arguments, **meta}
    text = json.dumps({"jsonrpc": "2.0", "id": next(_ids), "method": "tools/call", "params": params})
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)) as connection:
        connection.request("POST", parts.path, text, headers)
        yield connection


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_guide_call_of_a_client_with_roots_runs_once(
    era: str, transport: str, stdio_client: Any, http_server: Any, rolltop: Any, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    env = {"ROLLTOP_LOG_LEVEL": "TRACE", "ROLLTOP_LOG_FILE": str(log)}

    async def roots(context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=tmp_path.as_uri())])

    connecting = (
        stdio_client("--toolsets", "guide", env=env, mode=era, list_roots_callback=roots)
        if transport == "stdio"
        else Client(http_server("--toolsets", "guide", env=env), mode=era, list_roots_callback=roots)
    )
    async with connecting as client:
        for _ in range(3):
            await client.call_tool("guide_list_categories", {})
    called = [line for line in log.read_text().splitlines() if "Tool called" in line]
    assert len(called) == 3
    rows = json.loads(rolltop("journal", "-n", "100", "--json").stdout)
    assert [row["tool"] for row in rows] == ["list_categories"] * 3


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_the_work_of_a_client_that_hangs_up_ends(era: str, http_server: Callable[..., str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    env = {**EXAMPLES, "ROLLTOP_LOG_LEVEL": "TRACE", "ROLLTOP_LOG_FILE": str(log)}
    url = http_server("--toolsets", "example", env=env)
    identity = session(url)[0] if era == "2025-11-25" else None
    with asked(url, identity, "count_down", {"start": 1000, "pause": 10}):
        wait_until(lambda: "Tool called: count_down" in log.read_text())
    wait_until(lambda: "Tool count_down was cancelled" in log.read_text())


def test_each_session_has_its_own_share_of_the_threads(
    http_server: Callable[..., str], hold_set: dict[str, str], tmp_path: Path
) -> None:
    url = http_server("--toolsets", "hold", env=hold_set)
    first, second = session(url)[0], session(url)[0]  # one name, one token
    place = tmp_path / "released"
    held = tmp_path / "released.held"
    with ExitStack() as stack:
        for _ in range(40):
            stack.enter_context(asked(url, first, "hold", {"place": str(place)}))
        wait_until(lambda: held.exists() and len(held.read_text()) == 8)
        with asked(url, second, "pass_by", {}) as connection:
            assert b"passed" in connection.getresponse().read()
        assert len(held.read_text()) == 8  # half of the threads; the others are free for the next caller
        place.touch()
