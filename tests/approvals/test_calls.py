"""A call waits for the owner's page and goes on: with real servers and the page's side in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_core import Answer, ClientInfo, Reply
from rolltop.approvals import Approval, Approvals
from rolltop.server.application import Application
from rolltop.settings import load

ADDRESS = "http://127.0.0.1:1/approvals"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Approvals]:
    """What the page does: another connection to the file, announced."""
    made = Approvals(tmp_path / "workspace" / "approvals.sqlite")
    made.announce("page", ADDRESS)
    yield made
    made.close()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    monkeypatch.chdir(tmp_path)
    env = {
        "ROLLTOP_WORKSPACE": str(tmp_path / "workspace"),
        "XDG_CONFIG_HOME": str(tmp_path),
        "ROLLTOP_CALL_TIMEOUT": "1",
    }
    made = Application(load(env=env))
    for name in ("a.md", "b.md"):
        asyncio.run(made.dispatcher.call("store_text", {"content": name, "name": name}, made.context(ClientInfo())))
    yield made
    made.close()


def call(desk: Application, tool: str, arguments: dict[str, Any], **context: Any) -> asyncio.Future[Answer]:
    return asyncio.ensure_future(desk.dispatcher.call(tool, arguments, desk.context(ClientInfo(), **context)))


async def one_pending(page: Approvals) -> Approval:
    seq = 0
    async with asyncio.timeout(30):
        while not (pending := page.pending()):
            seq = await page.changed(seq, 30)
    assert len(pending) == 1
    return pending[0]


def names(desk: Application) -> list[str]:
    return [document.path for document in desk.workspace.store.documents.matching(pattern="*")]


@pytest.mark.parametrize("literal", [{}, {"confirm": "DELETE_DOCUMENTS"}])
@pytest.mark.parametrize(("decision", "left"), [("once", ["b.md"]), ("tool", ["b.md"]), ("deny", ["a.md", "b.md"])])
def test_the_page_decides(
    desk: Application, page: Approvals, decision: str, left: list[str], literal: dict[str, str]
) -> None:
    async def scene() -> Answer:
        waiting = call(desk, "delete_by_name", {"name": "a.md", **literal})
        asked = await one_pending(page)
        assert asked.effect == 'deletes 1 document: "a.md"'
        assert asked.details[0].startswith('1. "a.md", 4 bytes')
        assert asked.arguments["name"] == "a.md"
        assert not waiting.done()
        assert page.decide(asked.id, decision, "owner")
        return await waiting

    answer = asyncio.run(scene())
    assert names(desk) == left
    assert answer.is_error is (decision == "deny")
    assert page.pending() == []


def test_a_session_decision_is_not_asked_for_again(desk: Application, page: Approvals) -> None:
    async def scene(decision: str) -> None:
        waiting = call(desk, "delete_by_name", {"name": "a.md"})
        page.decide((await one_pending(page)).id, decision, "owner")
        await waiting
        await call(desk, "delete_by_name", {"name": "b.md"})

    asyncio.run(scene("tool"))
    assert names(desk) == []
    assert [(each.tool, each.decision) for each in page.remembered()] == [("delete_by_name", "allow")]


def test_waiting_does_not_count_against_the_time_limit_and_shows_progress(desk: Application, page: Approvals) -> None:
    shown: list[str | None] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        shown.append(message)

    async def scene() -> Answer:
        waiting = call(desk, "delete_by_name", {"name": "a.md"}, progress_sink=progress)
        asked = await one_pending(page)
        await asyncio.sleep(1.3)  # longer than the call may run
        page.decide(asked.id, "once", "owner")
        return await waiting

    assert not asyncio.run(scene()).is_error
    assert shown[0] == f"Waiting for approval at {ADDRESS}"


@pytest.mark.parametrize("first", ["client", "page"])
@pytest.mark.parametrize("agree", [True, False])
def test_the_first_answer_counts(desk: Application, page: Approvals, first: str, agree: bool) -> None:
    open_form, closed = asyncio.Event(), list[bool]()

    async def ask(key: str, message: str, schema: Any) -> Reply:
        open_form.set()
        try:
            await asyncio.Event().wait() if first == "page" else None
        finally:
            closed.append(True)
        return Reply("accept", {"agree": agree})

    async def scene() -> Answer:
        waiting = call(desk, "delete_by_name", {"name": "a.md"}, asker=ask)
        if first == "page":
            await open_form.wait()
            page.decide((await one_pending(page)).id, "once" if agree else "deny", "owner")
        return await waiting

    asyncio.run(scene())
    assert names(desk) == (["b.md"] if agree else ["a.md", "b.md"])
    assert closed == [True]
    assert page.pending() == []
    assert page.recent()[0].who == ("owner" if first == "page" else "client")


def test_a_document_that_changed_while_the_question_was_open_stays(desk: Application, page: Approvals) -> None:
    async def scene() -> Answer:
        waiting = call(desk, "delete_by_name", {"pattern": "*.md"})
        asked = await one_pending(page)
        await call(desk, "store_text", {"content": "new", "name": "new.md"})
        page.decide(asked.id, "once", "owner")
        return await waiting

    assert asyncio.run(scene()).structured["code"] == "conflict"
    assert names(desk) == ["a.md", "b.md", "new.md"]


def test_a_call_that_is_given_up_withdraws_its_question(desk: Application, page: Approvals) -> None:
    async def scene() -> None:
        waiting = call(desk, "delete_by_name", {"name": "a.md"})
        asked = await one_pending(page)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert page.get(asked.id).state == "withdrawn"

    asyncio.run(scene())
    assert names(desk) == ["a.md", "b.md"]


def test_nobody_answers(desk: Application, page: Approvals) -> None:
    desk.approver.seconds = 0.2
    answer = asyncio.run(desk.dispatcher.call("delete_by_name", {"name": "a.md"}, desk.context(ClientInfo())))
    assert answer.structured["error"] == "nothing was done: nobody answered within 0.2 s"
    assert names(desk) == ["a.md", "b.md"]
    assert page.remembered() == []


def test_credentials_among_the_arguments_are_masked(desk: Application, page: Approvals) -> None:
    steps = [
        {"op": "store_text", "arguments": {"name": "k", "content": "api_key=abcdef123", "metadata": {"token": "t0p"}}},
        {"op": "delete_by_name", "arguments": {"name": "a.md"}},
    ]

    async def scene() -> None:
        waiting = call(desk, "bulk_operations", {"operations": steps})
        shown = str((await one_pending(page)).shown())
        assert "abcdef123" not in shown
        assert "t0p" not in shown
        page.decide((await one_pending(page)).id, "deny", "owner")
        await waiting

    asyncio.run(scene())


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_a_real_client_that_cannot_ask_waits_for_the_page(stdio_client: Any, page: Approvals, era: str) -> None:
    async with stdio_client("--toolsets", "store", mode=era) as client:
        for name in ("a.md", "b.md"):
            await client.call_tool("store_text", {"content": name, "name": name})
        answers = []
        for name, decision in (("a.md", "deny"), ("b.md", "once")):
            waiting = asyncio.ensure_future(client.call_tool("delete_by_name", {"name": name}))
            asked = await one_pending(page)
            assert asked.client == "mcp"
            page.announce("page", ADDRESS)
            page.decide(asked.id, decision, "owner")
            answers.append(await waiting)
        assert [answer.is_error for answer in answers] == [True, False]
        again = await client.call_tool("delete_by_name", {"name": "a.md"})
        assert "refused exactly this before" in again.structured_content["error"]


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_a_real_client_with_a_form_and_the_page(stdio_client: Any, page: Approvals, era: str) -> None:
    from mcp.types import ElicitResult

    answer = {"action": "accept", "content": {"agree": True}}
    async with stdio_client(
        "--toolsets", "store", mode=era, elicitation_callback=lambda *_: _soon(ElicitResult(**answer))
    ) as client:
        await client.call_tool("store_text", {"content": "a", "name": "a.md"})
        gone = await client.call_tool("delete_by_name", {"name": "a.md"})
        assert gone.structured_content["count"] == 1
    assert [(each.decision, each.who) for each in page.recent()] == [("once", "client")]
    assert page.pending() == []


async def _soon(value: Any) -> Any:
    return value
