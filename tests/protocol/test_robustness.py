"""Whatever arrives, the server answers with the protocol's own codes, lives, and leaves when it should."""

from __future__ import annotations

import contextlib
import json
import os
import random
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conditions import wait_until

sys.path.insert(0, os.path.dirname(__file__))
from raw import HELLO, RawStdio, call

ROLLTOP = [sys.executable, "-m", "rolltop", "serve"]
NOISY_SET = """
import asyncio, os, subprocess, sys, time
from typing import Any
from pydantic import Field
from mcp_core import RUNS, Result, ToolArguments, ToolSet
TOOLSET = ToolSet("noisy", "Misbehaves.", modules=("noisy_set",))

class Seconds(ToolArguments):
    seconds: float = Field(default=0, description="How long.")

class Thing(ToolArguments):
    thing: Any = Field(default=None, description="What.")

@ToolArguments.declare(toolset="noisy", annotations=RUNS)
def gives(args: Thing) -> Result[Any]:
    return Result.ok(args.thing)

@ToolArguments.declare(toolset="noisy", annotations=RUNS)
def shouts(args: Seconds) -> Result[str]:
    print("stray print")
    os.write(1, b"raw write to fd 1\\n")
    subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
    sys.stdout.flush()
    return Result.ok("done")

@ToolArguments.declare(toolset="noisy", annotations=RUNS)
def blocks(args: Seconds) -> Result[str]:
    print("STARTED", file=sys.stderr, flush=True)
    time.sleep(args.seconds)
    return Result.ok("done")

@ToolArguments.declare(toolset="noisy", annotations=RUNS)
async def waits(args: Seconds) -> Result[str]:
    print("STARTED", file=sys.stderr, flush=True)
    try:
        await asyncio.sleep(args.seconds)
    except asyncio.CancelledError:
        print("CANCELLED", file=sys.stderr, flush=True)
        raise
    return Result.ok("done")

@ToolArguments.declare(toolset="noisy", annotations=RUNS)
def spawns(args: Seconds) -> Result[int]:
    return Result.ok(subprocess.Popen(["sleep", "300"]).pid)

@ToolArguments.declare(toolset="noisy", annotations=RUNS)
def large(args: Seconds) -> Result[str]:
    return Result.ok("x" * int(args.seconds))
"""


@pytest.fixture
def noisy(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """An environment with a tool set that misbehaves."""
    return noisy_in(tmp_path, environment)


def noisy_in(place: Path, environment: dict[str, str]) -> dict[str, str]:
    info = place / "site" / "noisy_set-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy-set\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[rolltop.toolsets]\nnoisy = noisy_set:TOOLSET\n")
    (place / "site" / "noisy_set.py").write_text(NOISY_SET)
    return {**environment, "PYTHONPATH": str(place / "site"), "MCP_INCLUDE_EXAMPLE_TOOLS": "true"}


@pytest.fixture
def start(noisy: dict[str, str]) -> Iterator[Callable[..., RawStdio]]:
    running: list[RawStdio] = []

    def run(*arguments: str, greet: bool = True) -> RawStdio:
        server = RawStdio([*ROLLTOP, "--toolsets", "noisy,desk", *arguments], noisy, greet)
        running.append(server)
        return server

    yield run
    for server in running:
        server.close()


@pytest.fixture(scope="module")
def server(shared_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawStdio]:
    """One server for the tests that send it messages and leave it as it was."""
    noisy = noisy_in(tmp_path_factory.mktemp("noisy"), shared_environment)
    server = RawStdio([*ROLLTOP, "--toolsets", "noisy,desk"], noisy)
    yield server
    server.close()


DEEP = b"[" * 100_000 + b"]" * 100_000
PROBES: list[tuple[str, bytes, int | None]] = [
    ("malformed", b'{"jsonrpc": "2.0", "id": 5, "method": ', -32700),
    ("not UTF-8", b'{"jsonrpc":"2.0","id":5,"method":"\xff\xfe"}', -32700),
    ("batch", b'[{"jsonrpc":"2.0","id":5,"method":"ping"}]', -32600),
    ("empty batch", b"[]", -32600),
    ("scalar", b"42", -32600),
    ("null", b"null", -32600),
    ("id null", b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
    ("id float", b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
    ("id boolean", b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
    ("id object", b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
    ("no jsonrpc", b'{"id":5,"method":"ping"}', -32600),
    ("jsonrpc 1.0", b'{"jsonrpc":"1.0","id":5,"method":"ping"}', -32600),
    ("method number", b'{"jsonrpc":"2.0","id":5,"method":7}', -32600),
    ("neither", b'{"jsonrpc":"2.0","id":5}', -32600),
    ("unknown method", b'{"jsonrpc":"2.0","id":5,"method":"no/such"}', -32601),
    ("unknown tool", json.dumps(call("nope", {}, 5)).encode(), -32602),
    ("params list", b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[1]}', -32600),
    ("params missing", b'{"jsonrpc":"2.0","id":5,"method":"tools/call"}', -32602),
    ("name number", b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":1}}', -32602),
    ("arguments list", json.dumps(call("example_echo", [1], 5)).encode(), -32602),
    (
        "NaN",
        b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"large","arguments":{"seconds":NaN}}}',
        -32700,
    ),
    ("lone surrogate", b'{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":"\\ud800"}}', -32700),
    ("deep nesting", b'{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":' + DEEP + b"}}", -32700),
    ("bad cursor", b'{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"garbage"}}', -32602),
    ("huge integer id", b'{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"no/such"}', None),
]


def test_malformed_messages_get_json_rpcs_own_codes(server: RawStdio) -> None:
    for name, probe, code in PROBES:
        server.send(probe)
        line = server.line()
        assert line, name
        answer = json.loads(line)
        assert "error" in answer, name
        assert code is None or answer["error"]["code"] == code, (name, answer)
        assert "Traceback" not in line.decode()
    assert server.call("waits", {})["result"]["isError"] is False


@pytest.mark.parametrize(
    "text",
    ["12345678901234567890123", "-18446744073709551617", '{"n": [18446744073709551616]}', '"1234567890123456789012"'],
)
def test_whole_numbers_of_any_size_arrive_as_they_were_written(server: RawStdio, text: str) -> None:
    server.send(
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"gives","arguments":{"thing":%s}}}'
        % text.encode()
    )
    assert server.reply(7)["result"]["structuredContent"]["value"] == json.loads(text)


@pytest.mark.parametrize("value", [b"1e400", b'"\\ud800"', b"NaN", b"9" * 5000])
def test_a_request_with_a_value_that_cannot_be_read_is_answered_by_its_id(server: RawStdio, value: bytes) -> None:
    server.send(
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"gives","arguments":{"thing":%s}}}' % value
    )
    assert server.reply(7)["error"]["code"] == -32700


@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("tools/call", {"name": "waits", "arguments": []}, "tools/call: arguments: expected an object"),
        ("tools/call", {"name": 5}, "tools/call: name: expected a text"),
        ("tools/list", {"cursor": 5}, "tools/list: cursor: expected a text"),
        ("resources/read", {}, "resources/read: uri: is missing"),
        ("logging/setLevel", {"level": "bogus"}, "level: expected 'alert', "),
    ],
)
def test_what_is_wrong_with_parameters_is_said(
    server: RawStdio, method: str, params: dict[str, Any], said: str
) -> None:
    server.send({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
    error = server.reply(7)["error"]
    assert error["code"] == -32602
    assert said in error["message"]


def test_a_request_before_initialize_is_told_so(start: Callable[..., RawStdio]) -> None:
    server = start(greet=False)
    for method, params in (
        ("tools/list", {}),
        ("tools/call", {"name": "waits", "arguments": {}}),
        ("prompts/list", {}),
    ):
        server.send({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
        assert server.reply(method)["error"]["message"] == f"{method} came before initialize; send initialize first"
    server.send({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO})
    assert "result" in server.reply("hello")


def test_a_client_that_needs_no_initialize_is_not_told_to_send_one(start: Callable[..., RawStdio]) -> None:
    """Clients of 2026 say in each request who they are, and need not say their name."""
    server = start(greet=False)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "progressToken": 1,
    }
    for method, params, said in (
        ("tools/call", {"name": "nope", "arguments": {}}, "Unknown tool: nope"),
        ("tools/list", {"cursor": "garbage"}, "Invalid params: the cursor is not one that this server gave"),
    ):
        server.send({"jsonrpc": "2.0", "id": method, "method": method, "params": {**params, "_meta": meta}})
        assert server.reply(method)["error"]["message"] == said


def test_an_empty_line_is_nothing(server: RawStdio) -> None:
    server.send(b"")
    server.send(b"   ")
    assert server.call("waits", {})["result"]["isError"] is False


def mutations(seed: int, count: int) -> Iterator[bytes]:
    """Messages that are broken in every way a generator thinks of."""
    rng = random.Random(seed)
    good = [
        json.dumps(call("waits", {"seconds": 0}, 7)).encode(),
        b'{"jsonrpc":"2.0","id":8,"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"tool://waits"}}',
        b'{"jsonrpc":"2.0","id":10,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x"}}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}',
    ]
    words = [
        b"null",
        b"true",
        b"-1",
        b"1e999",
        b'"x"',
        b"[]",
        b"{}",
        b'{"a":1,"a":2}',
        b"\\u0000",
        b'"\xed\xa0\x80"',
        b"9" * 400,
    ]
    for _ in range(count):
        message = bytearray(rng.choice(good))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(message))
            match rng.randrange(5):
                case 0:
                    del message[at : at + rng.randint(1, 8)]
                case 1:
                    message[at:at] = rng.choice(words)
                case 2:
                    message[at] = rng.randrange(256)
                case 3:
                    message[at:at] = message[at : at + rng.randint(1, 30)]
                case 4:
                    message[at:at] = b"[" * rng.randint(1, 2000)
            message = message or bytearray(b"x")
        yield bytes(message).replace(b"\n", b" ")


@pytest.mark.parametrize("count", [2000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_thousands_of_broken_messages_leave_the_server_well(start: Callable[..., RawStdio], count: int) -> None:
    server = start()
    for number, message in enumerate(mutations(1, count)):
        server.send(message)
        if number % 100 == 99:  # read now and then, as a client would
            answer = server.call("waits", {}, f"probe-{number}")
            assert answer["result"]["isError"] is False
    assert "Traceback" not in server.errors()


def test_a_line_above_the_limit_is_refused_and_the_next_one_read(server: RawStdio) -> None:
    server.send(b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"' + b"y" * (65 << 20) + b'"}}')
    line = server.line(60)
    assert line
    assert json.loads(line)["error"]["code"] == -32600
    assert server.call("waits", {})["result"]["isError"] is False


def test_stray_output_never_reaches_the_wire(server: RawStdio) -> None:
    server.send(call("shouts", {}))
    line = server.line(30)
    assert line
    assert json.loads(line)["result"]["structuredContent"]["value"] == "done"
    assert server.line(0.5) is None


def test_a_busy_tool_delays_nobody(start: Callable[..., RawStdio]) -> None:
    server = start()
    server.send(call("blocks", {"seconds": 15}, "slow"))
    server.send(call("waits", {}, "quick"))
    first = server.line()
    assert first
    assert json.loads(first)["id"] == "quick"


def test_a_cancelled_call_stops_and_is_not_answered(start: Callable[..., RawStdio]) -> None:
    server = start()
    server.send(call("waits", {"seconds": 600}, "gone"))
    wait_until(lambda: "STARTED" in server.errors())
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "gone"}})
    assert server.call("waits", {}, "after")["result"]["isError"] is False
    wait_until(lambda: "CANCELLED" in server.errors())


def test_a_client_that_does_not_read_is_not_listened_to_until_it_does(start: Callable[..., RawStdio]) -> None:
    server, sent = start(), 0
    assert server.process.stdin is not None
    pipe = server.process.stdin.fileno()
    os.set_blocking(pipe, False)
    while sent < 50_000 and select.select([], [pipe], [], 2)[1]:
        with contextlib.suppress(BlockingIOError):
            os.write(pipe, json.dumps({"jsonrpc": "2.0", "id": sent, "method": "tools/list"}).encode() + b"\n")
            sent += 1
    assert sent < 50_000
    answered = {json.loads(server.line() or b"{}").get("id") for _ in range(sent)}
    assert answered == set(range(sent))


def test_very_many_calls_at_work_can_be_cancelled(start: Callable[..., RawStdio]) -> None:
    server = start()
    for number in range(300):
        server.send(call("waits", {"seconds": 600}, number))
    assert server.call("waits", {}, "beside")["result"]["isError"] is False
    for number in range(300):
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    assert server.call("waits", {}, "after")["result"]["isError"] is False
    wait_until(lambda: server.errors().count("CANCELLED") == 300)


@pytest.mark.parametrize("busy", [None, "blocks", "waits"])
def test_the_end_of_input_ends_the_server(start: Callable[..., RawStdio], busy: str | None) -> None:
    server = start()
    server.call("waits", {})
    if busy:
        server.send(call(busy, {"seconds": 600}, "busy"))
        wait_until(lambda: server.errors().count("STARTED") == 2)
    assert server.process.stdin is not None
    server.process.stdin.close()
    assert server.process.wait(120) == 0


def test_requests_before_the_end_of_input_are_answered(noisy: dict[str, str]) -> None:
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        call("waits", {}, 2),
        {"jsonrpc": "2.0", "id": 3, "method": "ping"},
    ]
    text = "".join(json.dumps(message) + "\n" for message in messages)
    for _ in range(2):  # the second start answers from what the first one kept
        out = subprocess.run(ROLLTOP, env=noisy, input=text, capture_output=True, text=True, timeout=60, check=True)
        answers = {message["id"]: message for message in map(json.loads, out.stdout.splitlines())}
        assert set(answers) == {1, 2, 3}
        assert answers[1]["result"]["serverInfo"]["name"] == "rolltop"
        assert answers[2]["result"]["isError"] is False


def test_terminate_ends_the_server(start: Callable[..., RawStdio]) -> None:
    server = start()
    server.call("waits", {})
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(120) == 0


@pytest.mark.parametrize("serving", [False, True], ids=["while it loads", "while it serves"])
def test_a_server_whose_parent_dies_ends(noisy: dict[str, str], tmp_path: Any, serving: bool) -> None:
    answers, hello = tmp_path / "answers", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    asked = json.dumps(hello) + "\n" if serving else ""
    answers.touch()
    script = (
        "import subprocess, sys, os, time\n"
        "r, w = os.pipe(); os.set_inheritable(r, True)\n"  # another process keeps the pipe open
        f"out = open({str(answers)!r}, 'w')\n"
        f"p = subprocess.Popen({ROLLTOP!r}, stdin=r, stdout=out, stderr=subprocess.DEVNULL)\n"
        f"os.write(w, {asked.encode()!r})\n"
        "keeper = subprocess.Popen(['sleep', '600'], pass_fds=[w])\n"
        "print(p.pid, keeper.pid, flush=True); time.sleep(600)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], env=noisy, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    server, keeper = map(int, parent.stdout.readline().split())
    try:
        wait_until(lambda: os.readlink(f"/proc/{server}/fd/0") == os.devnull)  # it has taken its ends
        wait_until(lambda: not serving or answers.read_text())
        parent.kill()
        parent.wait()
        wait_until(lambda: not _is_running(server))
    finally:
        os.kill(keeper, signal.SIGKILL)
        parent.stdout.close()


def _is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_large_answer_is_kept_and_read_in_parts(server: RawStdio) -> None:
    answer = server.call("large", {"seconds": 300_000})["result"]
    kept = answer["structuredContent"]["answer_too_large"]
    assert kept["characters"] > 300_000
    uri, text = kept["uri"], ""
    assert answer["content"][1]["uri"] == uri
    while uri:
        part = server.call("read_resource", {"uri": uri})["result"]["structuredContent"]["value"]["contents"][0]
        text, uri = text + part["text"], part["next"]
    assert len(json.loads(text)["value"]) == 300_000


def test_the_second_start_says_the_same_as_the_first(start: Callable[..., RawStdio]) -> None:
    answers = []
    for _ in range(2):
        server = start(greet=False)
        hello = {**HELLO, "protocolVersion": "2025-06-18"}
        server.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        first = server.reply(1)
        server.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        server.send(b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}')
        answers.append((first, server.reply(2)))
        server.send(b'{"jsonrpc":"2.0","id":3,"method":"resources/templates/list"}')  # the SDK is there and knows us
        assert "result" in server.reply(3)
    # A first start does not know yet what tools of other names are for: it introduces itself in one sentence.
    said = [first["result"].pop("instructions") for first, _ in answers]
    assert said[1].startswith(said[0])
    assert answers[0] == answers[1]


def test_a_client_is_told_when_the_kept_list_was_stale(
    start: Callable[..., RawStdio], noisy: dict[str, str], tmp_path: Any
) -> None:
    start().call("waits", {})
    wait_until(lambda: list(Path(noisy["HOME"]).glob(".cache/rolltop/start/*.json")))
    file = tmp_path / "site" / "noisy_set.py"
    info = os.stat(file.parent)
    file.write_text(NOISY_SET.replace("def spawns(", "def launches("))
    os.utime(file.parent, ns=(info.st_atime_ns, info.st_mtime_ns))
    server = start()
    server.send(b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}')
    stale = {tool["name"] for tool in server.reply(2)["result"]["tools"]}
    if "launches" in stale:
        return  # the machine was slow enough for the real list to come first
    while line := server.line():
        if json.loads(line).get("method") == "notifications/tools/list_changed":
            break
    assert line, "nothing was said about the change"
    server.send(b'{"jsonrpc":"2.0","id":4,"method":"tools/list"}')
    assert "launches" in {tool["name"] for tool in server.reply(4)["result"]["tools"]}


def test_nothing_is_listed_before_the_client_has_introduced_itself(start: Callable[..., RawStdio]) -> None:
    for _ in range(2):  # the second start has answers at hand
        server = start(greet=False)
        server.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
        assert server.reply(1)["error"]["code"] == -32602
