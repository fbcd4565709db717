"""One way to replace a file: whole or not at all, with nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rolltop.base.atomic_files import atomic_file, identity_of, remove_leftovers, write_file
from rolltop.errors import Conflict

SOURCES = Path(__file__).parents[2] / "src"


def test_a_new_file_has_the_mode_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_file(path, b"one", mode=0o640)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    write_file(path, b"two", keep_attributes=True)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"two", 0o604)


@pytest.mark.parametrize("durable", [True, False])
def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), atomic_file(path, durable=durable) as file:
        file.writelines([b"new", None])  # type: ignore[list-item]
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_an_existing_file_is_not_overwritten_unless_asked(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_file(path, b"old", overwrite=False)
    with pytest.raises(FileExistsError):
        write_file(path, b"new", overwrite=False)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_that_was_exchanged_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"agreed to")
    agreed = identity_of(path)
    assert agreed is not None
    other = tmp_path / "b"
    other.write_bytes(b"precious")
    other.replace(path)
    with pytest.raises(Conflict, match="replaced in the meantime"):
        write_file(path, b"new", expected=agreed)
    assert path.read_bytes() == b"precious"
    assert write_file(path, b"new", expected=identity_of(path)) == identity_of(path)


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_file(link, b"new")
    assert (target.read_bytes(), link.read_bytes(), link.is_symlink()) == (b"old", b"new", False)


def test_a_name_of_255_bytes_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("ж" * 127 + "x")
    write_file(path, b"long")
    assert path.read_bytes() == b"long"


def test_names_are_relative_to_an_open_directory(tmp_path: Path) -> None:
    directory = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    try:
        write_file("a", b"x", dir_fd=directory)
    finally:
        os.close(directory)
    assert os.listdir(tmp_path) == ["a"]


KILLED = """
import os, signal, sys
from rolltop.base.atomic_files import atomic_file
with atomic_file(sys.argv[1]) as file:
    file.write(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_writer_leaves_a_draft_that_the_next_one_removes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    assert subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False).returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    assert len(os.listdir(tmp_path)) == 2
    remove_leftovers(path)
    assert os.listdir(tmp_path) == ["a"]


def test_nobody_else_writes_beside_a_file_and_renames() -> None:
    calls = re.compile(r"os\.(replace|rename)\(|mkstemp\(|NamedTemporaryFile\(|\b(temporary|draft|fresh)\.replace\(")
    allowed = {
        "rolltop/base/atomic_files.py",
        "rolltop/files/writer.py",  # gives a file back the name it had
        "rolltop/journal/writer.py",  # sets a damaged journal aside
    }
    found = {str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*.py") if calls.search(path.read_text("utf-8"))}
    assert found <= allowed
