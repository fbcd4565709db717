"""A workspace of an earlier version opens, with everything in it; one of a later version is refused."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

WORKSPACES = sorted((Path(__file__).parents[1] / "data" / "workspaces").glob("*.zip"))
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(params=WORKSPACES, ids=lambda path: path.stem)
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of a workspace that an earlier version made: notes, versions, a snapshot, a deletion, calls, a report."""
    place = tmp_path / "earlier"
    with zipfile.ZipFile(request.param) as archive:
        archive.extractall(place)
    return place


def test_documents_versions_and_calls_of_an_earlier_version_are_there(workspace: Path, rolltop: Run) -> None:
    def run(*command: str) -> str:
        done = rolltop(*command, ROLLTOP_WORKSPACE=str(workspace))
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("store", "cat", "notes/orchard.md") == "The Topaz is ripe in week 39."
    assert "600. The frost came early.\n" in run("store", "cat", "harvest.txt")
    assert "frost" not in run("store", "cat", "harvest.txt", "--version", "1")
    assert "-The Topaz is ripe in week 38." in run("store", "diff", "spring", "--text")
    assert "notes/orchard.md" in run("store", "search", "topaz ripe")
    assert run("journal").count("store_text") == 2
    assert "week.Rmd" in run("reports", "list")
    run("store", "verify")
    run("call", "store_text", "name=new.md", "content=written by this version")
    assert run("store", "cat", "new.md") == "written by this version"


def test_a_workspace_of_a_later_version_is_refused(workspace: Path, rolltop: Run) -> None:
    (workspace / "workspace.json").write_text(json.dumps({"format": 99}))
    refused = rolltop("store", "list", ROLLTOP_WORKSPACE=str(workspace))
    assert (refused.returncode, "made by a newer rolltop (format 99)" in refused.stderr) == (4, True)
    assert "Upgrade rolltop." in refused.stderr


def test_a_store_of_a_later_version_is_refused_and_left_alone(workspace: Path, rolltop: Run) -> None:
    with closing(sqlite3.connect(workspace / "store" / "catalog.db")) as catalog, catalog:
        catalog.execute("UPDATE meta SET value = 99 WHERE key = 'format'")
    packs = {path.name: path.read_bytes() for path in (workspace / "store" / "packs").iterdir()}
    refused = rolltop("call", "store_text", "name=a.md", "content=a", ROLLTOP_WORKSPACE=str(workspace))
    assert refused.returncode != 0
    assert "the store has format 99" in refused.stderr + refused.stdout
    assert {path.name: path.read_bytes() for path in (workspace / "store" / "packs").iterdir()} == packs
