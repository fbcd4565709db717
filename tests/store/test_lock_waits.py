"""A writer waits for the store's lock, but not without a limit, and then says who holds it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from rolltop.errors import Conflict, InvalidInput
from rolltop.store import Library, Options

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    opened = Library(tmp_path / "store", Options(lock_seconds=0.2, model="none"))
    opened.documents.add_text("first", "first.txt")
    yield opened
    opened.close()


@pytest.fixture
def holder(library: Library) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the writer's lock until its input ends."""
    command = [sys.executable, "-c", HOLD, str(library.directory / "writer.lock"), "--token=abcdefgh12345"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.stdin.close()
    process.wait(10)
    process.stdout.close()


def test_the_error_names_the_process_and_what_to_do(library: Library, holder: subprocess.Popen[str]) -> None:
    with pytest.raises(Conflict, match=rf"process {holder.pid} \(.*python.* has held the store's lock") as caught:
        library.documents.add_text("second", "second.txt")
    assert caught.value.error_type == "store_busy"
    assert "abcdefgh12345" not in str(caught.value)
    assert "store.lock_seconds" in (caught.value.hint or "")


def test_every_waiting_writer_gets_an_answer_and_the_next_one_writes(
    library: Library, holder: subprocess.Popen[str]
) -> None:
    outcomes: list[str] = []

    def write(number: int) -> None:
        try:
            library.documents.add_text(f"text {number}", f"{number}.txt")
            outcomes.append("written")
        except Conflict as error:
            outcomes.append(error.error_type)

    threads = [threading.Thread(target=write, args=[number]) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert outcomes == ["store_busy"] * 32
    assert holder.stdin is not None
    holder.stdin.close()
    holder.wait(10)
    write(99)
    assert outcomes[-1] == "written"
    assert len(library.documents.page().documents) == 2


def test_reading_does_not_wait(library: Library, holder: subprocess.Popen[str]) -> None:
    assert holder.poll() is None
    assert len(library.documents.page().documents) == 1


def test_the_limit_is_a_setting() -> None:
    assert Options.from_section({}).lock_seconds == 30
    assert Options.from_section({"lock_seconds": "1.5"}).lock_seconds == 1.5
    with pytest.raises(InvalidInput, match=r"store\.lock_seconds"):
        Options.from_section({"lock_seconds": "soon"})
