"""Words and meaning in one order: nothing is lost, nothing comes twice, conditions are kept."""

from __future__ import annotations

import itertools
import json
import math
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolltop.errors import PartMissing, RolltopError
from rolltop.store import Library, Options, Source
from rolltop.store.meaning import Blend, Candidate, fuse

Run = Callable[..., "subprocess.CompletedProcess[str]"]

SCORE = st.one_of(st.just(0.0), st.floats(0.01, 50))
CANDIDATES = st.lists(
    st.builds(Candidate, st.integers(1, 30), SCORE, SCORE, st.one_of(st.none(), st.floats(-1, 1))),
    unique_by=lambda each: each.document,
)
BLEND = st.builds(Blend, st.floats(0, 4), st.floats(0, 4), st.floats(0.5, 2))
FULL = st.floats(0.1, 50)


@given(CANDIDATES, BLEND, FULL)
def test_the_joined_order_has_every_document_once(candidates: list[Candidate], blend: Blend, full: float) -> None:
    joined = fuse(candidates, blend, full)
    assert sorted(each.document for each in joined) == sorted(each.document for each in candidates)
    assert [each.score for each in joined] == sorted((each.score for each in joined), reverse=True)
    assert all(0 <= each.score <= 1 + 1e-9 for each in joined)
    assert all(each.score == pytest.approx(sum(each.parts.values())) for each in joined)


def test_scores_are_in_order_to_the_last_bit() -> None:
    worths = list(itertools.accumulate(range(2000), lambda worth, _: math.nextafter(worth, 9), initial=2.5))
    joined = fuse([Candidate(at, worth, 0.0, None) for at, worth in enumerate(worths, 1)], Blend(0.0, 0.0, 1.0), 1.0)
    assert [each.score for each in joined] == sorted((each.score for each in joined), reverse=True)


@given(CANDIDATES, BLEND, FULL)
def test_better_in_everything_is_better(candidates: list[Candidate], blend: Blend, full: float) -> None:
    joined = fuse(candidates, blend, full)
    place = {each.document: at for at, each in enumerate(joined)}
    score = {each.document: each.score for each in joined}
    for one in candidates:
        for two in candidates:
            near = -2 if two.nearness is None else two.nearness
            better = one.words >= two.words and one.in_order >= two.in_order
            if better and (-2 if one.nearness is None else one.nearness) >= near and one is not two:
                assert place[one.document] < place[two.document] or score[one.document] == score[two.document]


def test_nothing_is_lost_because_only_one_leg_found_it(library: Library) -> None:
    library.documents.add_text("both.md", "The engine of a car, its tyres, and how an automobile is washed.\n")
    library.documents.add_text("words.md", "A car of a train.\n")
    library.documents.add_text("other.md", "Onions.\n")
    found = {each.document: each for each in library.search.legs("car automobile").candidates}
    both, words = library.documents.get("both.md").id, library.documents.get("words.md").id
    assert 0 < found[words].words < found[both].words
    assert all(each.nearness is not None for each in found.values())


def test_given_documents_weigh_what_a_search_finds_them_worth(library: Library) -> None:
    for number in range(12):
        library.documents.add_text(
            f"{number}.md", " ".join(["needle", "hay", "stack"][: 1 + number % 3]) + f" {number}\n" * 3
        )
        if number == 7:
            library.search.catch_up()  # the others are fresh
    library.search.keyword("needle")  # which takes up what is fresh
    numbers = [library.documents.get(f"{number}.md").id for number in range(12)]
    found = library.search.words.index.search("stack absent", limit=50)
    weighed = library.search.words.index.weigh("stack absent", numbers)
    assert {hit.document: hit.score for hit in found.hits} == pytest.approx(
        {number: hit.score for number, hit in weighed.items()}
    )
    assert len(weighed) == 4
    assert library.search.words.index.weigh("stack", []) == {}
    assert library.search.words.index.weigh("stack", [number + 1000 for number in numbers]) == {}


def test_why_names_the_fields_of_the_words(library: Library) -> None:
    library.documents.add_text("car.md", "# The car\n\nAn automobile.\n")
    (hit,) = library.search.hybrid("car", why=True).hits
    assert set(hit.parts) == {"title", "heading", "path", "body", "meaning"}
    assert sum(hit.parts.values()) == pytest.approx(hit.score)
    assert "meaning" in library.search.hybrid("car").hits[0].why


def paths(library: Library, query: str, **page: int) -> list[str]:
    return [hit.document.path for hit in library.search.hybrid(query, **page).hits]


def test_a_document_that_says_it_in_other_words_is_found_too(library: Library) -> None:
    library.documents.add_text("a.md", "My automobile needs new tyres.\n")
    library.documents.add_text("b.md", "An onion soup.\n")
    found = library.search.hybrid("car")
    assert [(hit.document.path, found.total, found.type) for hit in found.hits] == [("a.md", 1, "hybrid")]
    assert found.hits[0].why.startswith("meaning")


def test_hybrid_has_what_the_meaning_has_first_where_the_words_are_only_those_of_grammar(library: Library) -> None:
    library.documents.add_text(
        "outage.md", "Postgres fell over because the disk was full. A replication slot nobody used.\n"
    )
    library.documents.add_text("cabin.md", "Why did we book the cabin at the lake? The view at night.\n")
    library.documents.add_text("soup.md", "At night the soup did cool, and the onions were sweet.\n")
    assert paths(library, "why did the database crash at the site")[0] == "outage.md"
    assert library.search.find("database crash", "semantic").hits[0].document.path == "outage.md"


def test_most_of_the_words_in_a_short_text_beat_all_of_them_scattered_over_a_long_one(library: Library) -> None:
    filler = [f"word{number % 997} filler{number % 89} text" for number in range(20_000)]
    for place, word in zip(range(0, 20_000, 4_500), ("kernel", "partition", "table", "forget", "quickly"), strict=True):
        filler[place] = word
    library.documents.add_text("huge.txt", "\n".join(filler))
    library.documents.add_text(
        "partition.txt", "Lets the kernel forget a partition of the disk; the partition table stays.\n"
    )
    library.documents.add_many(
        Source(f"{n}.txt", f"Something else about number {n}.\n".encode(), 1, 2) for n in range(40)
    )
    assert paths(library, "kernel forget partition table quickly")[0] == "partition.txt"
    assert [hit.document.path for hit in library.search.keyword("kernel forget partition table quickly").hits] == [
        "huge.txt"
    ]


def test_scores_lie_between_0_and_1_whichever_way_was_searched(library: Library) -> None:
    for number in range(20):
        library.documents.add_text(f"needle{number}.md", f"# Needle {number}\n\n{'needle hay ' * (1 + number % 5)}\n")
    for kind in ("keyword", "semantic", "hybrid"):
        found = library.search.find("needle hay", kind, limit=20, why=True).hits
        scores = [hit.score for hit in found]
        assert scores == sorted(scores, reverse=True), kind
        assert 0 < scores[-1] <= scores[0] <= 1, kind
        assert all(sum(hit.parts.values()) == pytest.approx(hit.score) for hit in found), kind


def test_conditions_hold_for_what_is_only_near(library: Library) -> None:
    library.documents.add_text("car.md", "A car, an automobile, a vehicle.\n")
    library.documents.add_text("auto.py", "# automobile: a vehicle\n")
    assert sorted(paths(library, "vehicle car")) == ["auto.py", "car.md"]
    assert paths(library, "vehicle ext:md") == ["car.md"]
    assert paths(library, "vehicle -car") == ["auto.py"]
    assert paths(library, '"an automobile"') == ["car.md"]


def test_pages_follow_each_other_without_gap_or_repetition(library: Library) -> None:
    for number in range(170):
        library.documents.add_text(f"{number}.txt", f"{'needle ' * (1 + number % 7)} in the hay {number}\n")
    library.search.embed()
    whole = paths(library, "needle hay", limit=400)
    assert sorted(whole) == sorted(f"{number}.txt" for number in range(170))
    paged = [path for start in range(0, 170, 30) for path in paths(library, "needle hay", limit=30, offset=start)]
    assert paged == whole
    assert library.search.hybrid("needle hay").total == 170


def test_the_total_counts_every_document_once_however_many_there_are(library: Library) -> None:
    library.documents.add_many(
        Source(f"{n}.txt", f"{'needle ' * (1 + n % 7)} in the hay {n}\n".encode(), 1, 2) for n in range(1300)
    )
    assert library.search.hybrid("needle hay").total == 1300


def test_a_search_that_finds_nothing_names_the_words_it_may_have_meant(library: Library) -> None:
    library.documents.add_text("orchard.md", "Topaz apples are ripe in September")
    found = library.search.find("septmber", "keyword")
    assert (found.total, found.hits) == (0, [])
    assert "Did you mean: september? A fuzzy search finds 1 document." in str(found.note)
    assert library.search.find("qqqqqqq", "keyword").note is None


def test_hybrid_finds_what_is_misspelled_and_says_so(library: Library) -> None:
    library.documents.add_text("onions.md", "An onion soup with bread")
    library.documents.add_text("orchard.md", "Topaz apples are ripe in September")
    found = library.search.find("septmber")
    assert found.hits[0].document.path == "orchard.md"
    assert "Did you mean: september?" in str(found.note)
    assert "nearest in meaning" in str(library.search.find("qqqqqqq").note)


def test_without_a_model_words_alone_are_searched(tmp_path: Path) -> None:
    library = Library(tmp_path / "store", Options(model="none"))
    library.documents.add_text("a.md", "a needle\n")
    assert (library.search.hybrid("needle").type, library.search.hybrid("needle").total) == ("full-text", 1)
    with pytest.raises(PartMissing, match="switched off"):
        library.search.semantic("needle")
    library.close()


def test_a_missing_model_is_said_and_words_are_searched(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise PartMissing("the model minilm is not installed")

    library.documents.add_text("a.md", "a needle\n")
    monkeypatch.setattr("rolltop.store.meaning.meaning.load_model", missing)
    found = library.search.hybrid("needle")
    assert (found.total, found.type) == (1, "full-text")
    assert "minilm is not installed" in str(found.note)


@pytest.mark.parametrize(
    ("choice", "problem"),
    [("nowhere/at/all", "is not there"), (".", "holds no sentence model"), ("gpt", "there is no model 'gpt'")],
)
def test_a_model_that_cannot_be_used_keeps_nobody_from_searching_words(
    tmp_path: Path, choice: str, problem: str
) -> None:
    """A store may have moved to a machine where the model is not."""
    with Library(tmp_path / "store", Options(model=choice)) as library:
        library.documents.add_text("a.md", "a needle\n")
        found = library.search.find("needle")
        assert (found.total, found.type) == (1, "full-text")
        assert problem in str(found.note)
        with pytest.raises(RolltopError, match=problem):
            library.search.find("needle", "semantic")


def test_a_search_waits_a_moment_for_who_is_embedding(library: Library) -> None:
    library.documents.add_text("cat.md", "A kitten sleeps on the sofa.\n")
    taken, lock = threading.Event(), library.search.meaning.index.lock

    def embedding() -> None:
        with lock.held():
            taken.set()
            time.sleep(0.3)

    thread = threading.Thread(target=embedding)
    thread.start()
    taken.wait()
    assert library.search.find("young cat", "semantic").total == 1
    thread.join()


def test_nothing_found_because_nothing_is_embedded_yet_is_said(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rolltop.store.meaning.meaning.WHILE_A_SEARCH_WAITS", 0.1)
    library.documents.add_text("cat.md", "A kitten sleeps on the sofa.\n")
    with library.search.meaning.index.lock.held():
        found = library.search.find("young cat", "semantic")
    assert (found.total, found.embedded) == (0, 0.0)
    assert "Only 0 of 1 documents are known by their meaning so far" in str(found.note)
    assert library.search.find("young cat", "semantic").note is None


# the command line ------------------------------------------------------------------------------------


def test_models_are_listed_with_what_they_know(rolltop: Run, tmp_path: Path) -> None:
    (tmp_path / "cat.md").write_text("A kitten sleeps on the sofa.\n")
    rolltop("store", "add", str(tmp_path / "cat.md"))
    assert rolltop("store", "search", "--type", "semantic", "young cat").stdout.count("cat.md") == 1
    told = json.loads(rolltop("store", "models", "--json").stdout)
    first, second = told["models"]
    assert (first["name"], first["active"], first["documents"], first["pending"]) == ("wordllama", True, 1, 0)
    assert (second["name"], second["active"], second["dimensions"]) == ("minilm", False, 384)
    assert rolltop("store", "models").stdout.startswith("*\twordllama\t256\t100%")


def test_models_say_what_is_wrong_with_the_one_that_was_chosen(rolltop: Run, tmp_path: Path) -> None:
    chosen_by = {"ROLLTOP_STORE_MODEL": str(tmp_path / "nowhere")}
    told = rolltop("store", "models", "--json", **chosen_by)
    assert told.returncode == 0, told.stderr
    chosen = json.loads(told.stdout)["models"][-1]
    assert (chosen["name"], chosen["active"]) == (str(tmp_path / "nowhere"), True)
    assert "is not there" in chosen["missing"]
    (tmp_path / "nowhere").mkdir()
    for name in ("tokenizer.json", "model.onnx"):
        (tmp_path / "nowhere" / name).write_text("junk")
    assert "tokenizer.json is not a tokenizer" in rolltop("store", "models", **chosen_by).stdout


def test_reindex_builds_anew_and_with_another_model(rolltop: Run, tmp_path: Path) -> None:
    (tmp_path / "cat.md").write_text("A kitten sleeps on the sofa.\n")
    rolltop("store", "add", str(tmp_path / "cat.md"))
    both = rolltop("store", "reindex")
    assert "keyword index is up to date" in both.stderr
    assert "wordllama: 1 documents embedded, 0 are left" in both.stderr
    assert "minilm: 1 documents embedded" in rolltop("store", "reindex", "--model", "minilm").stderr
    assert "wordllama" not in rolltop("store", "reindex", "--text").stderr
    assert rolltop("store", "reindex", "--model", "gpt").returncode == 2
    assert rolltop("store", "reindex", "--model", str(tmp_path / "nowhere")).returncode == 3


def test_reindex_can_be_interrupted_and_goes_on(tmp_path: Path) -> None:
    library = Library(tmp_path / "w" / "store")
    for number in range(100):
        library.documents.add_text(f"{number}.txt", f"a text about the number {number}, which is a number\n" * 4)
    library.close()
    command = [sys.executable, "-m", "rolltop", "--workspace", str(tmp_path / "w"), "store", "reindex"]
    running = subprocess.Popen([*command, "--model", "minilm"], stderr=subprocess.PIPE, text=True)
    place = tmp_path / "w" / "store" / "vectors"
    while running.poll() is None and not list(place.glob("*/rows.vec")):
        pass
    running.send_signal(signal.SIGINT)
    told = running.communicate(timeout=120)[1]
    assert running.returncode in (130, 0), told
    again = subprocess.run([*command, "--model", "minilm", "--keep"], capture_output=True, text=True, check=True)
    assert "minilm: 100 documents embedded, 0 are left" in again.stderr


def test_nearness_counts_as_much_for_a_vague_query_as_for_a_clear_one() -> None:
    def first(scale: float) -> int:
        one_word, near = Candidate(1, 0.4, 0.0, 0.3 * scale), Candidate(2, 0.0, 0.0, 0.5 * scale)
        return fuse([one_word, near], Blend(nearness=2.0), full=1.0)[0].document

    assert first(1.0) == first(0.7) == 2
