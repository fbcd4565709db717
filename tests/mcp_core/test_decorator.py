"""Requirement 002, "Tool Name Decoration" and "Automatic Tool Logging"."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from mcp_core import TRACE, Call, Dispatcher, ExtMcpToolDecorator, Registry, Result, ToolArguments, ToolContext


class AnyServer:
    """All that is asked of a server: `tool(name=, description=)`."""

    def __init__(self) -> None:
        self.tools: dict[str, Any] = {}
        self.descriptions: dict[str, str] = {}

    def tool(self, name: str, description: str) -> Any:
        def register(func: Any) -> Any:
            self.tools[name], self.descriptions[name] = func, description
            return func

        return register


async def greet() -> str:
    """Greet."""
    return "hello"


def test_without_a_prefix_the_environment_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, name in (("guide", "guide_greet"), ("guide_", "guide_greet"), ("", "greet")):
        monkeypatch.setenv("MCP_TOOL_PREFIX", value)
        server = AnyServer()
        ExtMcpToolDecorator(server).tool()(greet)
        assert list(server.tools) == [name]
    monkeypatch.delenv("MCP_TOOL_PREFIX")
    server = AnyServer()
    ExtMcpToolDecorator(server).tool()(greet)
    assert list(server.tools) == ["greet"]


def test_a_given_prefix_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_TOOL_PREFIX", "env")
    server = AnyServer()
    decorator = ExtMcpToolDecorator(server, prefix="mine")
    decorator.tool()(greet)
    decorator.tool(prefix="own")(greet)
    decorator.tool(prefix="")(greet)
    decorator.tool(name="other", description="Else.")(greet)
    assert list(server.tools) == ["mine_greet", "own_greet", "greet", "mine_other"]
    assert server.descriptions == {
        "mine_greet": "Greet.",
        "own_greet": "Greet.",
        "greet": "Greet.",
        "mine_other": "Else.",
    }
    ExtMcpToolDecorator(server, prefix="").tool(name="bare")(greet)
    assert "bare" in server.tools


def test_a_prefix_set_after_import_still_applies(monkeypatch: pytest.MonkeyPatch) -> None:
    with ToolArguments.isolated():
        ToolArguments.declare(greet)
        monkeypatch.setenv("MCP_TOOL_PREFIX", "late")
        server = AnyServer()
        assert ExtMcpToolDecorator(server).register(greet) == "late_greet"
        assert "## Description" in server.descriptions["late_greet"]
        assert asyncio.run(server.tools["late_greet"]()) == '{"success":true,"value":"hello"}'


def test_long_names_are_warned_about() -> None:
    with pytest.warns(UserWarning, match="is long"):
        ExtMcpToolDecorator(AnyServer(), prefix="x" * 40).tool(name="y" * 20)(greet)


def logs(caplog: pytest.LogCaptureFixture) -> list[tuple[int, str]]:
    return [(record.levelno, record.getMessage()) for record in caplog.records if record.name == "mcp_core.tools"]


@pytest.fixture
def server(caplog: pytest.LogCaptureFixture) -> AnyServer:
    caplog.set_level(TRACE, "mcp_core.tools")
    return AnyServer()


def test_async_success_is_traced(server: AnyServer, caplog: pytest.LogCaptureFixture) -> None:
    tool = ExtMcpToolDecorator(server, "p").tool()(greet)
    assert asyncio.run(tool()) == "hello"
    assert logs(caplog) == [(TRACE, "Tool called: p_greet"), (TRACE, "Tool p_greet completed successfully")]
    assert caplog.records[0].levelname == "TRACE"
    assert caplog.records[0].tool == "greet"  # type: ignore[attr-defined]


def test_sync_success_is_debug(server: AnyServer, caplog: pytest.LogCaptureFixture) -> None:
    def plain() -> str:
        return "hello"

    assert ExtMcpToolDecorator(server, "").tool()(plain)() == "hello"
    assert logs(caplog) == [(TRACE, "Tool called: plain"), (logging.DEBUG, "Tool plain completed successfully")]


def test_failure_is_an_error_and_raised_again(server: AnyServer, caplog: pytest.LogCaptureFixture) -> None:
    async def breaks() -> None:
        raise ValueError("no\nluck")

    def breaks_too() -> None:
        raise KeyError("x")

    decorator = ExtMcpToolDecorator(server, "")
    with pytest.raises(ValueError, match="no"):
        asyncio.run(decorator.tool()(breaks)())
    with pytest.raises(KeyError):
        decorator.tool()(breaks_too)()
    assert logs(caplog) == [
        (TRACE, "Tool called: breaks"),
        (logging.ERROR, "Tool breaks failed: no\\nluck"),
        (TRACE, "Tool called: breaks_too"),
        (logging.ERROR, "Tool breaks_too failed: 'x'"),
    ]


def test_a_failed_result_is_not_a_success(server: AnyServer, caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> Result[int]:
        return Result.failure("not there", "not_found")

    asyncio.run(ExtMcpToolDecorator(server, "").tool()(fails)())
    assert logs(caplog)[1] == (logging.ERROR, "Tool fails failed: not there")


def test_cancelled_and_rejected_calls_are_logged_and_recorded(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(TRACE, "mcp_core.tools")
    waiting = asyncio.Event()

    class Nothing(ToolArguments):
        pass

    async def waits(args: Nothing) -> Result[int]:
        """Wait."""
        waiting.set()
        await asyncio.Event().wait()
        return Result.ok(1)

    registry, records = Registry(), list[Call]()
    with ToolArguments.isolated():
        ToolArguments.declare(waits)
        ExtMcpToolDecorator(registry, "").register(waits)
    dispatcher = Dispatcher(registry, observer=records.append)

    async def cancel() -> None:
        task = asyncio.create_task(dispatcher.call("waits", {}, ToolContext()))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await dispatcher.call("waits", {"bogus": 1}, ToolContext())

    asyncio.run(cancel())
    assert logs(caplog) == [
        (TRACE, "Tool called: waits"),
        (logging.DEBUG, "Tool waits was cancelled"),
        (logging.DEBUG, "Tool waits rejected: 1 invalid arguments"),
    ]
    assert [record.outcome for record in records] == ["cancelled", "rejected"]


def test_a_bare_decorator_registers_too() -> None:
    server = AnyServer()
    decorator = ExtMcpToolDecorator(server, prefix="p")

    @decorator.tool
    async def first() -> str:
        return "1"

    @decorator
    async def second() -> str:
        return "2"

    assert list(server.tools) == ["p_first", "p_second"]
    assert asyncio.run(first()) == "1"
    assert asyncio.run(second()) == "2"


def test_our_own_registry_takes_decorated_functions() -> None:
    registry = Registry()
    decorator = ExtMcpToolDecorator(registry, prefix="p")
    with ToolArguments.isolated():
        decorator.tool()(greet)
        decorator.tool(name="other", description="Else.", prefix="", title="Other")(greet)
        with pytest.raises(TypeError):
            decorator.tool(name="third", nonsense=True)(greet)
    assert [registered.name for registered in registry] == ["p_greet", "other"]
    assert registry.find("other").wire["title"] == "Other"  # type: ignore[union-attr]
    answer = asyncio.run(Dispatcher(registry).call("p_greet", {}, ToolContext()))
    assert answer.structured == {"success": True, "value": "hello"}


def test_a_prefix_that_makes_no_good_names_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_TOOL_PREFIX", "a b")
    with pytest.raises(ValueError, match="'a b'"):
        ExtMcpToolDecorator(AnyServer())
    with pytest.raises(ValueError, match="'ü'"):
        ExtMcpToolDecorator(AnyServer(), prefix="").tool(prefix="ü")(greet)
