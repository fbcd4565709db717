"""What is kept for showing documents: it comes back as it was, or not at all."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.store import Library
from rolltop.store.seams import TextChanges, TextHead, TextUnit
from rolltop.store.text import KeywordIndex
from rolltop.store.text.disk_index import preview_writer
from rolltop.store.text.disk_index.preview_file import HeadReader, damaged_heads
from rolltop.store.text.disk_index.preview_writer import HeadWriter
from rolltop.store.text.disk_index.previews import pack_head


def packed(change: int, text: str = "honey and tea ") -> bytes:
    return pack_head(TextUnit(1, "name", "path", (), text * 20, change=change))


def change_of(reader: HeadReader, number: int) -> int | None:
    head = reader.head(number)
    return None if head is None else head.change


CHANGES = st.tuples(st.integers(1, 40), st.none() | st.integers(0, 1 << 40))
STEPS = st.lists(CHANGES | st.sampled_from(["commit", "again"]), max_size=40)


@given(STEPS)
@settings(deadline=None, max_examples=60)
def test_heads_are_those_that_were_committed(tmp_path_factory: pytest.TempPathFactory, steps: list[object]) -> None:
    place = tmp_path_factory.mktemp("heads")
    writer, kept, pending = HeadWriter(place), dict[int, int | None](), dict[int, int | None]()
    for step in steps:
        if isinstance(step, tuple):
            number, change = step
            writer.remove(number) if change is None else writer.put(number, packed(change))
            pending[number] = change
        elif step == "commit":
            writer.commit()
            kept, pending = {**kept, **pending}, {}
        else:
            writer, pending = HeadWriter(place), {}  # what was not committed is gone
    reader = HeadReader(place)
    assert {number: change_of(reader, number) for number in range(1, 41)} == {n: kept.get(n) for n in range(1, 41)}
    assert damaged_heads(place) == []


def test_what_nobody_needs_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview_writer, "SPARE", 1000)
    for change in range(30):
        writer = HeadWriter(tmp_path)
        for number in range(1, 11):
            writer.put(number, packed(change))
        writer.commit()
    before = HeadReader(tmp_path)
    HeadWriter(tmp_path)
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert size < 3 * 10 * len(packed(0)) + 2000
    for reader in (before, HeadReader(tmp_path)):
        assert [change_of(reader, number) for number in range(1, 12)] == [29] * 10 + [None]


def test_a_cleared_file_holds_nothing(tmp_path: Path) -> None:
    writer = HeadWriter(tmp_path)
    writer.put(1, packed(1, "secret"))
    writer.commit()
    writer.clear()
    assert change_of(HeadReader(tmp_path), 1) is None
    assert all(path.stat().st_size <= 16 for path in tmp_path.iterdir())


@pytest.mark.parametrize("suffix", ["heads", "places"])
def test_damage_shows_nothing_wrong_and_is_found(tmp_path: Path, suffix: str) -> None:
    writer = HeadWriter(tmp_path)
    truth = {}
    for number in range(1, 20):
        truth[number] = TextHead(number, "name", "honey and tea " * 20, whole=True)
        writer.put(number, packed(number))
    writer.commit()
    (path,) = tmp_path.glob(f"*.{suffix}")
    sound = path.read_bytes()
    rng = random.Random(1)
    for _ in range(300):
        harmed = bytearray(sound)
        if rng.random() < 0.8:
            bit = rng.randrange(8 * len(sound))
            harmed[bit // 8] ^= 1 << bit % 8
        else:
            del harmed[rng.randrange(len(sound)) :]
        path.write_bytes(harmed)
        reader = HeadReader(tmp_path)
        found = {number: reader.head(number) for number in truth}
        assert all(head in (None, truth[number]) for number, head in found.items())
        assert found == truth or damaged_heads(tmp_path) != []


@pytest.mark.parametrize("pattern", ["*.heads", "*.places"])
def test_lost_heads_are_named_and_mended(library: Library, pattern: str) -> None:
    library.documents.add_text("a.txt", "honey and tea\n" * 50)
    library.indexes.update()
    library.close()
    for path in (library.directory / "text").rglob(pattern):
        path.unlink()
    again = Library(library.directory)
    assert [hit.place for hit in again.search.keyword("honey").hits] == ["line 1"]
    assert not again.care.verify().ok
    again.documents.add_text("b.txt", "tea")
    again.indexes.update()
    assert not again.care.verify().ok  # still
    assert again.care.repair().ok
    assert again.care.verify().ok
    again.close()


def test_another_process_shows_what_was_learned_later(tmp_path: Path) -> None:
    writer, reader = KeywordIndex(tmp_path, "store"), KeywordIndex(tmp_path, "store")
    for change in (1, 2, 3):
        unit = TextUnit(7, "n", "p", (), f"honey {change}", change=change)
        writer.learn(lambda _, unit=unit, change=change: [TextChanges([unit], [], change)])
        (hit,) = reader.search("honey", limit=5).hits
        head = hit.head()
        assert head is not None
        assert (head.change, head.text) == (change, f"honey {change}")
    writer.close()
    reader.close()
