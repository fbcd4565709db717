"""Questions that are longer, larger or stranger than people's: each has an answer, and none harms the index."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_core import ClientInfo
from rolltop.errors import InvalidInput
from rolltop.server.application import Application
from rolltop.settings import load
from rolltop.store import Library, Listing, Source
from rolltop.store.text.query import grammar, plan_execution
from rolltop.store.text.query.grammar import And, Or, Phrase, Word
from rolltop.store.times import parse_time
from rolltop.tools.store.find import SearchByTag, tagged

MOST = (1 << 63) - 1


@pytest.fixture(params=["fresh", "learned"])
def learned(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "learned")


def paths(library: Library, query: str, **more: Any) -> list[str]:
    return sorted(hit.document.path for hit in library.search.keyword(query, limit=100, **more).hits)


# beginnings --------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [100, 900, 1024, 5000])
def test_a_beginning_of_any_length_is_looked_for(library: Library, learned: bool, length: int) -> None:
    library.documents.add_text("a.md", "a needle\n", tags=["z" * 1000, "é" * 600])
    library.documents.add_text("b.md", "a needle\n", tags=["z" * 90])
    if learned:
        library.search.catch_up()
    assert paths(library, f"tag:{'z' * length}*") == (["a.md"] if length <= 1000 else [])
    assert paths(library, f"tag:{'é' * length}*") == (["a.md"] if length <= 600 else [])
    assert paths(library, "needle") == ["a.md", "b.md"]


def test_a_beginning_goes_on_behind_the_end_of_a_line(library: Library, learned: bool) -> None:
    library.documents.add_text("a.b\nc", "a needle\n")
    if learned:
        library.search.catch_up()
    assert paths(library, "ext:b*") == ["a.b\nc"]


def test_long_and_short_beginnings_find_the_same(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        library.documents.add_text(f"{number}.md", f"a needle {number}\n", tags=[f"tag{number}", f"other{number % 3}"])
    library.search.catch_up()
    questions = ["tag:tag*", "tag:tag1*", "tag:other2*", "tag:x*"]
    before = [paths(library, query) for query in questions]
    monkeypatch.setattr(plan_execution, "LONGEST_BEGINNING", 0)
    assert [paths(library, query) for query in questions] == before


# what is no character ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["keyword", "semantic", "hybrid"])
def test_bytes_that_are_not_utf_8_are_asked_for_as_they_are_kept(library: Library, learned: bool, kind: str) -> None:
    library.documents.add_text("a.x\udcffy", "a needle\n")
    library.documents.add_text("b.txt", "a needle\n", tags=["x"])
    if learned:
        library.search.catch_up()
    found = library.search.find("ext:x\udcffy", kind)
    assert [hit.document.path for hit in found.hits] == ["a.x\\xffy"]
    assert library.search.find("tag:x\udcff", kind).total == 0
    assert library.search.find("needle", kind).total == 2


# more than there is ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["keyword", "semantic", "hybrid"])
@pytest.mark.parametrize("many", [10**12, 10**30])
def test_more_may_be_asked_for_than_there_is(library: Library, learned: bool, kind: str, many: int) -> None:
    for number in range(3):
        library.documents.add_text(f"{number}.md", f"a needle {number}\n")
    if learned:
        library.search.catch_up()
    found = library.search.find("needle", kind, limit=many)
    assert (found.total, len(found.hits), found.next) == (3, 3, None)
    assert library.search.find("needle", kind, limit=many, offset=many).hits == []


def test_a_listing_may_be_asked_for_more_than_there_is(library: Library) -> None:
    library.documents.add_text("a.md", "a needle\n")
    assert library.documents.page(Listing(limit=10**30, recent=10**30)).total == 1
    with pytest.raises(InvalidInput, match="recent must be at least 1"):
        Listing(recent=0)


# words -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["foo_bar.baz_qux", "fooBar.bazQux"])
def test_of_several_identifiers_one_is_not_enough(library: Library, learned: bool, query: str) -> None:
    for name, text in {"a": "foo_bar", "b": "baz_qux", "c": "foo_bar.baz_qux()", "d": "the fooBar bazQux"}.items():
        library.documents.add_text(f"{name}.txt", text)
    if learned:
        library.search.catch_up()
    assert paths(library, query) == ["c.txt", "d.txt"]


@pytest.mark.parametrize("long", ["q" * 64, "ж" * 96])
def test_a_phrase_with_a_word_that_is_not_indexed_is_known_of_no_document(
    library: Library, learned: bool, long: str
) -> None:
    library.documents.add_text("a.txt", "commit merged")
    library.documents.add_text("b.txt", f"commit {long} merged")
    if learned:
        library.search.catch_up()
    found = library.search.find(f'"commit {long} merged"', "keyword")
    assert found.total == 0
    assert "not indexed; grep finds them" in str(found.note)
    assert library.search.find("commit merged", "keyword").note is None


LONG = [f"word{number}x" for number in range(700)]


@pytest.mark.parametrize(
    ("query", "read"),
    [
        (" ".join(LONG), And),
        (" OR ".join(LONG), Or),
        (f"(({' AND '.join(LONG)}))", And),
        (" ".join(f"-{word}" for word in LONG), And),
        (" ".join(f"title:{word}" for word in LONG), And),
        (f'"{" ".join(LONG * 10)}"', Phrase),
        ("foo." * 10_000, Word),
    ],
)
def test_a_query_that_is_too_long_is_read_as_far_as_it_is_looked_at_and_says_so(query: str, read: type) -> None:
    ask = grammar.parse(query)
    assert isinstance(ask.root, read)
    assert ask.note == grammar.SHORTENED
    assert grammar.parse(query[:300].rpartition(" ")[0]).note != grammar.SHORTENED


def test_no_word_is_said_to_be_missing_while_documents_are(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    library.documents.add_text("a.md", "needles and pins\n")
    library.search.catch_up()
    assert "Did you mean: " in str(library.search.find("neadles", "keyword").note)
    monkeypatch.setattr(library.search.words.learning, "freshen", lambda: 3)
    assert library.search.find("neadles", "keyword").note == "3 documents are not indexed yet: ask again in a moment."


# what a score is made of -------------------------------------------------------------------------

PARTS = [
    "(milk honey) OR bread",
    "(title:milk AND honey) OR bread",
    "(bread -honey) OR milk",
    '"milk honey" OR (bread AND title:milk) OR tea',
    "milk honey",
    "getUserName OR (milk (honey OR tea))",
    "mil* OR -bread",
]


@pytest.mark.parametrize("similarity", [None, 1.0, 0.5, 0.0])
@pytest.mark.parametrize("query", PARTS)
def test_the_parts_of_a_score_add_up(library: Library, learned: bool, query: str, similarity: float | None) -> None:
    texts = ["milk honey", "# Milk\nbread and honey", "# Honey\nbread milk", "tea getUserName", "# Tea\nMilk tea tea"]
    for number, text in enumerate(texts):
        library.documents.add_text(f"milk/{number}.md", text, tags=["tea"] if number % 2 else [])
    if learned:
        library.search.catch_up()
    found = library.search.keyword(query, similarity=similarity, why=True)
    assert found.total
    for hit in found.hits:
        assert sum(hit.parts.values()) == pytest.approx(hit.score, rel=1e-4), hit.document.path


# times -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("9999-12-31", MOST),
        ("0001-01-01", -MOST),
        ("99999999999999999999d", -MOST),
        ("1960-01-01T00:00:00.5Z", -315_619_199_500_000_000),
        ("2026-11-15T10:00:00.123456Z", 1_794_736_800_123_456_000),
        (1.5, 1_500_000_000),
    ],
)
def test_times_that_cannot_be_kept_are_the_first_or_the_last(text: str | float, moment: int) -> None:
    assert parse_time(text) == moment


@pytest.mark.parametrize("seconds", [1_794_736_800_000, 1e308, float("inf"), float("nan"), 10**400, "9" * 30])
def test_numbers_that_are_no_times_are_refused(seconds: str | float) -> None:
    with pytest.raises(InvalidInput, match="is no time"):
        parse_time(seconds)


# the tools ---------------------------------------------------------------------------------------


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    monkeypatch.chdir(tmp_path)
    made = Application(load(env={"ROLLTOP_WORKSPACE": str(tmp_path / "workspace"), "XDG_CONFIG_HOME": str(tmp_path)}))
    yield made
    made.close()


def call(desk: Application, tool: str, **arguments: Any) -> dict[str, Any]:
    return dict(asyncio.run(desk.dispatcher.call(tool, arguments, desk.context(ClientInfo()))).structured)


def test_a_time_that_is_none_is_named_with_its_argument(desk: Application) -> None:
    told = call(desk, "list_documents", modified_before="whenever")
    assert (told["error"], told["code"]) == (
        "modified_before: 'whenever' is not understood as a time",
        "invalid_arguments",
    )


@pytest.mark.parametrize("arguments", [{"created_after": "9999-12-31"}, {"created_before": "0001-01-01"}])
def test_a_listing_of_times_that_never_were_is_empty(desk: Application, arguments: dict[str, str]) -> None:
    call(desk, "store_text", content="a needle\n", name="a.md")
    assert call(desk, "list_documents", **arguments)["total"] == 0


def test_a_search_by_tag_says_what_a_search_says(desk: Application) -> None:
    call(desk, "store_text", content="a needle\n", name="a.md", tags=["x"])
    broken = call(desk, "search_by_tag", tags=["x"], query="(needle")
    assert (broken["total"], "searched as plain words" in broken["note"]) == (1, True)
    assert "no words" in call(desk, "search_by_tag", tags=["x"], query="!")["note"]
    assert "note" not in call(desk, "search_by_tag", tags=["x"], query="needle")


def test_a_search_by_tag_finds_all_that_hold_the_words(library: Library) -> None:
    """However many there are: the tag may be on the last of them."""
    library.documents.add_many(Source(f"{number}.txt", b"needle %d" % number, 1, 2) for number in range(10_001))
    library.documents.add_text("last.txt", "needle " + "hay " * 500, tags=["x"])
    found = tagged(library, SearchByTag(tags=["x"], query="needle"))
    assert [document.path for document in found.documents] == ["last.txt"]


def test_what_stands_beside_the_arguments_of_a_step_is_refused(desk: Application) -> None:
    call(desk, "store_text", content="a needle\n", name="a.md")
    step = {"op": "delete_by_name", "arguments": {"name": "a.md", "confirm": True}, "dry_run": True}
    told = call(desk, "bulk_operations", operations=[step])
    assert "operations[0].dry_run: is not an argument" in told["error"]
    assert call(desk, "list_documents")["total"] == 1
