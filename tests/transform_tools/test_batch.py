"""One program over many inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.anyio
RUN = {"transformation": "$input.total * 2", "inputFormat": "json", "outputFormat": "json"}


async def test_files_patterns_and_documents(stdio_client: Any, environment: dict[str, str]) -> None:
    home = Path(environment["HOME"])
    for name, text in {
        "a/1.json": '{"total": 1}',
        "a/b/2.json": '{"total": 2}',
        "a/3.json": "{",
        "a/4.txt": "x",
    }.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    async with stdio_client("--toolsets", "transform,store") as client:
        told: list[float] = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            told.append(done)

        async def batch(**arguments: Any) -> Any:
            answer = await client.call_tool("transform_batch", {**RUN, **arguments}, progress_callback=progress)
            return answer.structured_content

        data = (await batch(inputs=[f"{home}/a/**/*.json"]))["data"]
        assert [Path(item["input"]).name for item in data["results"]] == ["1.json", "3.json", "2.json"]
        assert [item.get("output") for item in data["results"]] == ["2", None, "4"]
        assert data["results"][1]["error"]["code"] == "PARSE_ERROR"
        assert (data["total"], data["succeeded"], data["failed"]) == (3, 2, 1)
        assert sorted(told) == [1, 2, 3]
        first = (await batch(inputs=[f"{home}/a/*.json"], limit=1))["data"]
        assert (first["total"], first["nextOffset"], len(first["results"])) == (2, 1, 1)
        await client.call_tool("store_text", {"content": '{"total": 1}', "name": "kept.json"})
        stored = (await batch(inputs=["doc://kept.json", "doc://nothing"]))["data"]
        assert [item["success"] for item in stored["results"]] == [True, False]
        assert (await batch(inputs=[f"{home}/nothing/*.json"]))["error"]["code"] == "INVALID_INPUT"
        wrong = await batch(inputs=[f"{home}/a/**/*.json"], transformation="uper($input.total)")
        assert (wrong["success"], wrong["error"]["code"]) == (False, "VALIDATION_ERROR")
        assert wrong["error"]["details"]["repair"]["transformation"] == "upper($input.total)"
