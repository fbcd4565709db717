"""One thread that keeps the indexes up to date."""

from __future__ import annotations

import threading

import pytest

from rolltop.base import priority
from rolltop.store import Library, follower
from rolltop.store.follower import Follower, Pressing, Task


@pytest.fixture
def work() -> Follower:
    return Follower(enabled=True)


def finished(work: Follower) -> None:
    work.stop()
    work.join()


def test_a_task_that_fails_is_tried_again_and_the_others_go_on(work: Follower, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "PAUSE", 0.01)
    tries, mended, other = [], threading.Event(), threading.Event()

    def fails_twice(_: Pressing) -> None:
        tries.append(bad.error)
        if len(tries) < 3:
            raise KeyError("nobody thought of this")
        mended.set()

    bad = work.add(Task("bad", fails_twice))
    good = work.add(Task("good", lambda _: other.set()))
    work.wanted(bad, good)
    assert other.wait(60)
    assert mended.wait(60)
    finished(work)
    assert tries[0] is None
    assert isinstance(tries[1], KeyError)  # it was told while it lasted
    assert bad.error is None


def test_a_long_task_gives_way_to_an_urgent_one_and_goes_on_after_it(work: Follower) -> None:
    order: list[str] = []
    begun, done = threading.Event(), threading.Event()

    def long(pressing: Pressing) -> bool:
        order.append("long")
        if len(order) > 1:
            done.set()
            return True
        begun.set()
        while not pressing():
            done.wait(0.001)
        return False

    urgent = work.add(Task("urgent", lambda _: order.append("urgent")))
    slow = work.add(Task("slow", long))
    work.wanted(slow)
    assert begun.wait(60)
    work.wanted(urgent)
    assert done.wait(60)
    finished(work)
    assert order == ["long", "urgent", "long"]


def test_a_task_waits_for_a_quiet_moment_unless_much_has_come() -> None:
    task = Task("words", lambda _: None, quiet=2, latest=8)
    task.first, task.last = 100.0, 101.5
    assert task.due(101.0) == 102.0  # when it is looked at again
    assert task.due(103.0) == 103.5
    task.last = 200.0
    assert task.due(103.0) == 108.0
    task.crowded = lambda: True
    assert task.due(103.0) == 103.0


def test_background_work_yields_to_whoever_writes(library: Library) -> None:
    assert library.write(lambda _: priority._requests.now) == 1
