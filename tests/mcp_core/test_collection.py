"""Requirement 002, "Tool Collection Pattern"."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mcp_core import ExtMcpToolDecorator, Registry, Result, ToolArguments
from mcp_core.registry import DuplicateTool


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    with ToolArguments.isolated():
        yield


def make_tool(name: str) -> Callable[..., Any]:
    async def tool() -> Result[str]:
        return Result.ok(name)

    tool.__name__ = tool.__qualname__ = name
    return tool


def test_declaring_returns_the_same_function() -> None:
    tool = make_tool("one")
    assert ToolArguments.declare(tool) is tool
    assert asyncio.run(tool()).value == "one"


def test_declaring_with_options_returns_the_same_function() -> None:
    tool = make_tool("one")
    assert ToolArguments.declare(toolset="x")(tool) is tool


def test_retrieval_gives_all_and_clears() -> None:
    one, two = ToolArguments.declare(make_tool("one")), ToolArguments.declare(make_tool("two"))
    assert ToolArguments.get_declared_tools() == {"one": one, "two": two}
    assert ToolArguments.get_declared_tools() == {}


def test_a_subclass_shares_the_collection() -> None:
    class Mine(ToolArguments):
        pass

    Mine.declare(make_tool("mine"))
    assert set(ToolArguments.get_declared_tools()) == {"mine"}


def test_coroutines_get_them_once() -> None:
    ToolArguments.declare(make_tool("one"))

    async def three_at_once() -> list[dict[str, Any]]:
        return await asyncio.gather(*(ToolArguments.aget_declared_tools() for _ in range(3)))

    assert sorted(len(found) for found in asyncio.run(three_at_once())) == [0, 0, 1]
    ToolArguments.declare(make_tool("two"))
    assert sum(len(found) for found in asyncio.run(three_at_once())) == 1  # on a second event loop too


def test_eight_threads_lose_and_double_nothing() -> None:
    each, drained = 300, []
    start = threading.Barrier(8)

    def work(number: int) -> None:
        start.wait()
        for index in range(each):
            ToolArguments.declare(make_tool(f"tool_{number}_{index}"))
            if index % 7 == 0:
                drained.append(ToolArguments.get_declared_tools())

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    drained.append(ToolArguments.get_declared_tools())
    counts = Counter(name for found in drained for name in found)
    assert len(counts) == 8 * each
    assert set(counts.values()) == {1}


def test_two_tools_of_one_name_are_refused_with_both_places() -> None:
    def same() -> Result[int]:
        return Result.ok(1)

    first = same
    ToolArguments.declare(first)
    with pytest.raises(DuplicateTool) as caught:
        ToolArguments.declare(make_tool("same"))
    assert str(caught.value).count(__file__.rpartition("/")[2]) == 2


def test_two_servers_in_one_process_are_both_complete() -> None:
    for name in ("one", "two"):
        ToolArguments.declare(toolset="x")(make_tool(name))
    ToolArguments.get_declared_tools()
    lists = []
    for prefix in ("a", "b"):
        registry = Registry()
        decorator = ExtMcpToolDecorator(registry, prefix)
        for spec in ToolArguments.catalogue("x"):
            decorator.register(spec)
        lists.append([registered.name for registered in registry])
    assert lists == [["a_one", "a_two"], ["b_one", "b_two"]]


def test_isolation_gives_the_real_collection_back() -> None:
    ToolArguments.declare(make_tool("outer"))
    with ToolArguments.isolated():
        ToolArguments.declare(make_tool("inner"))
    assert set(ToolArguments.get_declared_tools()) == {"outer"}
