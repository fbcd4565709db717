"""A store on a file system that cannot be written, such as a backup: it is read, and left alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from rolltop.store import Library

ROLLTOP = f"{sys.executable} -m rolltop"
SCRIPT = """
set -e
mount --bind {made} {place}
mount -o remount,ro,bind {place}
export ROLLTOP_WORKSPACE={place}
for command in "list" "cat a.md" "search needle --type keyword" "search nedle --fuzzy" "search needle" "grep needle" \\
    "verify" "graph a.md" "stats" "export {place}.tar"; do
  echo "== $command"
  {rolltop} store $command || echo "failed: $?"
done
echo "== add"
echo more | {rolltop} store add - --name more.md 2>&1 || echo "refused: $?"
"""


def test_a_store_that_cannot_be_written_is_read(environment: dict[str, str], tmp_path: Path) -> None:
    made, place = tmp_path / "made", tmp_path / "place"
    place.mkdir()
    here = {**environment, "ROLLTOP_WORKSPACE": str(made)}
    for name, text in (("a.md", "a needle, see [b](b.md)"), ("b.md", "hay")):
        command = f"echo '{text}' | {ROLLTOP} store add - --name {name}"
        subprocess.run(["bash", "-c", command], env=here, check=True, capture_output=True)
    index = f"{ROLLTOP} store index && {ROLLTOP} store reindex --meaning"
    subprocess.run(["bash", "-c", index], env=here, check=True, capture_output=True)
    before = {path: path.stat().st_mtime_ns for path in sorted(made.rglob("*"))}
    script = SCRIPT.format(made=made, place=place, rolltop=ROLLTOP)
    out = subprocess.run(
        ["unshare", "--mount", "--map-root-user", "bash", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    answers = dict(part.split("\n", 1) for part in out.stdout.split("== ")[1:])
    assert "failed" not in out.stdout, out.stdout + out.stderr
    assert "a needle, see" in answers["cat a.md"]
    for asked in ("search needle --type keyword", "search nedle --fuzzy", "search needle", "grep needle"):
        assert "a.md" in answers[asked], asked
    assert "b.md" in answers["graph a.md"]
    assert "Read-only file system" in answers["add"]
    assert (tmp_path / "place.tar").stat().st_size > 0
    assert {path: path.stat().st_mtime_ns for path in sorted(made.rglob("*"))} == before


FROZEN = """
set -e
mount --bind {made} {place}
mount -o remount,ro,bind {place}
export ROLLTOP_WORKSPACE={place}
run() {{ echo "== $*"; {rolltop} "$@" 2>/dev/null || echo "failed: $?"; }}
"""


def frozen(script: str, environment: dict[str, str], made: Path, place: Path) -> dict[str, str]:
    """Run a script in which `made` is at `place` and cannot be written; what each command in it printed."""
    place.mkdir()
    text = FROZEN.format(made=made, place=place, rolltop=ROLLTOP) + script
    command = ["unshare", "--mount", "--map-root-user", "bash", "-c", text]
    out = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert out.returncode == 0, out.stdout + out.stderr
    assert "failed" not in out.stdout, out.stdout + out.stderr
    return dict(part.split("\n", 1) for part in out.stdout.split("== ")[1:])


def test_a_store_that_was_never_indexed_is_searched(environment: dict[str, str], tmp_path: Path) -> None:
    made, place = tmp_path / "made", tmp_path / "place"
    here = {**environment, "ROLLTOP_WORKSPACE": str(made)}
    command = f"echo 'a needle' | {ROLLTOP} store add - --name a.md"
    subprocess.run(["bash", "-c", command], env=here, check=True, capture_output=True)
    with Library(made / "store") as library:
        library.extracts.kept.set_state("owner", "an older version")
    script = """
run call search_documents '{"query": "needle"}'
run call grep_documents '{"pattern": "needle"}'
for command in "search needle --type keyword" "grep -l needle" "stats" "verify --json" "models" "graph a.md"; do
  run store $command
done
"""
    answers = frozen(script, environment, made, place)
    found = json.loads(answers['call search_documents {"query": "needle"}'])
    assert found["total"] == 1
    assert "Only words were searched" in found["note"]
    assert "a.md" in answers['call grep_documents {"pattern": "needle"}']
    for asked in ("search needle --type keyword", "grep -l needle"):
        assert "a.md" in answers[f"store {asked}"], asked
    assert json.loads(answers["store verify --json"])["ok"]


def test_a_snapshot_of_a_store_in_use_is_read(environment: dict[str, str], tmp_path: Path) -> None:
    made, taken, place = tmp_path / "made", tmp_path / "taken", tmp_path / "place"
    with Library(made / "store") as library:
        library.documents.add_text("a.md", "a needle")
        shutil.copytree(made, taken)  # with a log that has not been moved into the catalogue
    assert (taken / "store" / "catalog.db-wal").stat().st_size
    (taken / "workspace.json").write_text('{"format": 1}')
    answers = frozen("run store search needle; run store verify --json", environment, taken, place)
    assert "a.md" in answers["store search needle"]
    assert json.loads(answers["store verify --json"])["ok"]
