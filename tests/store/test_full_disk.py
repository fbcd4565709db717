"""A store on a disk that is full: everything in it can still be read, and nothing of it suffers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROLLTOP = f"{sys.executable} -m rolltop"
FULL = """
set -e
mount -t tmpfs -o size=12m tmpfs {place}
export ROLLTOP_WORKSPACE={place}/desk
fill() {{ dd if=/dev/zero of={place}/fill bs=4k 2>/dev/null || true; }}
leave() {{ truncate -s -$1K {place}/fill; }}
run() {{ echo "== $*"; {rolltop} "$@" 2>&1 || echo "failed: $?"; }}
"""


def on_a_full_disk(script: str, place: Path, environment: dict[str, str]) -> dict[str, str]:
    """Run a script with a small file system of its own; what each command in it said."""
    place.mkdir(exist_ok=True)
    text = FULL.format(place=place, rolltop=ROLLTOP) + script
    command = ["unshare", "--mount", "--map-root-user", "bash", "-c", text]
    out = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert out.returncode == 0, out.stdout + out.stderr
    return dict(part.split("\n", 1) for part in out.stdout.split("== ")[1:])


def test_everything_can_be_read(environment: dict[str, str], tmp_path: Path) -> None:
    script = f"""
echo 'a needle, see [b](b.md)' | {ROLLTOP} store add - --name a.md >/dev/null
echo hay | {ROLLTOP} store add - --name b.md >/dev/null
{ROLLTOP} store index; {ROLLTOP} store reindex --meaning
fill
for command in "list" "cat a.md" "search needle" "search nedle --fuzzy" "search needle --type semantic" "grep needle" \\
    "graph a.md" "stats" "verify" "export {tmp_path}/out.tar"; do run store $command; done
echo more >{tmp_path}/more.md
run store add {tmp_path}/more.md
"""
    answers = on_a_full_disk(script, tmp_path / "disk", environment)
    refused = answers.pop(f"store add {tmp_path}/more.md")
    assert "failed" not in "".join(answers.values()), answers
    assert "a needle" in answers["store cat a.md"]
    for asked in ("search needle", "search nedle --fuzzy", "search needle --type semantic", "grep needle"):
        assert "a.md" in answers[f"store {asked}"], asked
    assert "b.md" in answers["store graph a.md"]
    assert "everything is as it was stored" in answers["store verify"]
    assert (tmp_path / "out.tar").stat().st_size > 0
    assert "the disk is full" in refused


@pytest.mark.parametrize("left", [0, 30, 80])
def test_what_is_not_indexed_is_found_without_an_index(left: int, environment: dict[str, str], tmp_path: Path) -> None:
    script = f"""
for i in 1 2 3; do echo "a needle $i" | {ROLLTOP} store add - --name $i.md >/dev/null; done
fill; leave {left}
run store search needle --type keyword --json
run store search needle --json
run store grep -l needle
run call search_documents '{{"query": "needle", "type": "keyword"}}'
run store reindex
run store verify
"""
    answers = on_a_full_disk(script, tmp_path / "disk", environment)
    for asked in ("store search needle --type keyword --json", "store search needle --json"):
        found = json.loads(answers[asked][: answers[asked].rindex("}") + 1])
        assert found["total"] == 3, answers[asked]
    assert "Only words were searched" in answers["store search needle --json"]
    assert answers["store grep -l needle"].split() == ["1.md", "2.md", "3.md"]
    assert '"total":3' in answers['call search_documents {"query": "needle", "type": "keyword"}']
    assert "Traceback" not in answers["store reindex"]
    assert "the disk is full" in answers["store reindex"]
    assert "everything is as it was stored" in answers["store verify"]


SEVERAL = """
import os, subprocess, sys, time
from pathlib import Path
from rolltop.store import Library, Options
from rolltop.store.sqlite.memory_copy import InMemory

desk, fill = Path(sys.argv[1], "store"), Path(sys.argv[2])
with Library(desk) as library:
    library.documents.add_text("a.md", "a needle")
Path(sys.argv[1], "workspace.json").write_text('{"format": 1}')
with fill.open("wb", buffering=0) as file:
    try:
        while True:
            file.write(bytes(4096))
    except OSError:
        pass
server = Library(desk, Options(background=True))
assert server.documents.get("a.md").path == "a.md"
assert isinstance(server.catalog._db.connection, InMemory)
command = [sys.executable, "-m", "rolltop", "store", "list", "--workspace", str(desk.parent)]
others = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
assert all("a.md" in other.communicate()[0] for other in others)
fill.unlink()
with Library(desk) as other:
    other.documents.add_text("b.md", "another needle")
assert server.documents.get("b.md").path == "b.md"
while isinstance(server.catalog._db.connection, InMemory):
    time.sleep(0.01)
server.documents.add_text("c.md", "a third one")
assert not isinstance(server.catalog._db.connection, InMemory)
assert server.search.keyword("needle").total == 2
server.close()
with Library(desk) as library:
    assert library.care.verify().ok and library.care.stats().documents == 3
print("== done")
"""


def test_a_server_shares_the_store_with_others(environment: dict[str, str], tmp_path: Path) -> None:
    """It keeps nobody waiting, sees what others write once there is space, and writes itself again."""
    (tmp_path / "several.py").write_text(SEVERAL)
    place = tmp_path / "disk"
    script = f"{sys.executable} {tmp_path}/several.py {place}/desk {place}/fill"
    assert "done" in str(on_a_full_disk(script, place, environment))
