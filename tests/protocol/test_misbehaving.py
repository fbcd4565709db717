"""A tool set that does everything wrong: each call is answered, nothing is given away, and the server lives on."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import orjson
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

sys.path.insert(0, os.path.dirname(__file__))
from raw import RawStdio, call

pytestmark = pytest.mark.anyio

WRONG_SET = r'''
import asyncio, os, sys
from pathlib import Path
from pydantic import Field
from mcp_core import *
from rolltop.errors import InvalidData

TOOLSET = ToolSet(
    "wrong", "Misbehaves.", modules=("wrong_set",), prompts=("wrong_set",), resources="wrong_set:Resources"
)
NAME = os.fsdecode(b"caf\xe9.txt")
SECRET = "secret /root/x token=abcdef"

class How(ToolArguments):
    how: str = Field(description="What to do wrong.")

def cyclic():
    values = []
    values.append(values)
    return values

def deep(levels):
    values = []
    for _ in range(levels):
        values = [values]
    return values

def out(error):
    raise error

class Unspeakable(Exception):
    error_type = "odd"
    def __str__(self): raise RuntimeError(SECRET)

WAYS = {
    "cycle": lambda: cyclic(),
    "deep": lambda: deep(3000),
    "deeper than clients read": lambda: deep(192),
    "just deep": lambda: deep(180),
    "exit": lambda: sys.exit(3),
    "interrupt": lambda: out(KeyboardInterrupt()),
    "cancel": lambda: out(asyncio.CancelledError()),
    "base": lambda: out(BaseException(SECRET)),
    "stop": lambda: next(iter([])),
    "unspeakable": lambda: out(Unspeakable()),
    "surrogates": lambda: {NAME: [NAME, Path(NAME)]},
    "failure": lambda: Result.failure(NAME, "odd", details={NAME: {Path(NAME)}}, instruction=NAME),
    "bad block": lambda: Result.ok(1, content=[ResourceLink("x://" + NAME, NAME, description=NAME)]),
    "fine": lambda: "fine",
}

@ToolArguments.declare(toolset="wrong", annotations=READS)
async def wrong(args: How, ctx: ToolContext) -> Result:
    """Wrong."""
    done = WAYS[args.how]()
    return done if isinstance(done, Result) else Result.ok(done)

@ToolArguments.declare(toolset="wrong", annotations=READS)
def wrong_in_a_thread(args: How) -> Result:
    """Wrong in a thread."""
    done = WAYS[args.how]()
    return done if isinstance(done, Result) else Result.ok(done)

@ToolArguments.declare(toolset="wrong", annotations=READS)
async def talk(args: How, ctx: ToolContext) -> Result:
    """Talk."""
    for level in ("debug", "info", "error", "nonsense"):
        await ctx.log(f"{args.how} {level}", level)
    ctx.resource_changed("wrong://name")
    return Result.ok("talked")

@ToolArguments.declare(toolset="wrong", annotations=READS)
async def ask(ctx: ToolContext) -> Result:
    """Ask."""
    return Result.ok((await ctx.ask("Well?", {"type": "object", "properties": {}})).action)

@declare_prompt()
async def wrong_prompt(arguments, ctx):
    """Wrong prompt."""
    raise ValueError(SECRET)

@declare_prompt()
async def exits(arguments, ctx):
    """Exits."""
    sys.exit(3)

@declare_prompt()
async def names(arguments, ctx):
    """Names a file."""
    return NAME

class Resources:
    schemes = ("wrong",)
    async def list(self, cursor, ctx): raise InvalidData("config.yaml cannot be read", hint="Correct it.")
    def templates(self): return [TemplateInfo("wrong://{name}", "Wrong")]
    async def read(self, uri, ctx):
        if uri.endswith("name"): return [ResourceContent(uri, NAME)]
        if uri.endswith("exit"): sys.exit(3)
        raise ValueError(SECRET)
    async def complete(self, template, argument, value, ctx):
        if value == "name": return [NAME]
        raise ValueError(SECRET)
'''

VISIBLE = r"caf\udce9.txt"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables with which a server finds the set."""
    tmp_path = tmp_path_factory.mktemp("wrong")
    info = tmp_path / "site" / "wrong_set-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong-set\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[rolltop.toolsets]\nwrong = wrong_set:TOOLSET\n")
    (tmp_path / "site" / "wrong_set.py").write_text(WRONG_SET)
    path = os.pathsep.join([str(tmp_path / "site"), *filter(None, [os.environ.get("PYTHONPATH")])])
    # Nobody reads what the server says on standard error, and a pipe holds only so much.
    return {"PYTHONPATH": path, "ROLLTOP_LOG_FILE": str(tmp_path / "log")}


SETS = ("--toolsets", "wrong,desk,reports")
WAYS = ["stdio legacy", "stdio 2026-07-28", "http legacy", "http 2026-07-28"]


@pytest.fixture(params=WAYS)
def connect(request: pytest.FixtureRequest, site: dict[str, str], stdio_client: Any, shared_server: Any) -> Any:
    transport, mode = request.param.split()

    @contextlib.asynccontextmanager
    async def connected() -> AsyncIterator[Any]:
        from mcp import Client

        if transport == "stdio":
            async with stdio_client(*SETS, env=site, mode=mode) as client:
                yield client
        else:
            async with Client(shared_server(*SETS, env=site), mode=mode) as client:
                yield client

    return connected


async def _no_progress(done: float, total: float | None, message: str | None) -> None:
    return None


DEFECTS = [
    "cycle", "deep", "deeper than clients read", "exit", "interrupt", "cancel", "base", "stop", "unspeakable",
]  # fmt: skip


async def test_every_call_is_answered(connect: Any) -> None:
    async with connect() as client:
        for tool in ("wrong", "wrong_in_a_thread"):
            for how in DEFECTS:
                for progress in (None, _no_progress):  # with progress it is the SDK that answers
                    answer = await client.call_tool(tool, {"how": how}, progress_callback=progress)
                    assert answer.is_error, how
                    assert answer.structured_content["error_type"] == "unexpected_error", how
                    assert "secret" not in answer.content[0].text
            for progress in (None, _no_progress):
                for how in ("fine", "just deep"):
                    assert not (await client.call_tool(tool, {"how": how}, progress_callback=progress)).is_error


async def test_names_that_are_no_text_arrive_as_text(connect: Any) -> None:
    async with connect() as client:
        for progress in (None, _no_progress):
            answer = await client.call_tool("wrong", {"how": "surrogates"}, progress_callback=progress)
            assert answer.structured_content["value"] == {VISIBLE: [VISIBLE, VISIBLE]}
            assert orjson.loads(answer.content[0].text) == answer.structured_content
            failed = await client.call_tool("wrong", {"how": "failure"}, progress_callback=progress)
            assert failed.structured_content["error"] == failed.structured_content["instruction"] == VISIBLE
            assert failed.structured_content["details"] == {VISIBLE: [VISIBLE]}
            linked = await client.call_tool("wrong", {"how": "bad block"}, progress_callback=progress)
            assert linked.content[1].name == VISIBLE
        assert (await client.get_prompt("names")).messages[0].content.text == VISIBLE
        assert (await client.read_resource("wrong://name")).contents[0].text == VISIBLE
        reference = ResourceTemplateReference(uri="wrong://{name}")
        found = await client.complete(reference, {"name": "name", "value": "name"})
        assert found.completion.values == [VISIBLE]


async def test_unexpected_errors_have_a_code_and_no_secrets(connect: Any) -> None:
    async with connect() as client:
        for attempt in (
            lambda: client.get_prompt("wrong_prompt"),
            lambda: client.get_prompt("exits"),
            lambda: client.read_resource("wrong://x"),
            lambda: client.read_resource("wrong://exit"),
            lambda: client.complete(ResourceTemplateReference(uri="wrong://{name}"), {"name": "name", "value": "x"}),
        ):
            with pytest.raises(MCPError) as caught:
                await attempt()
            assert caught.value.error.code == -32603
            assert "secret" not in str(caught.value)
        with pytest.raises(MCPError) as caught:
            await client.complete(PromptReference(name="nobody"), {"name": "x", "value": "y"})
        assert caught.value.error.code == -32602
        assert (await client.call_tool("wrong", {"how": "fine"})).structured_content["value"] == "fine"


async def test_a_set_that_cannot_list_hides_no_other(connect: Any) -> None:
    document = {"filename": "kept", "title": "Kept", "content": "Text."}
    async with connect() as client:
        await client.call_tool("create_rmd", document)
        listed = await client.list_resources()
        assert any(str(each.uri) == "rmd:///kept.Rmd" for each in listed.resources)
        told = {"schemes": ["wrong"], "error": "config.yaml cannot be read", "code": "invalid_data"}
        assert listed.meta["rolltop/missing"] == [{**told, "hint": "Correct it."}]


async def test_a_bad_cursor_is_a_bad_parameter(connect: Any) -> None:
    async with connect() as client:
        for method in ("list_resources", "list_resource_templates", "list_prompts", "list_tools"):
            with pytest.raises(MCPError) as caught:
                await getattr(client, method)(cursor="x")
            assert caught.value.error.code == -32602, method


@pytest.fixture
def raw(environment: dict[str, str], site: dict[str, str]) -> Iterator[Callable[..., RawStdio]]:
    started: list[RawStdio] = []

    def start(greet: bool = True) -> RawStdio:
        argv = [sys.executable, "-m", "rolltop", "serve", *SETS]
        started.append(RawStdio(argv, {**environment, **site}, greet))
        return started[-1]

    yield start
    for server in started:
        server.close()


async def test_arguments_nested_too_deep_are_answered(raw: Callable[..., RawStdio]) -> None:
    server = raw()
    deep = b"[" * 900 + b"]" * 900
    params = b'"params":{"name":"wrong","arguments":{"how":' + deep + b"}}"
    server.send(b'{"jsonrpc":"2.0","id":7,"method":"tools/call",' + params + b"}")
    assert server.reply(7)["result"]["isError"] is True


def _log_of(server: RawStdio, request: dict[str, Any]) -> list[str]:
    """The lines of the log that came before the answer."""
    server.send(request)
    lines = []
    while line := server.line():
        message = orjson.loads(line)
        if message.get("id") == request["id"]:
            return lines
        if message.get("method") == "notifications/message":
            lines.append(message["params"]["data"])
    raise AssertionError("no answer")


async def test_lines_for_the_log_arrive_with_ordinary_calls(raw: Callable[..., RawStdio]) -> None:
    server = raw()
    assert _log_of(server, call("talk", {"how": "a"}, 1)) == ["a info", "a error", "a nonsense"]
    for level, expected in (("debug", 4), ("error", 1), ("emergency", 0)):
        server.send({"jsonrpc": "2.0", "id": level, "method": "logging/setLevel", "params": {"level": level}})
        assert "result" in server.reply(level)
        for request_id, meta in ((level + "1", {}), (level + "2", {"progressToken": "p"})):
            request = call("talk", {"how": "b"}, request_id)
            request["params"]["_meta"] = meta
            assert len(_log_of(server, request)) == expected


async def test_clients_of_2026_ask_for_lines_with_the_call(raw: Callable[..., RawStdio]) -> None:
    server, prefix = raw(greet=False), "io.modelcontextprotocol/"
    envelope = {prefix + "protocolVersion": "2026-07-28", prefix + "clientCapabilities": {}}
    for number, (more, expected) in enumerate([({}, 0), ({prefix + "logLevel": "info"}, 3)]):
        request = call("talk", {"how": "c"}, number)
        request["params"]["_meta"] = {**envelope, **more}
        assert len(_log_of(server, request)) == expected


async def test_a_question_that_cannot_be_put_is_said(connect: Any) -> None:
    async with connect() as client:
        answer = await client.call_tool("ask", {})
        assert answer.structured_content["error_type"] == "cannot_ask"
        assert "does not declare elicitation" in answer.structured_content["error"]


async def test_a_resource_subscribed_to_twice_is_reported_once(raw: Callable[..., RawStdio]) -> None:
    server = raw()
    for number in (1, 2):
        params = {"uri": "wrong://name"}
        server.send({"jsonrpc": "2.0", "id": number, "method": "resources/subscribe", "params": params})
        assert "result" in server.reply(number)
    server.send(call("talk", {"how": "d"}, 3))
    methods = []
    while line := server.line(3):
        methods.append(orjson.loads(line).get("method"))
    assert methods.count("notifications/resources/updated") == 1
