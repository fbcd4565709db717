"""Background work lets answers go first, waits for no one for long, and never for itself."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from conditions import wait_until

from rolltop.base import priority
from rolltop.base.priority import serving_request, waiting_for_background, yield_to_requests, yielding_to_requests
from rolltop.store import Library, Options, Source


class Worker:
    """A thread that counts, giving way before each number."""

    def __init__(self) -> None:
        self.count = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def _work(self) -> None:
        for _ in yielding_to_requests(iter(self._stop.is_set, True)):
            self.count += 1
            time.sleep(0.001)

    def __enter__(self) -> Worker:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def goes_on(self) -> bool:
        before = self.count
        return wait_until(lambda: self.count >= before + 3)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "LONGEST", 60.0)
    monkeypatch.setattr(priority, "SHARE", 0.0)


@pytest.mark.usefixtures("patient")
def test_the_background_waits_while_somebody_is_answered() -> None:
    with Worker() as worker:
        assert worker.goes_on()
        with serving_request(), serving_request():
            time.sleep(0.05)
            before = worker.count
            time.sleep(0.2)
            assert worker.count <= before + 1  # on a busy machine, the number that it was at
            with waiting_for_background():
                assert worker.goes_on()
            time.sleep(0.05)
            before = worker.count
            time.sleep(0.2)
            assert worker.count <= before + 1  # on a busy machine, the number that it was at
        assert worker.goes_on()


@pytest.mark.usefixtures("patient")
def test_an_answer_does_not_wait_for_itself() -> None:
    with serving_request():
        yield_to_requests()  # returns at once
    assert list(yielding_to_requests([1, 2])) == [1, 2]


def test_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "LONGEST", 0.01)
    with Worker() as worker, serving_request():
        assert worker.goes_on()


def test_who_has_waited_long_works_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "LONGEST", 3.0)
    monkeypatch.setattr(priority, "SHARE", 1000.0)
    with Worker() as worker, serving_request():
        assert worker.goes_on()
        before = worker.count
        wait_until(lambda: worker.count > before + 60)  # one in three seconds would take longer than this waits


@pytest.mark.usefixtures("patient")
def test_a_search_that_waits_for_readers_lets_them_work(tmp_path: Path) -> None:
    library = Library(tmp_path, Options(background=True))
    page = "<html><body><h1>Badgers</h1><p>They dig setts under hills.</p></body></html>"
    library.documents.add_many([Source("badgers.html", page.encode(), 1, 2)])
    assert [hit.document.name for hit in library.search.find("setts").hits] == ["badgers.html"]
    library.close()
