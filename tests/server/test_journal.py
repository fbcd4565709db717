"""The journal: every call leaves a row, from several processes, without values unless asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from rolltop.journal import Entry, Journal

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
    assert rows[2]["arguments"] is None
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
