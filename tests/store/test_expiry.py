"""Documents that are kept for a while: metadata `forget_after`."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rolltop.errors import InvalidInput
from rolltop.store import Library, Options
from rolltop.store.documents import expiry
from rolltop.store.documents.ingest import Source
from rolltop.store.times import format_time, now, parse_time

HOUR = 3600 * 1_000_000_000


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(tmp_path / "store") as opened:
        yield opened


def paths(library: Library) -> list[str]:
    return [document.path for document in library.documents.page().documents]


def passed(library: Library, monkeypatch: pytest.MonkeyPatch, hours: float) -> None:
    """Let so much time pass, for what looks for documents that are due."""
    monkeypatch.setattr(expiry, "now", lambda: now() + int(hours * HOUR))


def test_a_note_goes_when_its_time_is_over_and_undo_brings_it_back_to_stay(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.documents.add_text("scratch.md", "for now", metadata={"forget_after": "2h", "by": "me"})
    library.documents.add_text("stays.md", "for ever")
    until = parse_time(library.documents.get("scratch.md").metadata["forget_after"])
    assert 1.9 * HOUR < until - now() <= 2 * HOUR
    assert library.expiry.run() == []
    passed(library, monkeypatch, 3)
    assert [document.path for document in library.expiry.run()] == ["scratch.md"]
    assert paths(library) == ["stays.md"]
    library.documents.undo("scratch.md")
    assert library.expiry.run() == []
    assert library.documents.get("scratch.md").metadata == {"by": "me"}


def test_a_document_that_stays_is_not_made_to_go(library: Library) -> None:
    library.documents.add_text("stays.md", "for ever")
    document = library.documents.get("stays.md")
    for attempt in (
        lambda: library.edits.set_metadata(document, {"forget_after": "1s"}),
        lambda: library.documents.add_text("stays.md", "other", metadata={"forget_after": "1s"}),
        lambda: library.documents.add_many([Source("stays.md", b"x", 0, 0)], metadata={"forget_after": "1s"}),
    ):
        with pytest.raises(InvalidInput, match="new"):
            attempt()
    assert library.documents.read(library.documents.get("stays.md")) == b"for ever"


def test_the_time_can_be_changed_and_taken_away(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.md", "b.md"):
        library.documents.add_text(name, name, metadata={"forget_after": "1h"})
    library.edits.set_metadata(library.documents.get("a.md"), {"forget_after": "2100-01-01"})
    library.edits.set_metadata(library.documents.get("b.md"), {}, ["forget_after"])
    passed(library, monkeypatch, 48)
    assert library.expiry.run() == []
    assert library.documents.get("a.md").metadata == {"forget_after": "2100-01-01T00:00:00Z"}


@pytest.mark.parametrize("value", ["soon", 7, None, ["1h"], ""])
def test_what_is_no_time_is_refused(library: Library, value: object) -> None:
    with pytest.raises(InvalidInput, match="time"):
        library.documents.add_text("a.md", "a", metadata={"forget_after": value})
    assert paths(library) == []


def test_it_goes_when_the_store_is_opened_next(tmp_path: Path) -> None:
    with Library(tmp_path / "store") as library:
        library.documents.add_text("a.md", "a", metadata={"forget_after": format_time(now() - HOUR)})
        assert paths(library) == ["a.md"]
    with Library(tmp_path / "store", Options(read_only=True)) as library:
        assert paths(library) == ["a.md"]
    with Library(tmp_path / "store") as library:
        assert paths(library) == []


def test_a_process_that_stays_looks_by_itself(tmp_path: Path) -> None:
    with Library(tmp_path / "store", Options(background=True)) as library:
        library.documents.add_text("a.md", "a", metadata={"forget_after": "1s"})
        pause, end = threading.Event(), time.monotonic() + 60
        while paths(library) and time.monotonic() < end:
            pause.wait(0.05)
        assert paths(library) == []
