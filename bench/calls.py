"""Server CPU per call: ours against the SDKs and a raw loop, all in one run, rounds interleaved.

Ours validates arguments, writes the journal and logs; the others do what they do by default.
    .venv/bin/python bench/calls.py [--quick] [--pair]

`--pair` measures only rolltop and the SDK's low-level server, which the ratios are about.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import _measure

HERE = Path(__file__).parent
PEERS = HERE / "peers"
QUICK, PAIR = "--quick" in sys.argv, "--pair" in sys.argv
CALLS, ROUNDS = (400, 2) if QUICK else (1500, 3)
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}


def site(directory: Path) -> Path:
    """A directory that installs the benchmark tool set."""
    info = directory / "bench_set-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bench-set\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[rolltop.toolsets]\nbench = bench_set:TOOLSET\n")
    shutil.copy(PEERS / "bench_set.py", directory)
    return directory


def command(name: str, transport: str, tools: int, port: int, scratch: Path) -> tuple[list[str], dict[str, str]]:
    env = {**os.environ, "FASTMCP_CHECK_FOR_UPDATES": "off", "FASTMCP_LOG_LEVEL": "ERROR"}
    if name == "rolltop":
        env |= {
            "PYTHONPATH": str(scratch / "site"),
            "BENCH_TOOLS": str(tools),
            "ROLLTOP_WORKSPACE": str(scratch / "ws"),
        }
        env["XDG_CONFIG_HOME"] = str(scratch)
        http = ["--http", "--port", str(port), "--no-token"] if transport == "http" else []
        return [sys.executable, "-m", "rolltop", "serve", "--toolsets", "bench", *http], env
    if name == "typescript v2":
        return ["node", str(typescript() / "typescript.mjs"), transport, str(tools)], env
    file = {
        "sdk low-level": "lowlevel",
        "sdk MCPServer": "mcpserver",
        "fastmcp": "fastmcp_server",
        "raw loop": "rawloop",
    }[name]
    return [sys.executable, str(PEERS / f"{file}.py"), transport, str(tools), str(port)], env


def typescript() -> Path:
    """The TypeScript SDK from the npm registry, installed once."""
    folder = HERE / "results" / "typescript"
    if not (folder / "node_modules").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"type": "module"}')
        packages = ["@modelcontextprotocol/server@2", "zod@4"]
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *packages], cwd=folder, check=True)
    shutil.copy(PEERS / "typescript.mjs", folder)
    return folder


class Stdio:
    """A server over stdio, driven by the simplest client there is."""

    def __init__(self, name: str, tools: int, scratch: Path) -> None:
        argv, env = command(name, "stdio", tools, 0, scratch)
        self.process = subprocess.Popen(
            argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.request("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        for _ in range(50):
            self.call()

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def request(self, method: str, params: dict[str, Any]) -> bytes:
        self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        answer = self._line()
        while b'"id"' not in answer[:60] and b'"result"' not in answer:
            answer = self._line()  # a notification in between is not an answer
        return answer

    def _line(self) -> bytes:
        assert self.process.stdout
        parts: list[bytes] = []
        while not parts or not parts[-1].endswith(b"\n"):
            parts.append(os.read(self.process.stdout.fileno(), 1 << 20))
            if not parts[-1]:
                raise RuntimeError("the server has gone")
        return b"".join(parts)

    def call(self) -> None:
        answer = self.request("tools/call", {"name": "echo", "arguments": {"text": "hello"}})
        assert b"hello" in answer, answer

    def list(self) -> None:
        self.request("tools/list", {})

    def cost(self, action: Any, count: int) -> float:
        """Server CPU in microseconds per action."""
        before = _measure.cpu_seconds(self.process.pid)
        for _ in range(count):
            action()
        return (_measure.cpu_seconds(self.process.pid) - before) / count * 1e6

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def stdio_rows(names: list[str], tools: int, scratch: Path) -> dict[str, dict[str, float]]:
    servers = {name: Stdio(name, tools, scratch) for name in names}
    samples: dict[str, dict[str, list[float]]] = {name: {"call": [], "list": []} for name in names}
    for _ in range(ROUNDS):
        for name, server in servers.items():
            samples[name]["call"].append(server.cost(server.call, CALLS))
            samples[name]["list"].append(server.cost(server.list, CALLS // 5))
    for server in servers.values():
        server.close()
    return {name: {kind: statistics.median(values) for kind, values in each.items()} for name, each in samples.items()}


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Http:
    """A server over streamable HTTP in the 2026 revision, called by plain connections."""

    def __init__(self, name: str, tools: int, scratch: Path) -> None:
        self.port = free_port()
        argv, env = command(name, "http", tools, self.port, scratch)
        self.process = subprocess.Popen(argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        self.run(1, 30)

    def run(self, clients: int, calls: int) -> None:
        threads = [threading.Thread(target=self._client, args=(calls // clients,)) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _client(self, calls: int) -> None:
        body = json.dumps(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "echo", "arguments": {"text": "hello"}, "_meta": META},
            }
        )
        headers = {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "echo",
        }  # fmt: skip
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            for _ in range(calls):
                connection.request("POST", "/mcp", body, headers)
                answer = connection.getresponse().read()
                assert b"hello" in answer, answer

    def cost(self, clients: int, calls: int) -> float:
        before = _measure.cpu_seconds(self.process.pid)
        self.run(clients, calls)
        return (_measure.cpu_seconds(self.process.pid) - before) / calls * 1e6

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def http_rows(names: list[str], scratch: Path) -> dict[str, dict[str, float]]:
    calls = CALLS if QUICK else 960
    rows: dict[str, dict[str, float]] = {}
    for name in names:
        rows[name] = {}
        for tools in (1, 60, 200):
            server = Http(name, tools, scratch)
            try:
                if tools == 1:
                    rows[name] |= {f"{clients} clients": server.cost(clients, calls) for clients in (1, 8, 64)}
                else:
                    rows[name][f"{tools} tools"] = server.cost(8, calls // 2)
            finally:
                server.close()
    return rows


def start_times(names: list[str], scratch: Path, tools: int = 60) -> dict[str, dict[str, float]]:
    """Wall milliseconds from the start of the process to each answer, the best of several."""
    rows: dict[str, dict[str, float]] = {}
    for name in names:
        runs = [_start(name, tools, scratch) for _ in range(3 if QUICK else 6)]
        steps = ("initialize", "CPU ms", "tools/list", "first call")
        rows[name] = {step: min(run[step] for run in runs) for step in steps}
        fresh = [_start(name, tools, scratch, first=True)["initialize"] for _ in range(3 if QUICK else 6)]
        rows[name] |= {"initialize, first start on a fresh home": min(fresh)}
    return rows


def _start(name: str, tools: int, scratch: Path, first: bool = False) -> dict[str, float]:
    argv, env = command(name, "stdio", tools, 0, scratch)
    if first:
        home = tempfile.mkdtemp(dir=scratch)
        env = {key: value for key, value in env.items() if not key.startswith("XDG_")}
        env |= {"HOME": home, "ROLLTOP_WORKSPACE": f"{home}/workspace"}
    begun = time.perf_counter()
    server = Stdio.__new__(Stdio)
    server.process = subprocess.Popen(
        argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
    )
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    passed: dict[str, float] = {}
    server.request("initialize", hello)
    passed["initialize"] = (time.perf_counter() - begun) * 1e3
    passed["CPU ms"] = _measure.cpu_seconds(server.process.pid) * 1e3
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    server.list()
    passed["tools/list"] = (time.perf_counter() - begun) * 1e3
    server.call()
    passed["first call"] = (time.perf_counter() - begun) * 1e3
    server.close()
    return passed


def in_memory() -> dict[str, float]:
    """Microseconds of a call through our dispatcher alone, and through the SDK's client and our server."""
    os.environ["BENCH_TOOLS"] = "1"
    sys.path.insert(0, str(PEERS))
    import bench_set

    from mcp_core import Dispatcher, ExtMcpToolDecorator, Registry, ToolArguments, ToolContext

    registry = Registry()
    for spec in ToolArguments.catalogue(bench_set.TOOLSET.name):
        ExtMcpToolDecorator(registry, "").register(spec)
    dispatcher = Dispatcher(registry)

    async def go() -> float:
        for _ in range(100):
            await dispatcher.call("echo", {"text": "hello"}, ToolContext())
        begun = time.process_time()
        for _ in range(CALLS):
            await dispatcher.call("echo", {"text": "hello"}, ToolContext())
        return (time.process_time() - begun) / CALLS * 1e6

    return {"dispatcher": asyncio.run(go())}


def main() -> None:
    names = ["rolltop", "sdk low-level", *([] if PAIR else ["sdk MCPServer", "fastmcp", "raw loop"])]
    with_node = shutil.which("node") is not None and not PAIR
    with tempfile.TemporaryDirectory() as directory:
        scratch = Path(directory)
        site(scratch / "site")
        result: dict[str, Any] = {}
        stdio_names = [*names, "typescript v2"] if with_node else names
        for tools in (1, 60, 200) if not QUICK else (1, 60):
            rows = stdio_rows(stdio_names, tools, scratch)
            base = rows["sdk low-level"]
            print(f"\nstdio, {tools} tools: server CPU in µs, and the ratio to the SDK's low-level server")
            _measure.table(
                ["server", "call", "x", "list", "x"],
                [
                    [n, r["call"], r["call"] / base["call"], r["list"], r["list"] / base["list"]]
                    for n, r in rows.items()
                ],
            )
            result[f"stdio {tools}"] = rows
        print("\nHTTP, protocol 2026-07-28: server CPU in µs per call")
        rows = http_rows([each for each in names if each in ("rolltop", "sdk low-level", "fastmcp")], scratch)
        headings = list(rows["rolltop"])
        _measure.table(["server", *headings], [[name, *(row[h] for h in headings)] for name, row in rows.items()])
        result["http"] = rows
        print("\nfrom process start, 60 tools: wall ms, best")
        rows = start_times([each for each in names if each in ("rolltop", "sdk low-level", "raw loop")], scratch)
        headings = list(rows["rolltop"])
        _measure.table(["server", *headings], [[name, *(row[h] for h in headings)] for name, row in rows.items()])
        result["start"] = rows
        result["memory"] = in_memory()
        print(f"\nin memory: {result['memory']['dispatcher']:.1f} µs a call through the dispatcher")
        _measure.save("calls", result)


if __name__ == "__main__":
    main()
