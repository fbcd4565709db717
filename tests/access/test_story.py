"""Three users on one server, set up by the commands of docs/teams.md; one of them may not see a document."""

from __future__ import annotations

import configparser
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from team_client import Team, User

ROOT = Path(__file__).parents[2]
SECRET = "the merger with Quartzite is on the ninth of May"


def commands() -> list[list[str]]:
    """The first block of commands in docs/teams.md."""
    block = re.search(r"```console\n(.*?)```", (ROOT / "docs/teams.md").read_text(), re.DOTALL)
    assert block is not None
    return [shlex.split(line.removeprefix("$ rolltop ")) for line in block[1].splitlines()]


@pytest.mark.anyio
async def test_three_users_and_a_document_that_one_of_them_never_sees(
    http_server: Callable[..., str], environment: dict[str, str]
) -> None:
    asked = commands()
    assert len(asked) == 10
    serving = next(index for index, command in enumerate(asked) if command[0] == "serve")
    before, after = asked[:serving], asked[serving + 1 :]
    team = Team("", environment)
    said = {tuple(command): team.run(*command) for command in before}
    team.url = http_server("--team")
    anna, ben, carla = (
        User(team.url, next(out for command, out in said.items() if command[:3] == ("users", "add", name)))
        for name in ("anna", "ben", "carla")
    )

    # Anna keeps something for the board; Ben reads it there; in the main workspace all three meet.
    kept = anna.at("board").call("store_text", name="merger.md", content=SECRET, tags=["secret"])
    assert ben.at("board").call("cat_document", name="merger.md")["content"].startswith("the merger")
    assert "your role" in json.dumps(ben.at("board").call("store_text", name="x", content="x"))
    ben.call("store_text", name="lunch.md", content="lunch is at noon")
    assert carla.call("search_documents", query="lunch")["total"] == 1

    # Carla asks by everything that she has, over both protocols.
    seen: list[Any] = []
    for mode in ("legacy", "2026-07-28"):
        headers = {"Authorization": f"Bearer {carla.token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=120) as http,
            Client(streamable_http_client(team.url, http_client=http), mode=mode) as client,
        ):
            for tool in (await client.list_tools()).tools:
                for arguments in _questions(kept["hash"]):
                    known = set(tool.input_schema.get("properties", {}))
                    given = {key: value for key, value in arguments.items() if key in known}
                    if set(tool.input_schema.get("required", [])) <= set(given):
                        seen.append((await client.call_tool(tool.name, given)).model_dump(mode="json"))
            seen.append((await client.list_resources()).model_dump(mode="json"))
            for uri in (f"doc://{kept['hash']}", "doc://merger.md"):
                with pytest.raises(Exception, match=r"(?i)no document|not found|unknown|there is no"):
                    await client.read_resource(uri)
    assert len(seen) > 30
    told = json.dumps(seen)
    assert "lunch" in told
    for trace in ("merger with", "ninth of May", '"merger.md"', '"secret"', "board"):
        assert trace not in told, trace
    assert carla.at("board").ask("tools/list")[0] == 404

    # The owner sees who did what, and shuts Carla out.
    for command in after:
        said[tuple(command)] = team.run(*command)
    who = {(row["tool"], row["principal"]) for row in json.loads(team.run("journal", "--json", "-n", "500"))}
    assert {("store_text", "user:ben"), ("search_documents", "user:carla")} <= who
    assert not any(principal == "user:anna" for _, principal in who)  # the board has a journal of its own
    assert carla.ask("tools/list")[0] == 401
    assert ben.call("search_documents", query="lunch")["total"] == 1


def _questions(digest: str) -> list[dict[str, Any]]:
    """Arguments that ask for the document in every way; a tool takes those that it knows."""
    return [
        {
            "query": "merger Quartzite",
            "pattern": "Quartz",
            "about": "the merger",
            "tags": ["secret"],
            "name": "merger.md",
        }
        | {"uri": "doc://merger.md", "name": "merger.md", "hash": digest, "graph": True, "include_content": True},
        {"query": "Quartzit", "fuzzy": True, "similarity": 0.1, "name": "merge", "uri": f"doc://{digest}"},
        {},
    ]


def test_the_unit_starts_what_this_project_has() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(ROOT / "examples/team/rolltop.service")
    assert unit["Service"]["ExecStart"].split()[1:] == ["serve", "--http", "--team", "--port", "7779"]
    assert unit["Service"]["NoNewPrivileges"] == "yes"
