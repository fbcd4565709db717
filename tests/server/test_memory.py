"""Memory stays flat: the same calls again and again, and sessions that nobody closes (`make soak`)."""

from __future__ import annotations

import http.client
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pytest

ROUNDS = int(os.environ.get("ROLLTOP_SOAK_ROUNDS", "300"))
CALLS = 20
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}


def calls_of(number: int) -> list[tuple[str, dict[str, Any]]]:
    """One call of each kind; what they name comes again, so that what is kept does not grow."""
    again = number % 200
    data = {"inputData": '{"x": 1}', "inputFormat": "json", "outputFormat": "json"}
    return [
        ("store_text", {"content": f"note {number}", "name": f"note-{again}.txt"}),
        ("list_documents", {}),
        ("search_documents", {"query": f"note {again}"}),
        ("grep_documents", {"pattern": f"n.te {again}"}),
        ("get_by_name", {"name": f"note-{again}.txt"}),
        ("execute_transformation", {"transformation": f"$input.x + {number}", **data}),
        ("validate_utlx", {"transformation": f"$input.a{number}"}),
        ("mcptool_list", {"pkg": "stats"}),
        ("store_text", {"wrong": number}),
        ("no_such_tool", {}),
    ]


class Server:
    """A server over stdio, asked by the simplest client there is."""

    def __init__(self, environment: dict[str, str]) -> None:
        command = [sys.executable, "-m", "rolltop", "serve", "--toolsets", "store,transform,catalog"]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._numbers = itertools.count(1)
        self.ask("initialize", HELLO)

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        number = next(self._numbers)
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer: dict[str, Any] = json.loads(self.process.stdout.readline())
            if answer.get("id") == number:
                return answer

    @property
    def memory(self) -> float:
        """Megabytes that the process has in memory."""
        with open(f"/proc/{self.process.pid}/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_memory_stays_flat_over_stdio(environment: dict[str, str]) -> None:
    server = Server({**environment, "ROLLTOP_CALLS_PER_MINUTE": "0"})
    try:
        taken = []
        for number in range(ROUNDS):
            for _ in range(CALLS):
                for name, arguments in calls_of(number):
                    server.ask("tools/call", {"name": name, "arguments": arguments})
            taken.append(server.memory)
        assert is_flat(taken), taken
    finally:
        server.process.communicate()


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_sessions_that_nobody_closes_take_a_bounded_memory(http_server: Callable[..., str]) -> None:
    url = http_server("--toolsets", "store", env={"ROLLTOP_SESSION_IDLE_SECONDS": "60"})
    process = next(pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _listens(pid, url))
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
    parts = urlsplit(url)
    taken, end = [], time.monotonic() + ROUNDS
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)) as connection:
        while time.monotonic() < end:
            for _ in range(100):
                connection.request("POST", parts.path, hello, headers)
                response = connection.getresponse()
                response.read()
                assert response.status in (200, 429, 503), response.status
            with open(f"/proc/{process}/statm") as statm:
                taken.append(int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6)
    assert is_flat(taken), taken


def _listens(pid: int, url: str) -> bool:
    """Whether a child of ours is the server at a URL: there is one server in this test."""
    try:
        with open(f"/proc/{pid}/stat") as stat, open(f"/proc/{pid}/cmdline") as command:
            return stat.read().rpartition(")")[2].split()[1] == str(os.getpid()) and "--http" in command.read()
    except OSError:
        return False


def is_flat(taken: list[float]) -> bool:
    """Whether the last quarter takes no more than the second one did, and some room for what an allocator keeps."""
    quarter = max(1, len(taken) // 4)
    return statistics.median(taken[-quarter:]) <= statistics.median(taken[quarter : 2 * quarter]) * 1.05 + 5


def test_growth_is_told_from_what_is_filled_once() -> None:
    assert is_flat([100.0, 150.0, 160.0, *[165.0] * 40])
    assert not is_flat([100.0 + number for number in range(100)])
