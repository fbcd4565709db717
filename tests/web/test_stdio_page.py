"""A stdio server that serves the page too."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import httpx2 as httpx


def test_a_stdio_server_says_where_its_page_is(environment: dict[str, str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "rolltop", "serve", "--page"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        client = {"name": "test", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        found = next(match for line in server.stderr if (match := re.search(r"http://\S+login=\S+", line)))
        entered = httpx.get(found[0], follow_redirects=False, timeout=60)
        assert entered.status_code == 303
        base = found[0].partition("/?")[0]
        overview = httpx.get(base + "/index.json", cookies=dict(entered.cookies), timeout=60)
        assert overview.json()["approvals"] == []
        assert httpx.post(base + "/mcp", timeout=60).status_code in (401, 403, 413)
        server.stdin.close()
        assert server.wait(60) == 0
