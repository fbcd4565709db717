"""Pages of a search while the store changes, and conditions that hold in every kind of search."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolltop.errors import InvalidInput
from rolltop.store import Library
from rolltop.store.meaning import meaning
from rolltop.store.search.paging import Shown, decode_shown, encode_shown
from rolltop.tools.store.find import FoundDocuments, SearchDocuments, search

KINDS = ["keyword", "hybrid", "semantic", "fuzzy"]
COUNT = 30


@pytest.fixture
def fruit(library: Library) -> Library:
    for number in range(COUNT):
        tag = "keep" if number % 2 else "drop"
        library.documents.add_text(f"c/{number:02}.txt", "apple pie " + "x " * number, tags=[tag])
    return library


def asked(library: Library, kind: str, query: str = "apple", **more: object) -> FoundDocuments:
    how = {"type": "keyword", "fuzzy": True} if kind == "fuzzy" else {"type": kind}
    return search(library, SearchDocuments.model_validate({"query": query, "limit": 7, **how, **more}))


def paged(library: Library, kind: str, query: str, between: Callable[[list[str]], None], limit: int = 7) -> list[str]:
    """The paths of all pages; `between` is called after each with what it showed."""
    seen: list[str] = []
    cursor: str | None = None
    while True:
        found = asked(library, kind, query, cursor=cursor, limit=limit)
        page = [hit.path for hit in found.results or []]
        seen += page
        cursor = found.next_cursor
        if cursor is None:
            return seen
        assert page
        between(page)


EVERY = {f"c/{number:02}.txt" for number in range(COUNT)}


@pytest.mark.parametrize("kind", KINDS)
def test_better_documents_push_nothing_onto_two_pages(fruit: Library, kind: str) -> None:
    count = 0

    def store_a_better_one(_: list[str]) -> None:
        nonlocal count
        count += 1
        fruit.documents.add_text(f"c/new{count}.txt", "apple apple apple")

    seen = paged(fruit, kind, "apple", store_a_better_one)
    assert len(seen) == len(set(seen))
    assert set(seen) >= EVERY


@pytest.mark.parametrize("kind", KINDS)
def test_deleting_what_was_shown_loses_nothing(fruit: Library, kind: str) -> None:
    seen = paged(
        fruit, kind, "apple", lambda page: fruit.documents.delete([fruit.documents.get(path) for path in page[:3]])
    )
    assert sorted(seen) == sorted(EVERY)


@pytest.mark.parametrize("kind", KINDS)
def test_changing_what_was_shown_loses_nothing(fruit: Library, kind: str) -> None:
    def change(page: list[str]) -> None:
        for path in page:
            fruit.documents.add_text(path, "apple " * 5 + path, tags=["seen"])

    assert sorted(paged(fruit, kind, "apple", change)) == sorted(EVERY)


@pytest.mark.parametrize("kind", ["keyword", "hybrid"])
def test_a_search_stays_at_any_of_the_words(fruit: Library, kind: str) -> None:
    fruit.documents.add_text("other.txt", "zeppelin")
    seen = paged(
        fruit, kind, "apple zeppelin", lambda _: fruit.documents.add_text("both.txt", "apple zeppelin") and None
    )
    assert {*EVERY, "other.txt", "both.txt"} == set(seen)
    assert len(seen) == len(set(seen))


def test_pages_beyond_those_that_both_legs_rank(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rolltop.store.search.hybrid_search.BEST_WORDS", 5)
    monkeypatch.setattr("rolltop.store.search.hybrid_search.BEST_MEANINGS", 5)
    for number in range(COUNT):
        library.documents.add_text(f"c/{number:02}.txt", "apple pie " + "x " * number)
    seen = paged(
        library, "hybrid", "apple", lambda page: library.documents.delete([library.documents.get(page[0])]), limit=4
    )
    assert sorted(seen) == sorted(EVERY)


def test_pages_of_documents_with_one_content(library: Library) -> None:
    for number in range(9):
        library.documents.add_text(f"{number}.txt", "the same")
    digest = library.documents.get("0.txt").hash
    seen = paged(
        library, "keyword", digest, lambda page: library.documents.delete([library.documents.get(page[0])]), limit=2
    )
    assert sorted(seen) == [f"{number}.txt" for number in range(9)]


def test_the_size_of_a_page_may_change(fruit: Library) -> None:
    first = asked(fruit, "keyword", limit=5)
    rest = asked(fruit, "keyword", limit=100, cursor=first.next_cursor, paths_only=True)
    assert len(rest.paths or []) == COUNT - 5
    assert (rest.total, rest.next_cursor) == (COUNT, None)


def test_a_cursor_is_for_one_search(fruit: Library) -> None:
    cursor = asked(fruit, "keyword").next_cursor
    assert cursor is not None
    for kind, query in (("keyword", "pie"), ("hybrid", "apple"), ("fuzzy", "apple")):
        with pytest.raises(InvalidInput, match="belongs to another search"):
            asked(fruit, kind, query, cursor=cursor)
    with pytest.raises(InvalidInput, match="belongs to another search"):
        asked(fruit, "keyword", cursor=cursor[:-2])


@pytest.mark.parametrize("cursor", [base64.urlsafe_b64encode(b"[10]").decode(), "WzEwXQ", "x", "é", "=", "!!"])
def test_what_is_no_cursor_is_refused(fruit: Library, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="not one that this store gave out"):
        asked(fruit, "keyword", cursor=cursor)


@given(st.frozensets(st.integers(0, 1 << 60)), st.booleans(), st.booleans(), st.text())
def test_a_cursor_carries_what_was_shown(numbers: frozenset[int], complete: bool, by_hash: bool, question: str) -> None:
    shown = Shown(numbers, complete or by_hash, by_hash)
    assert decode_shown(encode_shown(shown, question), question) == shown


def test_a_cursor_that_somebody_made_up_is_refused() -> None:
    packed = b"\xff\xff"
    check = zlib.crc32(packed, zlib.crc32(b"apple")).to_bytes(4, "big")
    with pytest.raises(InvalidInput, match="not one that this store gave out"):
        decode_shown(base64.urlsafe_b64encode(b"w" + check + packed).decode(), "apple")


def test_a_cursor_is_short() -> None:
    assert len(encode_shown(Shown(frozenset(range(1, 40_000, 397))), "apple")) < 180


# conditions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("few", [0, 2000])
@pytest.mark.parametrize(
    ("query", "met"),
    [
        ("apple tag:keep", 15),
        ("apple -tag:drop", 16),
        ("tag:keep", 15),
        ("apple ext:md", 0),
        ("apple ext:txt", 31),
        ("apple -pie", 1),
        ('tart "apple and"', 1),
        ("pear path:extra", 1),
        ("tart OR tag:keep", 31),
        ("apple (tag:keep OR path:extra)", 16),
        ("apple AND pear", 1),
        ("tart app*", 31),
        ("apple pear tart", 31),
    ],
)
def test_conditions_hold_when_meanings_are_compared(
    fruit: Library, monkeypatch: pytest.MonkeyPatch, query: str, met: int, few: int
) -> None:
    monkeypatch.setattr(meaning, "FEW", few)
    fruit.documents.add_text("extra.txt", "apple and pear tart", tags=["other"])
    found = fruit.search.find(query, "semantic", limit=100)
    assert (len(found.hits), found.total) == (met, met)
    assert found.next is None


def test_the_words_of_a_query_with_conditions_say_what_is_meant(library: Library) -> None:
    library.documents.add_text("boat.txt", "a boat sails over the sea", tags=["a"])
    library.documents.add_text("tag.txt", "a tag on a suitcase, kept", tags=["a"])
    assert library.search.find("ship on the ocean tag:a", "semantic").hits[0].document.name == "boat.txt"


def test_conditions_hold_in_a_transaction(library: Library) -> None:
    library.documents.add_text("a.txt", "apple", tags=["keep"])
    assert library.search.find("apple tag:keep", "semantic").total == 1

    def work(_: object) -> list[str]:
        library.edits.tag(library.documents.get("a.txt"), remove=["keep"])
        library.documents.add_text("b.txt", "apple", tags=["keep"])
        return [hit.document.name for hit in library.search.find("apple tag:keep", "semantic").hits]

    assert library.write(work) == []  # what it has written is not embedded yet
