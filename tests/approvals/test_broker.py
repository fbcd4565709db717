"""Approvals between processes: asked in one, decided in another."""

from __future__ import annotations

import asyncio
import json
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from rolltop.approvals import FRESH, Approvals
from rolltop.errors import InvalidInput, NotFound

QUESTION: dict[str, Any] = {
    "session": "s",
    "tool": "delete_by_name",
    "action": "DELETE_DOCUMENTS",
    "effect": 'deletes 1 document: "a.md"',
    "details": ['1. "a.md", 2 bytes'],
    "arguments": {"name": "a.md"},
    "principal": None,
    "client": "test",
    "transport": "stdio",
    "digest": "d" * 64,
}

ANOTHER_PROCESS = """
import json, sys
from pathlib import Path
from rolltop.approvals import Approvals

approvals = Approvals(Path(sys.argv[1]))
approvals.announce("page", "http://127.0.0.1:1/")
for line in sys.stdin:
    method, *values = json.loads(line)
    result = getattr(approvals, method)(*values)
    if method in ("pending", "recent"):
        result = [each.shown() for each in result]
    print(json.dumps(result), flush=True)
"""


class Page:
    """Another process, as the one that serves the page."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-c", ANOTHER_PROCESS, str(path)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def do(self, *call: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(call) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def approvals(tmp_path: Path) -> Any:
    made = Approvals(tmp_path / "workspace" / "approvals.sqlite")
    yield made
    made.close()


def test_nothing_is_made_by_looking(approvals: Approvals) -> None:
    assert (approvals.pending(), approvals.page_address(), approvals.remembered()) == ([], None, [])
    assert approvals.recall("s", "t", "d") is None
    assert not approvals.path.exists()


def test_a_decision_of_another_process_wakes_the_call(approvals: Approvals) -> None:
    request = approvals.request(QUESTION, 60)
    page = Page(approvals.path)
    try:
        (shown,) = page.do("pending")
        assert (shown["id"], shown["state"], shown["details"]) == (request, "pending", QUESTION["details"])
        assert "session" not in shown
        assert approvals.page_address() == "http://127.0.0.1:1/"

        async def wait() -> None:
            waiting = asyncio.ensure_future(approvals.decided(request))
            await asyncio.sleep(0)
            assert not waiting.done()
            assert await asyncio.to_thread(page.do, "decide", request, "once", "owner")
            await asyncio.wait_for(waiting, 20)

        asyncio.run(wait())
        assert page.do("decide", request, "deny", "owner") is False
        assert approvals.take(request) == ("once", "owner")
        assert approvals.take(request) is None
        assert page.do("take", request) is None
        assert page.do("pending") == []
    finally:
        page.close()


def test_the_file_is_its_owners_alone(approvals: Approvals) -> None:
    approvals.request(QUESTION, 60)
    assert stat.S_IMODE(approvals.path.stat().st_mode) == 0o600


def test_only_one_of_many_gets_an_answer(approvals: Approvals) -> None:
    request = approvals.request(QUESTION, 60)
    approvals.decide(request, "once", "owner")
    others = [Approvals(approvals.path) for _ in range(8)]
    taken: list[Any] = []
    threads = [threading.Thread(target=lambda each=each: taken.append(each.take(request))) for each in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(bool, taken)) == [False] * 7 + [True]
    for other in others:
        other.close()


def test_requests_expire_and_are_withdrawn(approvals: Approvals) -> None:
    gone = approvals.request(QUESTION, -1)
    assert approvals.get(gone).state == "expired"
    assert approvals.decide(gone, "once", "owner") is False
    left = approvals.request(QUESTION, 60)
    approvals.withdraw(left)
    assert approvals.decide(left, "once", "owner") is False
    assert approvals.get(left).state == "withdrawn"
    assert approvals.pending() == []


def test_a_parked_request_is_taken_up_once(approvals: Approvals) -> None:
    first = approvals.request(QUESTION, 60)
    assert approvals.request(QUESTION, 60) != first
    approvals.park(first)
    assert approvals.request({**QUESTION, "digest": "e" * 64}, 60) != first
    assert approvals.request({**QUESTION, "session": "other"}, 60) != first
    assert approvals.request(QUESTION, 60) == first
    assert approvals.request(QUESTION, 60) != first


def test_decisions_for_a_session(approvals: Approvals) -> None:
    approvals.remember("s", "delete", "d1", "deny", "owner")
    approvals.remember("s", "delete", "d2", "effect", "owner")
    approvals.remember("s", "render", "d3", "tool", "owner")
    assert [approvals.recall("s", "delete", digest) for digest in ("d1", "d2", "d3")] == ["deny", "allow", None]
    assert [approvals.recall("s", "render", digest) for digest in ("d1", "d2")] == ["allow", "allow"]
    assert approvals.recall("another", "delete", "d1") is None
    approvals.remember("s", "delete", "d9", "tool", "owner")
    assert approvals.recall("s", "delete", "d1") == "deny"
    refusal = next(each for each in approvals.remembered() if each.decision == "deny")
    assert approvals.forget(refusal.id)
    assert approvals.recall("s", "delete", "d1") == "allow"
    assert not approvals.forget(refusal.id)


def test_changes_are_followed(approvals: Approvals) -> None:
    assert asyncio.run(approvals.changed(0, 0)) == 0
    first = approvals.request(QUESTION, 60)
    changed, seq = approvals.since(0)
    assert [each.id for each in changed] == [first]
    assert approvals.since(seq) == ([], seq)

    async def follow() -> int:
        waiting = asyncio.ensure_future(approvals.changed(seq, 20))
        await asyncio.to_thread(approvals.decide, first, "deny", "owner")
        return await waiting

    assert asyncio.run(follow()) > seq
    assert [each.state for each in approvals.since(seq)[0]] == ["denied"]


def test_a_page_counts_while_it_is_announced(approvals: Approvals, monkeypatch: pytest.MonkeyPatch) -> None:
    approvals.announce("one", "http://localhost:1/")
    assert approvals.page_address() == "http://localhost:1/"
    now = time.time()
    monkeypatch.setattr("rolltop.approvals.time.time", lambda: now + FRESH + 1)
    assert approvals.page_address() is None
    approvals.announce("one", "http://localhost:1/")
    assert approvals.page_address() is not None
    approvals.leave("one")
    assert approvals.page_address() is None


def test_what_is_no_decision_is_refused(approvals: Approvals) -> None:
    request = approvals.request(QUESTION, 60)
    with pytest.raises(InvalidInput, match="is no decision"):
        approvals.decide(request, "yes", "owner")
    with pytest.raises(NotFound, match="there is no request"):
        approvals.get("nothing")


def test_a_refusal_is_kept_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    approvals = Approvals(tmp_path / "file" / "approvals.sqlite")
    approvals.remember("s", "delete", "d", "deny", "owner")
    assert approvals.recall("s", "delete", "d") == "deny"
