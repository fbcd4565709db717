"""What a program leaves in a scratch directory is read with care."""

import os
from pathlib import Path

import pytest

from rolltop.confine import Limits, Mount, Sandbox, Scratch, run
from rolltop.errors import ForeignFailure, InvalidInput, NotFound, SizeLimit


@pytest.fixture
def left(tmp_path: Path) -> Scratch:
    """A directory after a hostile program was there."""
    scratch = Scratch()
    script = f"""
echo fine > ok.txt; mkdir sub; echo fine > sub/ok.txt
ln -s /etc/passwd link; ln -s /etc dir; ln -s ../ok.txt sub/up; mkfifo pipe; ln -s {tmp_path} sub/way-out
truncate -s 3000000 sparse
"""
    box = Sandbox(Limits(seconds=20), mounts=(Mount(scratch.path, "/job", writable=True),), cwd="/job")
    run(["/bin/sh", "-c", script], box).check()
    return scratch


def test_plain_files_are_read(left: Scratch) -> None:
    with left:
        assert left.read("ok.txt") == left.read("sub/ok.txt") == b"fine\n"
        assert left.names() == ["ok.txt", "sparse", "sub/ok.txt"]


@pytest.mark.parametrize("name", ["link", "dir", "dir/passwd", "sub/up", "sub/way-out/x", "pipe", "sub"])
def test_links_pipes_and_directories_are_not(left: Scratch, name: str) -> None:
    with left, pytest.raises((ForeignFailure, NotFound)):
        left.read(name)


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "", "sub/../../x", "a\0b"])
def test_names_lead_nowhere_else(left: Scratch, name: str) -> None:
    with left:
        for attempt in (left.read, lambda name: left.write(name, b"")):
            with pytest.raises(InvalidInput):
                attempt(name)


def test_size_is_limited(left: Scratch, tmp_path: Path) -> None:
    with left:
        with pytest.raises(SizeLimit):
            left.read("sparse", largest=1000)
        (tmp_path / "large").write_bytes(bytes(2000))
        with pytest.raises(SizeLimit):
            left.copy_in(tmp_path / "large", largest=1000)


def test_a_result_is_taken_out_whole(left: Scratch, tmp_path: Path) -> None:
    with left:
        left.take("ok.txt", tmp_path / "result.txt")
    assert (tmp_path / "result.txt").read_text() == "fine\n"
    assert os.listdir(tmp_path) == ["result.txt"]


def test_a_tree_is_copied_without_its_links(tmp_path: Path) -> None:
    (tmp_path / "project" / "R").mkdir(parents=True)
    (tmp_path / "project" / "R" / "f.R").write_text("f <- 1")
    (tmp_path / "project" / "secret").symlink_to("/etc/passwd")
    with Scratch() as scratch:
        place = scratch.copy_in(tmp_path / "project")
        assert place == scratch.path / "project"
        assert scratch.names() == ["project/R/f.R"]
        listed = run(["/bin/cat", "/job/project/R/f.R"], Sandbox(mounts=(Mount(scratch.path, "/job"),))).check()
        assert listed.stdout == b"f <- 1"


def test_nothing_is_left_of_it() -> None:
    with Scratch() as scratch:
        scratch.write("a/b/c", b"x")
        outer = scratch.path.parent
    assert not outer.exists()
