"""What the machine refuses is told in one line, and is no defect of rolltop."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from rolltop.base.os_errors import explain_machine_error, explain_os_error
from rolltop.errors import DiskFull, InvalidData, InvalidInput, NotFound, PermissionDenied

Rolltop = Callable[..., subprocess.CompletedProcess[str]]
HERE = f"{sys.executable} -m rolltop"


def raised(action: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught:
        action()
    return caught.value


def fill(connect: Callable[[str], apsw.Connection | sqlite3.Connection], path: Path) -> None:
    connection = connect(str(path))
    connection.execute("PRAGMA max_page_count = 2").fetchall()
    connection.execute("CREATE TABLE t(x)")
    connection.execute("INSERT INTO t VALUES(zeroblob(100000))")


@pytest.mark.parametrize("connect", [sqlite3.connect, apsw.Connection])
def test_a_full_database_is_a_full_disk(
    connect: Callable[[str], apsw.Connection | sqlite3.Connection], tmp_path: Path
) -> None:
    told = explain_os_error(raised(lambda: fill(connect, tmp_path / "db")), tmp_path)
    assert isinstance(told, DiskFull)
    assert told.hint


@pytest.mark.parametrize("connect", [sqlite3.connect, apsw.Connection])
def test_a_database_that_cannot_be_opened_names_the_workspace(
    connect: Callable[[str], apsw.Connection | sqlite3.Connection], tmp_path: Path
) -> None:
    def open_it() -> None:
        connect(str(tmp_path / "no" / "db")).execute("SELECT 1 FROM sqlite_schema").fetchall()

    told = explain_os_error(raised(open_it), tmp_path)
    assert isinstance(told, PermissionDenied)
    assert str(tmp_path) in told.message


def test_each_refusal_has_its_exit_code_and_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"a\xff")
    expected = [
        (tmp_path / "nothing", NotFound),
        (tmp_path, InvalidInput),
        (tmp_path / "binary" / "x", InvalidInput),
        (tmp_path / "binary", InvalidData),
    ]
    for path, kind in expected:
        told = explain_machine_error(raised(path.read_text))
        assert type(told) is kind
        assert kind is InvalidData or str(path) in str(told)


def test_a_defect_stays_a_defect() -> None:
    assert explain_machine_error(ValueError("x")) is None
    assert explain_machine_error(raised(lambda: sqlite3.connect(":memory:").execute("SELEC 1"))) is None
    assert explain_os_error(FileNotFoundError(2, "No such file or directory", "x")) is None


def test_an_output_that_cannot_be_written_is_named(environment: dict[str, str]) -> None:
    for unbuffered in ("", "1"):
        out = subprocess.run(
            f"{HERE} tools list > /dev/full",
            shell=True,
            env={**environment, "PYTHONUNBUFFERED": unbuffered},
            capture_output=True,
            text=True,
            check=False,
        )
        assert out.returncode == 1
        assert out.stderr.startswith("Error: the disk is full: the output cannot be written\nhint: ")


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [("nothing.json", 3, "is not there"), (".", 2, "Is a directory"), ("binary", 2, "not UTF-8")],
)
def test_arguments_that_cannot_be_read_are_named(
    rolltop: Rolltop, tmp_path: Path, given: str, code: int, said: str
) -> None:
    (tmp_path / "binary").write_bytes(b'{"content": "\xff"}')
    out = rolltop("call", "store_text", f"@{tmp_path / given}")
    assert (out.returncode, out.stdout) == (code, "")
    assert said in out.stderr
    assert str(tmp_path / given) in out.stderr
    assert "Traceback" not in out.stderr


def test_a_configuration_that_is_no_text_is_named(rolltop: Rolltop, tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_bytes(b'workspace = "\xff"\n')
    out = rolltop("toolsets", ROLLTOP_CONFIG=str(file))
    assert (out.returncode, f"{file} is not UTF-8 text" in out.stderr) == (4, True)


SMALL = """
set -e
mount -t tmpfs -o size=3m tmpfs {disk}
{rolltop} --workspace {disk}/w call store_text '{{"content": "a", "name": "a.txt"}}' > /dev/null
set +e
{rolltop} --workspace {disk}/w call store_document '{{"path": "{large}"}}'; echo "exit $?"
dd if=/dev/zero of={disk}/fill bs=4k 2> /dev/null
{rolltop} --workspace {disk}/w call store_text '{{"content": "b", "name": "b.txt"}}'; echo "exit $?"
{rolltop} --workspace {disk}/w store add {small}; echo "exit $?"
{rolltop} --workspace {disk}/w journal; echo "exit $?"
{rolltop} --workspace {disk}/w doctor > {report}; echo "exit $?"
"""


def test_a_full_workspace_is_told_as_such(environment: dict[str, str], tmp_path: Path) -> None:
    disk, large, small = tmp_path / "disk", tmp_path / "large", tmp_path / "small"
    disk.mkdir()
    small.write_text("small")
    large.write_bytes(os.urandom(6_000_000))
    script = SMALL.format(disk=disk, large=large, small=small, report=tmp_path / "report", rolltop=HERE)
    out = subprocess.run(
        ["unshare", "--mount", "--map-root-user", "bash", "-c", script],
        env={**environment, "ROLLTOP_ROOTS": str(tmp_path)}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    said = f"the disk is full: the workspace {disk}/w cannot be written"
    lines = out.stdout.splitlines()
    assert lines[1::2][:2] == ["exit 1", "exit 1"], out
    for answer in (lines[0], lines[2]):
        assert json.loads(answer)["error"] == said
        assert json.loads(answer)["code"] == "disk_full"
    assert lines[4:] == ["exit 1"] * 3
    assert out.stderr.count(f"Error: {said}") == 2
    assert "Traceback" not in out.stderr
    assert f"✘ {said}" in (tmp_path / "report").read_text()


@pytest.mark.parametrize("command", ["store add a.txt", "guide content x"])
def test_a_working_directory_that_was_removed_is_named(
    environment: dict[str, str], tmp_path: Path, command: str
) -> None:
    line = f"mkdir gone && cd gone && rmdir ../gone && {sys.executable} -m rolltop {command}"
    out = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "the working directory was removed" in out.stderr
    assert out.returncode == 3


def test_a_workspace_that_cannot_be_made_is_named_with_the_way_out(tmp_path: Path) -> None:
    workspace = tmp_path / "share" / "rolltop"
    told = explain_os_error(OSError(errno.EROFS, os.strerror(errno.EROFS), str(tmp_path / "share")), workspace)
    assert str(workspace) in str(told)
    assert told is not None
    assert "--workspace" in (told.hint or "")
    other = explain_os_error(OSError(errno.EROFS, os.strerror(errno.EROFS), "/mnt/a.txt"), workspace)
    assert str(other).startswith("/mnt/a.txt")
