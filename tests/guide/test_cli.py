"""`rolltop guide …`: exit codes, JSON, and every command of the documentation."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "guide.md"
BIN = Path(sys.executable).parent


@pytest.fixture
def shell(tmp_path: Path):
    env = {"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"}

    def run(script: str, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["bash", "-c", script], cwd=cwd, env=env, capture_output=True, text=True, check=False)

    return run


def test_the_documentation_shows_what_happens(shell) -> None:
    blocks = re.findall(r"^```console\n(.*?)^```", DOCS.read_text(), re.MULTILINE | re.DOTALL)
    lines = "".join(blocks).splitlines()
    script = "exec 2>&1\n" + "\n".join(
        f"echo {json.dumps(line).replace('$', chr(92) + '$')}\n{line[2:]}" for line in lines if line.startswith("$ ")
    )
    assert shell(script).stdout.splitlines() == lines


def test_exit_codes(shell, tmp_path: Path) -> None:
    assert shell("rolltop guide content nothing").returncode == 3
    assert shell("rolltop guide content 'a b'").returncode == 2
    assert shell("rolltop guide categories add x --dir ../y").returncode == 1
    assert shell("rolltop guide flags set a.b").returncode == 2
    (tmp_path / ".config/rolltop/guide").mkdir(parents=True, exist_ok=True)
    (tmp_path / ".config/rolltop/guide/config.yaml").write_text("version: [")
    broken = shell("rolltop guide flags list")
    assert broken.returncode == 4
    assert "config.yaml:1:" in broken.stderr


def test_json_holds_the_manifest(shell, tmp_path: Path) -> None:
    shell("mkdir -p .config/rolltop/guide/docs/lang; echo x > .config/rolltop/guide/docs/lang/a.md")
    shell("rolltop guide categories add lang --pattern '*'")
    found = json.loads(shell("rolltop guide content lang,lang/nope --json").stdout)
    assert found["documents"] == [{"category": "lang", "path": "a.md", "size": 2, "pattern": "*"}]
    assert found["unmatched"] == ["lang/nope"]
    assert found["truncated"] is False


def test_settings_choose_the_directory_and_the_limits(shell, tmp_path: Path) -> None:
    for n in range(3):
        path = tmp_path / "elsewhere/docs/lang" / f"{n}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    given = "ROLLTOP_GUIDE_CONFIG_DIR=$HOME/elsewhere ROLLTOP_GUIDE_MAX_DOCUMENTS=2"
    shell(f"{given} rolltop guide categories add lang --pattern '*'")
    found = json.loads(shell(f"{given} rolltop guide content lang --json").stdout)
    assert (len(found["documents"]), found["next_offset"]) == (2, 2)
    wrong = shell("ROLLTOP_GUIDE_MAX_BITES=1 rolltop guide docroot")
    assert wrong.returncode == 2
    assert "max_bytes" in wrong.stderr


def test_setting_up_by_command(shell) -> None:
    shell("mkdir -p app; cd app && rolltop guide categories add lang && rolltop guide collections add c lang/x lang")
    assert shell("rolltop guide --project ./app collections list").stdout == "c\tlang/x lang\t\n"
    shell("cd app && rolltop guide categories change lang --description 'two words'")
    shell("cd app && rolltop guide collections change c lang")
    assert json.loads(shell("cd app && rolltop guide categories list --json").stdout) == [
        {"name": "lang", "dir": "lang/", "patterns": [], "description": "two words"}
    ]
    removed = shell("cd app && rolltop guide categories remove lang")
    assert removed.stderr == "collection c no longer names lang\n"
    assert shell("rolltop guide project list").stdout.count("\n") == 1
    shell("rolltop guide project forget app")
    assert shell("rolltop guide project list").stdout == ""
    assert shell("rolltop guide --project app project show").returncode == 3


def test_output_can_be_cut_off(shell) -> None:
    assert os.name == "posix"
    assert "Traceback" not in shell("rolltop guide flags known | head -1").stderr
