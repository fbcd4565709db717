"""A store on a file system that cannot be written, such as a backup: it is read, and left alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
