"""One library in a forked process, in threads of which one is interrupted, inside its own transactions, and closed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conditions import wait_until

from rolltop.errors import Conflict, InvalidInput
from rolltop.store import Library, Listing
from rolltop.store.blobs.writer import Writer


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(tmp_path / "store") as opened:
        yield opened


def in_a_child(work: Callable[[], object]) -> int:
    """Runs in a forked process that ends without closing anything."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            os.write(2, f"in the child: {error!r}\n".encode())
            os._exit(1)
    return child


def ended_well(child: int) -> bool:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def paths_in(directory: Path) -> list[str]:
    with Library(directory) as opened:
        assert not opened.care.verify().problems
        return sorted(document.path for document in opened.documents.page(Listing()).documents)


# a forked process ------------------------------------------------------------------------------------


class Signal:
    """A parent gives it, and its forked child waits for it."""

    def __init__(self) -> None:
        self._end, self._other = os.pipe()

    def wait(self) -> None:
        os.read(self._end, 1)

    def give(self) -> None:
        os.write(self._other, b"x")
        os.close(self._other)
        os.close(self._end)


def test_what_a_forked_child_stores_stays_whoever_closes_first(tmp_path: Path) -> None:
    with Library(tmp_path / "store") as library:
        library.documents.add_text("parent.md", "one")
        library.search.keyword("one")

        closed = Signal()

        def later() -> None:
            closed.wait()
            library.documents.add_text("child.md", "two")
            assert library.search.keyword("two").total == 1

        child = in_a_child(later)
    closed.give()
    assert ended_well(child)
    assert paths_in(tmp_path / "store") == ["child.md", "parent.md"]


def test_a_child_may_open_the_store_for_itself(tmp_path: Path) -> None:
    with Library(tmp_path / "store") as library:
        library.documents.add_text("parent.md", "one")

        closed = Signal()

        def later() -> None:
            closed.wait()
            Library(tmp_path / "store").documents.add_text("child.md", "two")

        child = in_a_child(later)
    closed.give()
    assert ended_well(child)
    assert paths_in(tmp_path / "store") == ["child.md", "parent.md"]


def test_parent_and_child_write_together(library: Library) -> None:
    library.documents.add_text("parent.md", "one")
    children = [
        in_a_child(lambda n=n: [library.documents.add_text(f"{n}/{i}.md", f"{n} {i}") for i in range(15)])
        for n in "abc"
    ]
    for i in range(15):
        library.documents.add_text(f"p/{i}.md", f"p {i}")
    assert all(ended_well(child) for child in children)
    assert len(library.documents.page(Listing(limit=1000)).documents) == 1 + 4 * 15


def test_a_child_of_a_fork_in_the_middle_of_a_transaction_is_refused(library: Library) -> None:
    library.documents.add_text("a.md", "one")

    def refused() -> None:
        with pytest.raises(Conflict, match="forked while the store was being used"):
            library.documents.get("a.md")

    def writing(_: Writer) -> bool:
        child = os.fork()
        if child == 0:
            # Another thread: this one is inside the parent's transaction.
            thread = threading.Thread(target=lambda: outcome.append(_worked(refused)))
            outcome: list[bool] = []
            thread.start()
            thread.join()
            os._exit(0 if outcome == [True] else 1)
        return ended_well(child)

    assert library.write(writing)
    library.documents.add_text("b.md", "two")
    assert library.documents.get("b.md")


def _worked(work: Callable[[], object]) -> bool:
    try:
        work()
        return True
    except BaseException as error:
        os.write(2, f"in the child: {error!r}\n".encode())
        return False


# threads ---------------------------------------------------------------------------------------------


def test_an_interrupted_thread_takes_no_other_with_it(library: Library) -> None:
    """The one that writes for all is interrupted: the others' work is done all the same, and once."""
    inside, gone = threading.Event(), threading.Event()
    outcomes: dict[str, object] = {}

    def interrupted(_: Writer) -> None:
        inside.set()
        gone.wait(120)
        raise KeyboardInterrupt

    def lead() -> None:
        try:
            library.write(interrupted)
        except BaseException as error:
            outcomes["lead"] = error

    def follow(name: str) -> None:
        try:
            outcomes[name] = library.documents.add_text(name, f"text of {name}").outcome
        except BaseException as error:
            outcomes[name] = error

    # The first one to write holds the turn, so that all of the others are written together by the next one.
    first = threading.Thread(target=lambda: library.write(lambda _: (inside.set(), gone.wait(120))))
    first.start()
    inside.wait(120)
    threads = [threading.Thread(target=lead), *(threading.Thread(target=follow, args=(f"{n}.md",)) for n in range(6))]
    for number, thread in enumerate(threads, start=1):
        thread.start()
        wait_until(lambda number=number: len(library.committer._waiting) == number)
    gone.set()
    for thread in [first, *threads]:
        thread.join(120)
    # Any thread may have the next turn, and then it is interrupted too: it ran what was interrupted.
    told = {name: outcome for name, outcome in outcomes.items() if not isinstance(outcome, KeyboardInterrupt)}
    assert "lead" not in told
    assert set(told.values()) == {"new"}
    assert len(told) >= 5
    assert set(told) <= {document.path for document in library.documents.page(Listing()).documents}


# transactions ----------------------------------------------------------------------------------------


def test_who_writes_already_is_told_instead_of_waiting_for_himself(library: Library) -> None:
    with Library(library.directory) as second:
        for work in (lambda _: second.documents.add_text("b.md", "two"), lambda _: library.care.collect()):
            with pytest.raises(Conflict, match="writing to the store already"):
                library.write(work)
    library.documents.add_text("a.md", "one")
    assert [document.path for document in library.documents.page(Listing()).documents] == ["a.md"]


def test_nothing_is_written_inside_steady_reads(library: Library) -> None:
    library.documents.add_text("a.md", "one")
    with library.steady(), pytest.raises(Conflict, match="reads one state"):
        library.documents.add_text("b.md", "two")
    assert library.documents.add_text("b.md", "two").outcome == "new"


# closed ----------------------------------------------------------------------------------------------


def test_a_closed_library_says_so(tmp_path: Path) -> None:
    library = Library(tmp_path / "store")
    document = library.documents.add_text("a.md", "one").document
    library.search.keyword("one")
    library.close()
    library.close()
    asked: list[Callable[[], object]] = [
        lambda: library.documents.get("a.md"),
        lambda: library.documents.read(document),
        lambda: library.search.keyword("one"),
        lambda: library.documents.add_text("b.md", "two"),
        lambda: library.documents.page(Listing()),
    ]
    for ask in asked:
        with pytest.raises(Conflict, match="has been closed"):
            ask()
    left = [os.path.realpath(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")]
    assert not [path for path in left if str(tmp_path) in path]


# arguments -------------------------------------------------------------------------------------------


def test_tags_and_times_of_the_wrong_kind_are_named(library: Library) -> None:
    with pytest.raises(InvalidInput, match="a list of texts"):
        library.documents.add_text("a.md", "one", tags="errand")
    with pytest.raises(InvalidInput, match="nanoseconds"):
        library.documents.add_text("a.md", "one", modified="yesterday")  # type: ignore[arg-type]
    assert library.documents.page(Listing()).documents == []
