"""Statements that hold for any content and any history."""

from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from rolltop.store import Library, Listing
from rolltop.store.blobs import frames
from rolltop.store.blobs.chunking import MAXIMUM, cut
from rolltop.store.catalog.leaf_lists import pack_parts, unpack_parts
from rolltop.store.globs import glob_matches, like_glob
from rolltop.store.metadata_values import parse_value


@given(st.integers(0, 2**32), st.integers(0, 300_000), st.floats(0, 0.1))
@settings(max_examples=30, deadline=None)
def test_cuts_cover_the_content_and_end_lines(seed: int, size: int, newlines: float) -> None:
    rng = random.Random(seed)
    data = bytearray(rng.randbytes(size))
    for _ in range(int(size * newlines)):
        data[rng.randrange(size)] = 10
    ends, aligned = cut(bytes(data))
    assert ends == sorted(set(ends))
    assert ends[-1] == len(data)
    starts = [0, *ends[:-1]]
    assert all(end - start <= 2 * MAXIMUM for start, end in zip(starts, ends, strict=True))
    assert aligned == all(data[end - 1] == 10 for end in ends[:-1])


@given(st.integers(0, 2**32), st.integers(20_000, 300_000), st.floats(0, 1))
@settings(max_examples=30, deadline=None)
def test_an_insertion_changes_few_chunks(seed: int, size: int, where: float) -> None:
    rng = random.Random(seed)
    data = b"".join(b"%x\n" % rng.getrandbits(100) for _ in range(size // 26))
    place = int(len(data) * where)
    changed = data[:place] + b"inserted" + data[place:]
    before, after = (_pieces(each) for each in (data, changed))
    assert sum(len(piece) for piece in after - before) <= 8 * MAXIMUM
    assert len(after - before) <= 4


def _pieces(data: bytes) -> set[bytes]:
    ends, _ = cut(data)
    return {data[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)}


@given(st.binary(max_size=5000), st.one_of(st.none(), st.binary(min_size=1, max_size=5000)))
def test_a_frame_gives_back_what_went_in(raw: bytes, base: bytes | None) -> None:
    assert frames.decode(frames.encode(9, raw, 1, base), 9, base) == raw


@given(st.lists(st.integers(1, 2**40), min_size=1), st.booleans())
def test_parts_are_written_and_read(parts: list[int], aligned: bool) -> None:
    assert unpack_parts(pack_parts(parts, aligned=aligned)) == (tuple(parts), aligned)


@example("[[-?]", "")
@example("[]a]", "a")
@example("[b-a]", "a")
@given(st.text("ab/*?[]!-.", max_size=12), st.text("ab/.-", max_size=12))
def test_the_quick_sieve_never_loses_a_path(pattern: str, path: str) -> None:
    import apsw

    if glob_matches(pattern, path):
        query = apsw.Connection(":memory:").execute("SELECT ? GLOB ?", (path, like_glob(pattern)))
        assert query.fetchall() == [(1,)]


@given(st.one_of(st.integers(), st.booleans(), st.none(), st.text()))
def test_typed_values_come_back_as_they_were_written(value: object) -> None:
    import json

    assert parse_value(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3), ("1.10", "1.10"), ("007", "007"), ("true", True), ("x=y", "x=y")]
)
def test_texts_that_are_almost_numbers_stay_texts(text: str, value: object) -> None:
    assert parse_value(text) == value


PATHS = st.sampled_from(["a", "b", "d/c", "d/e"])
CONTENTS = st.one_of(
    st.binary(max_size=40),
    st.integers(0, 20).map(lambda n: b"".join(b"line %d\n" % i for i in range(3000 + n))),
    st.integers(0, 5).map(lambda n: random.Random(n).randbytes(40_000)),
)


class StoreMachine(RuleBasedStateMachine):
    """Any history of storing, tagging, deleting, undoing and collecting: the store holds what a dictionary holds."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.library = Library(self.place / "store")
        self.now: dict[str, list[bytes]] = {}
        self.gone: dict[str, list[bytes]] = {}

    @rule(path=PATHS, data=CONTENTS)
    def store(self, path: str, data: bytes) -> None:
        added = self.library.documents.add(path, data)
        versions = self.now.setdefault(path, [])
        assert added.outcome == ("new" if not versions else "unchanged" if versions[-1] == data else "version")
        assert added.bytes_stored + added.bytes_deduped == len(data)
        if not versions or versions[-1] != data:
            versions.append(data)

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        self.library.documents.delete(self.library.documents.matching(name=path) if path in self.now else [])
        if path in self.now:
            self.gone[path] = self.now.pop(path)

    @rule(path=PATHS)
    def undo(self, path: str) -> None:
        if path in self.gone and path not in self.now:
            self.library.documents.undo(path)
            self.now[path] = self.gone.pop(path)

    @rule()
    def collect(self) -> None:
        self.library.care.collect(everything=True)
        self.gone.clear()
        assert self.library.care.stats().unique_bytes == self.library.catalog.figures.stats().unique_bytes

    @rule()
    def reopen(self) -> None:
        self.library.close()
        self.library = Library(self.place / "store")

    @invariant()
    def the_store_holds_what_it_should(self) -> None:
        documents = {document.path: document for document in self.library.documents.select(Listing())}
        assert documents.keys() == self.now.keys()
        for path, versions in self.now.items():
            kept = self.library.documents.versions(documents[path])
            assert [self.library.documents.read_object(version.object) for version in kept] == versions

    def teardown(self) -> None:
        assert self.library.care.verify().ok
        self.library.close()
        shutil.rmtree(self.place)


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(max_examples=8, stateful_step_count=15, deadline=None)
