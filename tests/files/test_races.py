"""A path that is exchanged while it is opened never leads outside."""

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rolltop.errors import RolltopError
from rolltop.files import Files, descriptors

CANARY = "canary-90210"
TRIES = 1000

_libc = ctypes.CDLL(None, use_errno=True)


def exchange(one: Path, other: Path) -> None:
    """Swap two names in one step (renameat2 with RENAME_EXCHANGE), as fast as an attacker can."""
    if _libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")


@contextmanager
def swapping(one: Path, other: Path) -> Iterator[None]:
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            exchange(one, other)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.fixture(params=["openat2", "step by step"])
def house(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if request.param == "step by step":
        monkeypatch.setattr(descriptors, "_has_openat2", lambda: False)
    for name, text in (("root/dir", "inside"), ("outside", CANARY)):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "file.txt").write_text(text)
    return tmp_path


def answers(files: Files, path: Path) -> set[str]:
    seen = set()
    for _ in range(TRIES):
        try:
            seen.add(files.read_text(path))
        except RolltopError:
            seen.add("refused")
    return seen


def test_a_file_exchanged_with_a_link(house: Path) -> None:
    (house / "root" / "link").symlink_to(house / "outside" / "file.txt")
    (house / "root" / "good.txt").write_text("inside")
    with swapping(house / "root" / "link", house / "root" / "good.txt"):
        assert CANARY not in answers(Files([house / "root"], homes=[]), house / "root" / "good.txt")


def test_a_directory_exchanged_with_a_link(house: Path) -> None:
    (house / "root" / "link").symlink_to(house / "outside")
    with swapping(house / "root" / "link", house / "root" / "dir"):
        assert CANARY not in answers(Files([house / "root"], homes=[]), house / "root" / "dir" / "file.txt")


def test_the_root_itself_exchanged_with_a_link(house: Path) -> None:
    files = Files([house / "root"], homes=[])
    (house / "other").symlink_to(house / "outside")
    (house / "root" / "file.txt").write_text("inside")
    with swapping(house / "other", house / "root"):
        assert CANARY not in answers(files, house / "root" / "file.txt")


def test_a_link_that_changes_its_mind(house: Path) -> None:
    (house / "root" / "one").symlink_to("dir/file.txt")
    (house / "root" / "two").symlink_to(house / "outside" / "file.txt")
    with swapping(house / "root" / "one", house / "root" / "two"):
        seen = answers(Files([house / "root"], homes=[]), house / "root" / "one")
    assert CANARY not in seen
    assert seen & {"inside", "refused"}
