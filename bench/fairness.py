"""What `store_text` of one client takes beside the load of another, as a ratio to the same call beside nothing.

    .venv/bin/python bench/fairness.py [--seconds N] [WORDS OF A LOAD …]

The load runs in a process of its own. `outside` burns as much CPU without talking to the server: what a busy machine
alone costs. The goal is a p99 of 200 ms on an otherwise idle machine.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import _measure

CALLS = 40
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
GOAL = 200.0
LOADS: dict[str, Callable[[Path], tuple[str, dict[str, Any]]]] = {}


def load(name: str) -> Callable[[Any], Any]:
    def keep(function: Any) -> Any:
        LOADS[name] = function
        return function

    return keep


def _execute(program: str, data: str, given: str = "json") -> tuple[str, dict[str, Any]]:
    return "execute_transformation", {
        "transformation": program, "inputData": data, "inputFormat": given, "outputFormat": "json",
    }  # fmt: skip


@load("execute: endless loops")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return _execute(
        'let n = split(repeat("x,", 3000), ",")\nmap(n, a => map(n, b => map(n, c => a + b + c) |> count))', "{}"
    )


@load("execute: 3 MB of JSON")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return _execute("$input |> count", json.dumps([{"a": number, "b": [1, 2, 3]} for number in range(100_000)]))


@load("execute: XML, deep")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return _execute("$input", "<a>" * 200_000 + "</a>" * 200_000, "xml")


@load("execute: YAML, nested")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return _execute("$input", "[" * 100_000, "yaml")


@load("execute: regular expression")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return _execute('matches($input, "(a|a)*(a|a)*(a|a)*b")', json.dumps("a" * 500_000))


@load("describe: CSV")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "get_input_schema", {"source": "a,b,c\n" + '1,"x' * 300_000, "format": "csv"}


@load("validate: nested program")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "validate_utlx", {"transformation": "(" * 50_000}


@load("validate: long program")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "validate_utlx", {"transformation": "[" + "map($input, x => x.a),\n" * 20_000 + "1]"}


@load("validate: deep schema")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    schema: dict[str, Any] = {"type": "object"}
    for _number in range(200):
        schema = {"type": "object", "properties": {f"p{index}": schema if not index else {} for index in range(30)}}
    return "validate_utlx", {"transformation": "$input.p0.p0", "inputSchema": schema}


def _source(place: Path, name: str, text: str) -> str:
    file = place / name
    file.write_text(text)
    return str(file)


for _title, _text in {
    "nested macros": "\\code{" * 100_000,
    "items": "\\item " * 100_000,
    "options": "\\a[" * 100_000,
    "words": "word " * 1_000_000,
}.items():

    @load(f"diff: R, {_title}")
    def _(place: Path, title: str = _title, text: str = _text) -> tuple[str, dict[str, Any]]:
        body = f"#' Title\n#'\n#' {text}\n#' @keywords mcp-tool\nf <- function() 1\n"
        return "mcptool_diff", {"pkg": _source(place, f"{title.replace(' ', '_')}.R", body)}


@load("diff: R, 20,000 functions")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    one = "#' Title\n#' @param x A number.\n#' @keywords mcp-tool\nf{} <- function(x = c(1, 2)) x\n"
    return "mcptool_diff", {"pkg": _source(place, "many.R", "".join(one.format(n) for n in range(20_000)))}


@load("diff: Python, deep")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    text = (
        'def mcp_tool_f(x: int = 1):\n    """Do it.\n\n    Args:\n        x (int): ' + "list[" * 50_000 + '\n    """\n'
    )
    return "mcptool_diff", {"pkg": _source(place, "deep.py", text)}


@load("diff: Python, 20,000 functions")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    one = 'def mcp_tool_f{}(x: int = 1) -> int:\n    """Do it.\n\n    Args:\n        x: A number.\n    """\n'
    return "mcptool_diff", {"pkg": _source(place, "many.py", "".join(one.format(n) for n in range(20_000)))}


@load("list: YAML definitions")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    folder = place / "yamls"
    folder.mkdir(exist_ok=True)
    for number in range(5):
        (folder / f"x-f{number}.yaml").write_text("name: f\ndescription: |\n" + "  long - [a, b]\n" * 100_000)
    return "mcptool_list", {"pkg": str(folder)}


@load("store: large texts")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "store_text", {"content": "word " * 400_000, "name": "large.txt"}


@load("store: random words")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    source = random.Random(1)
    return "store_text", {"content": " ".join(f"{source.getrandbits(60):x}" for _ in range(60_000)), "name": "r.txt"}


@load("store: metadata")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "store_text", {"content": "x", "name": "m.txt", "metadata": {f"k{n}": "v" * 20 for n in range(20_000)}}


@load("grep: expression")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "grep_documents", {"pattern": "(w?o?r?d? ?){1,40}x"}


@load("grep: every line")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "grep_documents", {"pattern": "o"}


@load("search: long query")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "search_documents", {"query": " OR ".join(f"word{n}*" for n in range(2_000))}


@load("arguments: nested")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    nested: Any = {}
    for _number in range(100):
        nested = {"x": nested}
    return "store_text", {"content": "x", "name": "n.txt", "metadata": {f"k{n}": nested for n in range(3_000)}}


@load("arguments: unknown")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "store_text", {f"unknown{n}": n for n in range(50_000)}


@load("store: deep HTML")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "store_document", {"path": _source(place, "f.html", "<div>" * 400_000)}


@load("create_rmd: front matter")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "create_rmd", {
        "filename": "f.Rmd",
        "content": "---\na: " + "[" * 200_000 + "\n---\ntext\n",
        "overwrite": True,
    }


@load("create_rmd: chunks")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    text = "---\ntitle: x\n---\n" + "```{r a, echo=c(1, 2)}\n1\n```\n" * 20_000
    return "create_rmd", {"filename": "g.Rmd", "content": text, "overwrite": True}


@load("guide: expression")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "get_content", {"expression": "+".join(f"a{n}*" for n in range(20_000))}


@load("slow catalog calls")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "mcptool_call", {"name": "slow", "arguments": {"seconds": 60}}


@load("slow catalog calls that burn")
def _(place: Path) -> tuple[str, dict[str, Any]]:
    return "mcptool_call", {"name": "burn", "arguments": {"seconds": 60}}


SLOW = '''import time
def mcp_tool_slow(seconds: float) -> float:
    """Wait.

    Args:
        seconds: How long.

    Returns:
        float: As long.
    """
    time.sleep(seconds)
    return seconds


def mcp_tool_burn(seconds: float) -> float:
    """Compute.

    Args:
        seconds: How long.

    Returns:
        float: As long.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(10000))
    return seconds
'''


def post(port: int, name: str, given: dict[str, Any], client: str, seconds: float = 120) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    meta = {**META, "io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"}}
    params = {"name": name, "arguments": given, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name,
    }  # fmt: skip
    connection.request("POST", "/mcp", body, headers)
    return connection


def call(port: int, name: str, given: dict[str, Any], client: str) -> bytes:
    with contextlib.closing(post(port, name, given, client)) as connection:
        return connection.getresponse().read()


def be_the_load(name: str, port: int, place: Path) -> None:
    """Forty callers of one client that call again and again, until the process is ended."""
    tool, given = LOADS[name](place)
    print(call_shown(port, tool, given), flush=True)

    def again() -> None:
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                call(port, tool, given, "greedy")

    for _ in range(CALLS):
        threading.Thread(target=again, daemon=True).start()
    signal.pause()


def call_shown(port: int, tool: str, given: dict[str, Any]) -> str:
    """What one call of a load gives, so that a load that is refused is seen."""
    begun = time.perf_counter()
    try:
        with contextlib.closing(post(port, tool, given, "greedy", 10)) as connection:
            answer = connection.getresponse().read()
        shown = answer[-160:].decode(errors="replace")
    except TimeoutError:
        shown = "…"
    return f"{time.perf_counter() - begun:.2f} s {shown}"


def burn(seconds: float = 3600) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(10_000))


@contextlib.contextmanager
def beside(name: str, port: int, place: Path) -> Iterator[str]:
    names = ["--burn"] * (os.cpu_count() or 1) if name == "outside" else ["--load"]
    running = [
        subprocess.Popen([sys.executable, __file__, each, name, str(port), str(place)], stdout=subprocess.PIPE)
        for each in names
    ]
    try:
        told = ""
        if name != "outside":
            assert running[0].stdout
            told = running[0].stdout.readline().decode().strip()
            time.sleep(1)
        yield told
    finally:
        for process in running:
            process.kill()
            process.wait()


def sample(port: int, seconds: float, least: int = 30) -> list[float]:
    taken: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(taken) < least:
        begun = time.perf_counter()
        answer = call(port, "store_text", {"content": f"note {random.random()}", "name": "note.txt"}, "modest")
        taken.append((time.perf_counter() - begun) * 1000)
        assert b'"isError":true' not in answer, answer
        time.sleep(0.02)
        if time.monotonic() > end + 20:
            break
    return sorted(taken)


def percentile(values: list[float], part: float) -> float:
    return values[min(len(values) - 1, int(len(values) * part))]


@contextlib.contextmanager
def server(place: Path) -> Iterator[int]:
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    tools = place / "catalog"
    tools.mkdir()
    (tools / "slow.py").write_text(SLOW)
    env = {
        **os.environ, "HOME": str(place), "XDG_CONFIG_HOME": str(place), "ROLLTOP_WORKSPACE": str(place / "ws"),
        "ROLLTOP_ROOTS": str(place), "ROLLTOP_CONSENT": "literal", "ROLLTOP_CALLS_PER_MINUTE": "0",
    }  # fmt: skip
    subprocess.run([sys.executable, "-m", "rolltop", "catalog", "build", str(tools)], env=env, check=True)
    env["ROLLTOP_CATALOGS"] = str(tools)
    with open(place / "server.log", "wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "rolltop", "serve", "--http", "--port", str(port), "--no-token"],
            env=env, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        while process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait()


def main(words: list[str], seconds: float) -> None:
    wanted = [name for name in LOADS if not words or any(word in name for word in words)]
    rows, result = [], {}
    with tempfile.TemporaryDirectory() as scratch, server(Path(scratch)) as port:
        place = Path(scratch)
        sample(port, 2)
        alone = sample(port, seconds)
        for name in ["outside", *wanted]:
            with beside(name, port, place) as told:
                taken = sample(port, seconds)
            row = {"p50": percentile(taken, 0.5), "p99": percentile(taken, 0.99), "calls": len(taken)}
            result[name] = {**row, "ratio": row["p99"] / percentile(alone, 0.99)}
            rows.append([name, row["calls"], row["p50"], row["p99"], result[name]["ratio"]])
            print(f"{name}: p50 {row['p50']:.0f} ms, p99 {row['p99']:.0f} ms ({told[:200]})", flush=True)
    rows.insert(0, ["alone", len(alone), percentile(alone, 0.5), percentile(alone, 0.99), 1.0])
    _measure.table(["beside", "calls", "p50 ms", "p99 ms", "ratio of p99"], rows)
    _measure.save("fairness", result)
    over = [name for name, row in result.items() if row["p99"] > GOAL]
    print(f"over {GOAL:.0f} ms: {', '.join(over) or 'none'}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--load", name, port, place]:
            be_the_load(name, int(port), Path(place))
        case ["--burn", *_]:
            burn()
        case ["--seconds", seconds, *words]:
            main(words, float(seconds))
        case words:
            main(words, 8)
