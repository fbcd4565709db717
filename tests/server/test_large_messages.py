"""A large message keeps nobody waiting: what it may hold is bounded, and the event loop leaves it to a thread."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from mcp_core import READS, Dispatcher, Registry, Result, ToolContext, ToolSpec
from rolltop.server.jsonrpc import LARGE, MOST_VALUES, Malformed, read

TEXTS: dict[str, Any] = {
    "commas in a text": {"text": "a,b,[c],{d}" * 20_000},
    "JSON in a text": {"text": json.dumps([{"a": [1, 2]}] * 20_000)},
    "backslashes in a text": {"text": '\\",\\\\"[,' * 20_000},
    "texts that are large": {"items": ["x," * 50] * 10_000},
}
MANY: dict[str, bytes] = {
    "lists": b"[" + b"[]," * MOST_VALUES + b"1]",
    "numbers": json.dumps({"items": list(range(MOST_VALUES + 10))}).encode(),
    "keys": json.dumps({f"key{n}": n for n in range(MOST_VALUES + 10)}).encode(),
    "texts": json.dumps({"items": ["\\"] * (MOST_VALUES + 10)}).encode(),
}


@pytest.mark.parametrize("name", TEXTS)
def test_data_inside_of_texts_is_read(name: str) -> None:
    body = json.dumps(TEXTS[name]).encode()
    assert len(body) > LARGE
    assert read(body) == TEXTS[name]


@pytest.mark.parametrize("name", MANY)
def test_a_message_of_too_many_values_is_refused_before_it_is_parsed(name: str) -> None:
    with pytest.raises(Malformed, match="more than 50,000 values"):
        read(MANY[name])


@pytest.mark.anyio
@pytest.mark.parametrize("is_large", [True, False])
async def test_arguments_of_a_large_message_are_checked_in_a_thread(is_large: bool) -> None:
    seen: list[threading.Thread] = []

    def validate(arguments: Any) -> Any:
        seen.append(threading.current_thread())
        return arguments

    async def tool(args: Any) -> Result[str]:
        return Result.ok("done")

    registry = Registry()
    spec = ToolSpec("large", tool, annotations=READS, schema={"type": "object"}, validate=validate, documentation="Do.")
    registry.add(spec, name="large", run=tool)
    await Dispatcher(registry).call("large", {"a": 1}, ToolContext(is_large=is_large))
    assert (seen == [threading.main_thread()]) is not is_large
