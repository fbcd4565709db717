"""What is remembered about words makes nothing wrong: it goes with the state that it is true of."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.store.seams import TextChanges, TextUnit
from rolltop.store.text import KeywordIndex
from rolltop.store.text.disk_index import mapped_memory
from rolltop.store.text.disk_index.view_cache import Remembered

FORMS = ["connect", "connects", "connected", "connecting", "honey", "honeys"]
QUERIES = ["connect", "connecting", "honey connect", "honeys OR connected", "body:honey", '"honey connect"']
STEPS = st.lists(
    st.tuples(st.sampled_from(["learn", "remember"]), st.lists(st.sampled_from(FORMS), min_size=1, max_size=3)),
    max_size=6,
)


def answers(index: KeywordIndex) -> list[tuple[int, list[tuple[int, float]]]]:
    found = [index.search(query, limit=20) for query in QUERIES]
    return [(each.total, [(hit.document, pytest.approx(hit.score)) for hit in each.hits]) for each in found]


@given(STEPS)
@settings(deadline=None, max_examples=25)
def test_an_index_that_remembers_answers_as_one_that_was_just_opened(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, list[str]]]
) -> None:
    place = tmp_path_factory.mktemp("index")
    index, fresh = KeywordIndex(place, "store"), list[TextChanges]()
    for number, (how, words) in enumerate(steps, 1):
        changes = TextChanges([TextUnit(number, "n", "p", (), " ".join(words), change=number)], [], number)
        fresh.append(changes)
        if how == "remember":
            index.remember(changes)
        else:
            index.learn(lambda _, some=tuple(fresh): some)
            fresh = []
        opened = KeywordIndex(place, "store")
        for each in fresh:
            opened.remember(each)
        assert answers(index) == answers(opened) == answers(index)
        opened.close()
    index.close()


def test_what_has_come_into_memory_is_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened() -> int:
        return sum(".idx" in line for line in Path("/proc/self/maps").read_text().splitlines())

    monkeypatch.setattr(mapped_memory, "_AT_LEAST", 0.0)
    index, other = KeywordIndex(tmp_path, "store"), KeywordIndex(tmp_path, "store")
    units = [TextUnit(n, "n", "p", (), f"{FORMS[n % 6]} word{n}", change=n) for n in range(1, 50)]
    index.learn(lambda _: [TextChanges(units[:40], [], 40)])
    expected, parts = answers(index), opened()
    monkeypatch.setattr(mapped_memory, "MOST", -1)
    before = index._disk._generation()._index
    for _ in range(3):
        assert answers(index) == expected
    assert index._disk._generation()._index is not before
    del before
    assert opened() == parts
    other.learn(lambda _: [TextChanges(units[40:], [], 49)])
    assert answers(index) == answers(other) != expected
    index.close()
    other.close()


def test_too_much_is_forgotten() -> None:
    remembered = Remembered[int, int](10)
    for number in range(100):
        assert remembered.keep(number, -number) == -number
        assert remembered.known(number) == -number
        assert sum(remembered.known(each) is not None for each in range(100)) <= 10
