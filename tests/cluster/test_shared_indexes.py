"""Indexes that several servers share: one builds and publishes, the others take over; all answer alike."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster_servers import PostgresServer, S3Server
from conditions import wait_until
from shared_library import Desk

from rolltop.store import Library, Source
from rolltop.store.grep import Pattern
from rolltop.store.meaning import meaning
from rolltop.store.search import index_follower

LETTER = rb"{\rtf1\ansi Dear friend, the thunderstorms were over by noon.}"

WORDS = ("harbour", "lantern", "orchard", "granite", "meadow", "copper", "saddle", "willow", "ember", "quill")


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search embeds what is new for a tenth of a second, in which a busy machine may not get far."""
    monkeypatch.setattr(meaning, "WHILE_A_SEARCH_WAITS", 60.0)


@pytest.fixture
def desk(tmp_path: Path, postgres: PostgresServer, s3: S3Server) -> Desk:
    return Desk(tmp_path, postgres, s3)


def notes(count: int, start: int = 0) -> Iterator[Source]:
    for number in range(start, start + count):
        words = " ".join(WORDS[(number * step + step) % len(WORDS)] for step in range(1, 8))
        yield Source(f"notes/{number:04d}.md", f"# Note {number}\n\n{words} number{number}\n".encode(), 1, 2)


def found(library: Library, query: str, **how: object) -> list[str]:
    return [hit.document.path for hit in library.search.find(query, **how).hits]  # type: ignore[arg-type]


def mark(library: Library) -> int:
    return library.search.words.index.mark


def embedded(library: Library) -> bool:
    return not any(each.state().pending for each in library.search.meanings)


def everything(library: Library) -> object:
    """What the library answers: to every kind of question, with scores, snippets and totals."""
    answers = []
    for query, how in (
        ("harbour lantern", {}),
        ('"copper saddle"', {"kind": "keyword", "why": True}),
        ("title:note orchard -granite", {"kind": "keyword"}),
        ("tag:kept meadow", {"kind": "keyword"}),
        ("harbor lantren", {"similarity": 0.7}),
        ("ships and lights", {"kind": "semantic"}),
        ("number12", {}),
    ):
        results = library.search.find(query, **how)  # type: ignore[arg-type]
        hits = [(hit.document.path, round(hit.score, 5), hit.snippet) for hit in results.hits]
        answers.append((query, results.total, hits))
    lines = [(each.path, count) for each, count in library.grep.counts(Pattern("copper (saddle|willow)"))]
    related = library.graph.related(library.documents.get("notes/0003.md")).related
    return answers, lines, [(each.node.document.path, each.distance, each.edges) for each in related]


def test_another_server_answers_alike(desk: Desk, tmp_path: Path) -> None:
    with desk.server("a") as first:
        first.documents.add_many(notes(300))
        first.edits.tag(first.documents.get("notes/0007.md"), ["kept"])
        assert first.search.find("harbour").total
        first.indexes.update()
        wait_until(lambda: embedded(first))
        first.graph.trace()
        first.indexes.publish()
        told = everything(first)
        with desk.server("b") as second:
            assert second.search.find("harbour").total
            wait_until(lambda: embedded(second) and mark(second) == mark(first))
            assert everything(second) == told
            assert not second.replica.is_builder  # type: ignore[union-attr]


def test_what_one_server_stores_another_one_finds_at_once(desk: Desk) -> None:
    with desk.server("a") as first, desk.server("b") as second:
        first.documents.add_many(notes(50))
        assert second.search.find("harbour").total == first.search.find("harbour").total
        for number in range(20):
            first.documents.add_text(f"fresh/{number}.md", f"a zyzzogeton{number} was seen at dawn")
            assert found(second, f"zyzzogeton{number}", kind="keyword") == [f"fresh/{number}.md"]
            second.documents.add_text(f"fresh/{number}.md", f"a quokka{number} was seen instead")
            assert found(first, f"quokka{number}", kind="keyword") == [f"fresh/{number}.md"]
            assert not found(first, f"zyzzogeton{number}", kind="keyword")


def test_what_it_cannot_know_yet_an_answer_says(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_follower, "WAITED_FOR", 0)
    with desk.server("a") as first, desk.server("b") as second:
        nobody_builds = desk.shared().lease
        assert nobody_builds.held()
        first.documents.add_many(notes(1500))
        told = second.search.find("harbour", "keyword")
        assert told.unindexed
        assert "not indexed yet" in (told.note or "")
        nobody_builds.release()
        for server in (first, second):
            settled = wait_until(
                lambda server=server: (now := server.search.find("harbour", "keyword")).unindexed == 0 and now
            )
            assert settled.total == 900


def test_one_server_builds_and_another_one_goes_on_when_it_dies(desk: Desk, postgres: PostgresServer) -> None:
    with desk.server("a") as first, desk.server("b") as second:
        assert first.replica is not None
        assert second.replica is not None
        first.documents.add_many(notes(300))
        wait_until(lambda: first.replica.is_builder)  # type: ignore[union-attr]
        second.documents.add_many(notes(300, 300))
        wait_until(lambda: mark(second) == mark(first) == first.catalog.documents.last_change())
        assert not second.replica.is_builder
        first.follower.stop()  # it works no more, and its session ends as that of a dead process does
        first.follower.join()
        first.replica.release()
        second.documents.add_many(notes(300, 600))
        wait_until(lambda: second.replica.is_builder and mark(second) == second.catalog.documents.last_change())  # type: ignore[union-attr]
        assert second.search.find("number899", "keyword").total == 1


def test_texts_are_read_by_one_server_and_found_from_all(desk: Desk) -> None:
    with desk.server("a") as first, desk.server("b") as second:
        first.documents.add_many(notes(40))
        wait_until(lambda: first.replica.is_builder)  # type: ignore[union-attr]
        first.documents.add_many([Source("letter.rtf", LETTER, 1, 2)])
        second.documents.add_many(notes(5, 40))
        text = wait_until(lambda: first.texts.of(first.documents.get("letter.rtf")).body)
        wait_until(lambda: second.texts.of(second.documents.get("letter.rtf")).body == text)
        word = max(text.split(), key=len)
        wait_until(lambda: "letter.rtf" in found(second, word, kind="keyword"))
        wait_until(lambda: mark(second) == mark(first) == first.catalog.documents.last_change())


def test_an_empty_bucket_is_filled_again(desk: Desk) -> None:
    with desk.server("a") as first:
        first.documents.add_many(notes(100))
        first.indexes.update()
        objects = desk.objects()
        published = [each.key for each in objects.list("indexes/")]
        assert published
        objects.delete(published)
        first.indexes.update()
        with desk.server("b") as second:
            wait_until(lambda: mark(second) == mark(first))


def test_a_damaged_block_is_noticed_and_put_again(desk: Desk) -> None:
    with desk.server("a") as first:
        first.documents.add_many(notes(100))
        first.indexes.update()
        objects = desk.objects()
        block = max(objects.list("indexes/blocks/"), key=lambda each: each.size).key
        objects.delete([block])
        objects.put(block, b"not what was published")
        with desk.server("b", background=False) as second:
            second.indexes.take_over()
            assert second.search.find("number12", "keyword").total == 1
        first.indexes.update()
        shutil.rmtree(second.directory)
        with desk.server("b", background=False) as again:
            assert again.indexes.take_over()
            assert mark(again) == mark(first)


def test_no_server_keeps_a_word_of_what_was_collected(desk: Desk, tmp_path: Path) -> None:
    with desk.server("a") as first, desk.server("b") as second:
        first.documents.add_many(notes(100))
        first.documents.add_text("secret.md", "the zyzzogeton is under the old oak")
        first.search.embed()
        first.indexes.update()
        wait_until(lambda: mark(second) == mark(first))
        assert second.search.find("zyzzogeton").total == 1
        first.documents.delete([first.documents.get("secret.md")])
        first.care.collect(everything=True)
        wait_until(lambda: second.indexes.take_over() or not holding(tmp_path / "b", b"zyzzogeton"))
        assert not holding(tmp_path / "a", b"zyzzogeton")
        assert not [each.key for each in desk.objects().list("") if b"zyzzogeton" in desk.objects().get(each.key)]
        wait_until(lambda: not holding(tmp_path / "b", b"zyzzogeton"))
        assert not second.search.find("zyzzogeton", "keyword").total


def holding(place: Path, word: bytes) -> list[Path]:
    return [path for path in place.rglob("*") if path.is_file() and word in path.read_bytes()]


def test_commands_share_indexes_too(desk: Desk) -> None:
    with desk.server("a", background=False) as first:
        first.documents.add_many(notes(2000))
        first.indexes.update()
    with desk.server("b", background=False) as second:
        assert second.search.find("number12", "keyword").total == 1
        assert mark(second) == second.catalog.documents.last_change()
