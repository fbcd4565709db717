"""Batches and the files that their steps write."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_core import ClientInfo
from rolltop.server.application import Application
from rolltop.settings import load

STORE = {"op": "store_text", "arguments": {"content": "new\n", "name": "new.txt"}}
MISSING = {"op": "get_by_name", "arguments": {"name": "missing"}}


def written(name: str, **more: str) -> dict[str, Any]:
    return {"op": "retrieve_document", "arguments": {"hash": "$1.hash", "outputPath": name, **more}}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    monkeypatch.chdir(tmp_path)
    env = {
        "ROLLTOP_WORKSPACE": str(tmp_path / "workspace"),
        "XDG_CONFIG_HOME": str(tmp_path),
        "ROLLTOP_CONSENT": "literal",
    }
    made = Application(load(env=env))
    yield made
    made.close()


def bulk(desk: Application, *steps: dict[str, Any], fails: bool = False, **more: Any) -> dict[str, Any]:
    arguments = {"operations": list(steps), **more}
    answer = asyncio.run(desk.dispatcher.call("bulk_operations", arguments, desk.context(ClientInfo())))
    assert answer.is_error is fails, answer.text
    return dict(answer.structured)


def files(tmp_path: Path) -> dict[str, str]:
    """Every file, the hidden ones too."""
    return {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()}


def test_a_file_is_undone_with_its_batch(desk: Application, tmp_path: Path) -> None:
    bulk(desk, STORE, written("a.txt"), written("b.txt"), MISSING, atomic=True, fails=True)
    assert files(tmp_path) == {}
    kept = bulk(desk, STORE, written("a.txt"), MISSING)
    assert (kept["succeeded"], files(tmp_path)) == (2, {"a.txt": "new\n"})


def test_a_later_step_sees_the_file_of_an_earlier_one(desk: Application, tmp_path: Path) -> None:
    again = {"op": "store_document", "arguments": {"path": "$2.path"}}
    assert bulk(desk, STORE, written("a.txt"), again, atomic=True)["results"][2]["result"]["path"].endswith("a.txt")


def test_a_file_that_was_replaced_is_there_again(desk: Application, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old\n")
    (tmp_path / "a.txt").chmod(0o600)
    steps = (STORE, written("a.txt"), written("a.txt"), MISSING)
    bulk(desk, *steps, atomic=True, fails=True, confirm="RUN_DESTRUCTIVE_OPERATIONS")
    assert files(tmp_path) == {"a.txt": "old\n"}
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o600


def test_replacing_a_file_needs_consent(desk: Application, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old\n")
    refused = bulk(desk, STORE, written("a.txt"), fails=True)
    assert (refused["code"], files(tmp_path)) == ("consent_required", {"a.txt": "old\n"})
    assert "replaces files" in refused["error"]
    assert bulk(desk, {"op": "list_documents"})["results"][0]["result"]["total"] == 0
    assert bulk(desk, STORE, written("a.txt"), confirm="RUN_DESTRUCTIVE_OPERATIONS")["failed"] == 0
    assert files(tmp_path) == {"a.txt": "new\n"}


def test_a_step_may_bring_the_consent_of_its_tool(desk: Application, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old\n")
    wrong = bulk(desk, STORE, written("a.txt", confirm="YES"), fails=True)
    assert (wrong["code"], 'can only be "OVERWRITE_FILE"' in wrong["error"]) == ("invalid_arguments", True)
    assert bulk(desk, STORE, written("a.txt", confirm="OVERWRITE_FILE"))["failed"] == 0
    assert files(tmp_path) == {"a.txt": "new\n"}
    gone = {"op": "delete_by_name", "arguments": {"name": "new.txt", "confirm": "DELETE_DOCUMENTS"}}
    assert bulk(desk, gone)["results"][0]["result"]["count"] == 1


def test_a_file_that_a_reference_names_is_asked_about(desk: Application, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("old\n")
    to_a_name = {"op": "retrieve_document", "arguments": {"hash": "$1.hash", "outputPath": "$1.name"}}
    refused = bulk(desk, STORE, to_a_name, fails=True)
    assert refused["code"] == "consent_required"
    assert "RUN_DESTRUCTIVE_OPERATIONS" in refused["hint"]
    assert files(tmp_path) == {"new.txt": "old\n"}


def test_what_somebody_else_wrote_since_is_left_alone(desk: Application, tmp_path: Path) -> None:
    with_files = desk.workspace.files
    (tmp_path / "a.txt").write_text("old\n")
    first = with_files.write_for_now("a.txt", b"ours", overwrite=True)
    (tmp_path / "theirs").write_text("theirs")
    (tmp_path / "theirs").rename(tmp_path / "a.txt")
    with_files.settle(first, keep=False)
    assert files(tmp_path) == {"a.txt": "theirs"}


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("agree", [True, False])
async def test_the_user_is_asked_before_a_file_is_replaced(
    stdio_client: Any, tmp_path: Path, era: str, agree: bool
) -> None:
    from mcp.types import ElicitResult

    questions: list[str] = []

    async def ask(_: Any, params: Any) -> ElicitResult:
        questions.append(params.message)
        return ElicitResult(action="accept", content={"agree": agree})

    place = tmp_path / "home" / "a.txt"
    place.write_text("old\n")
    async with stdio_client("--toolsets", "store", mode=era, elicitation_callback=ask) as client:
        answer = await client.call_tool("bulk_operations", {"operations": [STORE, written(str(place))]})
    assert len(questions) == 1
    assert f'step 2 replaces the file "{place}"' in questions[0]
    assert (answer.is_error, place.read_text()) == (not agree, "new\n" if agree else "old\n")
