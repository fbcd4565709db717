"""The journal: every call leaves a row, from several processes, without values unless asked for."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_core import ClientInfo, Reply, dispatch
from rolltop.errors import Damaged
from rolltop.journal import Entry, Journal, Retention
from rolltop.server.application import Application
from rolltop.settings import load

Rolltop = Callable[..., subprocess.CompletedProcess[str]]


def entry(number: int, **more: object) -> Entry:
    values: dict[str, object] = {
        "time": float(number), "tool": f"tool_{number}", "toolset": "x", "client": "c", "transport": "t",
        "outcome": "ok", "error_type": None, "seconds": 0.1, "size_in": 1, "size_out": 2, "digest": "d",
    }  # fmt: skip
    return Entry(**{**values, **more})  # type: ignore[arg-type]


def test_rows_come_back_newest_first(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    for number in range(5):
        journal.add(entry(number, outcome="failed" if number == 3 else "ok"))
    assert [row["tool"] for row in journal.recent(2)] == ["tool_4", "tool_3"]
    assert [row["tool"] for row in journal.recent(9, outcome="failed")] == ["tool_3"]
    journal.close()


WRITE_MANY = """
import sys, pathlib
from rolltop.journal import Entry, Journal
journal = Journal(pathlib.Path(sys.argv[1]))
for number in range(200):
    journal.add(Entry(1.0, f"tool_{number}", "x", "c", "t", "ok", None, 0.1, 1, 2, sys.argv[2]))
journal.close()
"""


def test_processes_share_it(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    processes = [subprocess.Popen([sys.executable, "-c", WRITE_MANY, str(path), str(base)]) for base in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert len(Journal(path).recent(10_000)) == 600


def locked(path: Path) -> sqlite3.Connection:
    """Hold the journal's write lock, as a process that hangs would."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return other


def test_one_error_of_the_database_does_not_end_the_journal(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    journal.add(entry(1))
    assert journal.flush()
    with sqlite3.connect(journal.path) as other:
        other.execute("CREATE TRIGGER refuse BEFORE INSERT ON calls BEGIN SELECT RAISE(FAIL, 'injected'); END")
    row = journal.add(entry(2))
    journal.flush()
    assert not row.done()
    with sqlite3.connect(journal.path) as other:
        other.execute("DROP TRIGGER refuse")
    journal.add(entry(3))
    assert row.result(10) is True
    assert [each["tool"] for each in journal.recent()] == ["tool_3", "tool_2", "tool_1"]
    journal.close()


def test_an_unexpected_exception_does_not_end_its_thread(tmp_path: Path) -> None:
    faults = [ZeroDivisionError("injected"), RecursionError("injected")]

    def prepare() -> None:
        if faults:
            raise faults.pop()

    journal = Journal(tmp_path / "j.sqlite", prepare)
    assert journal.add(entry(1)).result(10) is True
    assert len(journal.recent()) == 1
    journal.close()


def test_a_row_that_sqlite_cannot_take_holds_up_no_other(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    odd = entry(1, size_in=1 << 70, client="\ud800", seconds=float("nan"), consents=({"x": object()},))
    for each in (odd, entry(2, size_in=1 << 70, client="\ud800"), entry(3)):
        journal.add(each)
    assert [row["tool"] for row in journal.recent()] == ["tool_3", "tool_2"]
    journal.close()


def test_a_damaged_journal_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(Damaged, match="damaged"):
        Journal(path).recent()
    journal = Journal(path)
    assert journal.add(entry(1)).result(10) is True
    assert len(journal.recent()) == 1
    assert len(list(tmp_path.glob("j.sqlite.damaged-*"))) == 1
    journal.close()


def test_a_locked_journal_does_not_stop_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call with consent waits for its row; nobody else does."""
    monkeypatch.setattr(dispatch, "AUDIT_SECONDS", 0.5)
    env = {"HOME": str(tmp_path), "ROLLTOP_WORKSPACE": str(tmp_path / "w"), "MCP_INCLUDE_EXAMPLE_TOOLS": "true"}
    desk = Application(load({"toolsets": "guide", "consent": "literal"}, env=env))
    journal = desk.workspace.journal
    journal.add(entry(0))
    assert journal.flush()
    other = locked(journal.path)

    async def agree(*question: Any) -> Reply:
        return Reply("accept", {"agree": True})

    async def longest_standstill() -> float:
        longest, ended = 0.0, False

        async def tick() -> None:
            nonlocal longest
            while not ended:
                before = time.perf_counter()
                await asyncio.sleep(0.01)
                longest = max(longest, time.perf_counter() - before)

        ticking = asyncio.create_task(tick())
        context = desk.context(ClientInfo("test"), asker=agree)
        answer = await desk.dispatcher.call("forget_everything", {"what": "it"}, context)
        assert not answer.is_error
        ended = True
        await ticking
        return longest

    assert asyncio.run(longest_standstill()) < 2.0
    other.rollback()
    rows = {row["tool"] for row in journal.recent()}
    assert "forget_everything" in rows
    desk.close()


OLD = """CREATE TABLE calls (id INTEGER PRIMARY KEY, time REAL NOT NULL, tool TEXT NOT NULL, toolset TEXT NOT NULL,
    client TEXT NOT NULL, transport TEXT NOT NULL, outcome TEXT NOT NULL, error_type TEXT, seconds REAL NOT NULL,
    size_in INTEGER NOT NULL, size_out INTEGER NOT NULL, digest TEXT NOT NULL, arguments TEXT, consents TEXT);
    INSERT INTO calls VALUES (7, 1.0, 'search', 'store', 'c', 'stdio', 'ok', NULL, 0.1, 1, 2, 'd', NULL, NULL);"""


def test_an_old_journal_is_migrated_with_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    with sqlite3.connect(path) as old:
        old.executescript(OLD)
    journal = Journal(path)
    journal.add(entry(2, principal="ann", session="s1", tokens_out=9))
    new, kept = journal.recent()
    assert (kept["id"], kept["tool"], kept["session"], kept["tokens_out"]) == (7, "search", "", 0)
    assert (new["id"], new["principal"], new["session"], new["tokens_out"]) == (8, "ann", "s1", 9)
    journal.close()


def test_queries_use_an_index_and_filters_combine(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    for number in range(40):
        journal.add(
            entry(number, tool=f"t{number % 4}", client=f"c{number % 2}", outcome="ok" if number % 8 else "failed")
        )
    assert [row["time"] for row in journal.recent(2, tool="t3", client="c1", after=10, before=30)] == [27, 23]
    assert [row["id"] for row in journal.recent(2, below=4)] == [3, 2]
    assert [row["id"] for row in journal.since(38)] == [39, 40]
    assert journal.last_id() == 40
    with sqlite3.connect(journal.path) as connection:
        for column in ("tool", "client", "outcome"):
            query = f"EXPLAIN QUERY PLAN SELECT * FROM calls WHERE {column} = 'x' ORDER BY id DESC LIMIT 9"
            plan = " ".join(row[3] for row in connection.execute(query))
            assert f"calls_by_{column}" in plan
            assert "TEMP B-TREE" not in plan
    totals = journal.totals("client", after=20)
    assert [(row["client"], row["calls"], row["failures"], row["size_in"]) for row in totals] == [
        ("c0", 10, 2, 10),
        ("c1", 10, 0, 10),
    ]
    journal.close()


def test_other_processes_see_new_rows_by_their_id(tmp_path: Path) -> None:
    journal, reader = Journal(tmp_path / "j.sqlite"), Journal(tmp_path / "j.sqlite")
    assert reader.since(0) == []
    assert journal.add(entry(1)).result(10)
    [first] = reader.since(0)
    assert journal.add(entry(2)).result(10)
    assert [row["tool"] for row in reader.since(first["id"])] == ["tool_2"]
    journal.close()


@pytest.mark.parametrize(
    ("retention", "kept"),
    [
        (Retention(rows=10, days=0, megabytes=0), 10),
        (Retention(rows=10**6, days=1, megabytes=0), 1),
        (Retention(rows=10**6, days=0, megabytes=1), None),
    ],
)
def test_limits_are_kept_and_ids_go_on(tmp_path: Path, retention: Retention, kept: int | None) -> None:
    journal = Journal(tmp_path / "j.sqlite", retention=retention)
    for number in range(1000):
        journal.add(entry(number, answer="x" * 3000))
    assert journal.flush(30)
    rows = journal.recent(2000)
    assert len(rows) == kept or (kept is None and 100 < len(rows) < 400)
    journal.add(entry(1000))
    assert journal.recent(1)[0]["id"] == 1001
    journal.close()


SECRETS = {
    "password": "correct horse battery",
    "nested": [{"api_key": {"id": "a1b2c3d4", "more": ["e5f6a7b8"]}}],
    "text": "Authorization: Bearer abcdef123456, then sk-abcdefghijklmnop1234",
    "key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
}


@pytest.mark.parametrize("cut", [None, 150, 60])
def test_secrets_are_masked_also_in_a_text_that_was_cut(tmp_path: Path, cut: int | None) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    journal.add(entry(1, arguments=json.dumps(SECRETS)[:cut], answer='{"token": "zzzz yyyy", "max_tokens": 5}'))
    [row] = journal.recent()
    for secret in ("horse", "battery", "abcdef123456", "sk-abc", "MIIEow", "yyyy") + (
        ("a1b2", "e5f6") if cut is None else ()
    ):
        assert secret not in row["arguments"] + row["answer"]
    assert '"max_tokens": 5' in row["answer"]
    journal.close()


def test_what_is_kept_of_a_call_is_bounded(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite", retention=Retention(text=50))
    journal.add(entry(1, arguments=json.dumps({"text": "x" * 999}), answer="y" * 999))
    [row] = journal.recent()
    assert (len(row["arguments"]), len(row["answer"])) == (50, 50)
    journal.close()


def test_a_journal_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    journal = Journal(tmp_path / "file" / "j.sqlite")
    journal.add(entry(1))
    assert journal.flush()
    journal.close()


def test_calls_are_recorded_with_a_digest_and_values_only_when_asked(rolltop: Rolltop) -> None:
    examples = {"MCP_INCLUDE_EXAMPLE_TOOLS": "true"}
    rolltop("call", "example_echo", "--json", '{"text": "very private"}', **examples)
    rolltop("call", "example_echo", "--json", '{"text": "logged"}', ROLLTOP_LOG_ARGUMENTS="true", **examples)
    rolltop("call", "forget_everything", "--json", '{"what": "it"}', "--yes", **examples)
    rows = json.loads(rolltop("journal", "--json").stdout)
    assert [row["tool"] for row in rows] == ["forget_everything", "example_echo", "example_echo"]
    assert json.loads(rows[0]["consents"]) == [{"action": "FORGET_EVERYTHING", "decision": "agreed", "who": "client"}]
    assert json.loads(rows[1]["arguments"]) == {"text": "logged"}
    assert "logged" in rows[1]["answer"]
    assert rows[1]["tokens_in"] == int(rows[1]["size_in"] / 3.5) > 0
    assert rows[1]["session"]
    assert rows[2]["arguments"] is rows[2]["answer"] is None
    assert rows[2]["digest"]
    assert "very private" not in json.dumps(rows)


def test_a_workspace_that_cannot_be_written_is_told_once_and_without_a_traceback(
    rolltop: Rolltop, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    program = json.dumps({"transformation": "1 + 1", "inputData": "{}", "inputFormat": "json", "outputFormat": "json"})
    out = rolltop("call", "execute_transformation", program, ROLLTOP_WORKSPACE=str(tmp_path / "file" / "w"))
    assert "Traceback" not in out.stderr
    assert len(out.stderr.splitlines()) == 1
    assert out.returncode == 0
    assert "2" in out.stdout
