"""Vectors follow the documents: ranked as brute force would, through restarts, kills, deletions and other models."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import embed_worker
import numpy as np
import pytest
from conditions import wait_until

from rolltop.errors import PartMissing
from rolltop.store import Library, Listing, Options
from rolltop.store.meaning import Near, embedding_follower, meaning
from rolltop.store.meaning.models import load_model
from rolltop.store.meaning.passages import passages
from rolltop.store.meaning.vectors import ByteVectors
from rolltop.store.records import Document

TOPICS = {
    "cat.md": "A kitten sleeps on the sofa and chases mice.\n",
    "bank.md": "The central bank raised interest rates to fight inflation.\n",
    "soup.md": "Chop the onions, fry them in butter, add broth and simmer.\n",
    "db.py": "def optimize_query(database): return database.explain_plan()\n",
}
WORDS = ["river", "stone", "bread", "engine", "letter", "music", "garden", "winter", "doctor", "forest", "planet"]


def fill(library: Library, count: int, length: int = 40) -> None:
    rng = random.Random(count)
    for number in range(count):
        library.documents.add_text(f"d/{number}.txt", " ".join(rng.choices(WORDS, k=length)) + f" {number}\n")


def names(library: Library, query: str, limit: int = 10) -> list[str]:
    return [named(library, near).name for near in library.search.meaning.rank(query, limit)]


def named(library: Library, near: Near) -> Document:
    document = library.catalog.documents.get(near.document)
    assert document is not None
    return document


def known(library: Library) -> tuple[int, int, int]:
    """Documents and vectors that are embedded, and rows in the file."""
    index = library.search.meaning.index
    return index.spans.documents(), index.spans.vectors(), len(index.vectors)


# ranking ---------------------------------------------------------------------------------------------


def test_a_document_is_found_by_what_it_means(library: Library) -> None:
    for name, text in TOPICS.items():
        library.documents.add_text(name, text)
    assert names(library, "pets and animals", 1) == ["cat.md"]
    assert names(library, "monetary policy of governments", 1) == ["bank.md"]
    assert names(library, "cooking recipe with vegetables", 1) == ["soup.md"]
    assert names(library, "speed up sql", 1) == ["db.py"]


@pytest.mark.parametrize("length", [40, 900])
def test_the_order_is_that_of_brute_force(library: Library, length: int) -> None:
    fill(library, 40, length)
    library.search.embed()
    model = load_model("wordllama")
    asked = model.embed(["winter music in the forest"])[0]
    best: dict[str, float] = {}
    for document in library.documents.select(Listing()):
        pieces = passages(library.extracts.of(document).body, model.reach)
        best[document.path] = float((model.embed([text for _, text in pieces]) @ asked).max())
    found = library.search.meaning.rank("winter music in the forest", 15)
    assert [near.score for near in found] == pytest.approx(sorted(best.values(), reverse=True)[:15], abs=0.004)
    assert all(near.score == pytest.approx(best[named(library, near).path], abs=0.004) for near in found)


def test_the_nearest_passage_is_named(library: Library) -> None:
    library.documents.add_text("long.md", "Nothing of interest here. " * 300 + "\n\n" + TOPICS["cat.md"])
    (near,) = library.search.meaning.rank("a kitten and its mice", 1)
    assert library.extracts.of(named(library, near)).body[near.start :].endswith(TOPICS["cat.md"])
    assert near.start > 1000


def test_signs_find_nearly_what_a_scan_finds(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(0, 1, (6000, 100)).astype(np.float32) + 3 * rng.normal(0, 1, (30, 100))[rng.integers(0, 30, 6000)]
    ByteVectors(tmp_path / "v").add(range(6000), rows)
    scan, signs = ByteVectors(tmp_path / "v"), ByteVectors(tmp_path / "v", scanned=0)
    asked = rows[rng.integers(0, 6000, 20)] + rng.normal(0, 0.5, (20, 100))
    shared = [len(dict(scan.nearest(q, 10)).keys() & dict(signs.nearest(q, 10)).keys()) for q in asked]
    assert sum(shared) / 200 > 0.95


@pytest.mark.parametrize("query", ["", "   ", "\0", "\ud800", "?!…", "x" * 50_000])
def test_a_hostile_query_is_answered(library: Library, query: str) -> None:
    library.documents.add_text("cat.md", TOPICS["cat.md"])
    assert len(names(library, query)) <= 1


def test_documents_without_text_are_no_trouble(library: Library) -> None:
    library.documents.add("empty.txt", b"")
    library.documents.add("noise.bin", bytes(range(256)) * 40)
    library.documents.add_text("blank.txt", "\n \n\t\n")
    library.documents.add_text("cat.md", TOPICS["cat.md"])
    library.search.embed()
    assert names(library, "kitten") == ["cat.md"]
    assert library.search.meaning.state().share == 1.0


# changes ---------------------------------------------------------------------------------------------


def test_a_fresh_document_is_found_at_once(library: Library) -> None:
    library.documents.add_text("cat.md", TOPICS["cat.md"])
    assert names(library, "animals") == ["cat.md"]
    library.documents.add_text("bank.md", TOPICS["bank.md"])
    assert names(library, "economy", 1) == ["bank.md"]


def test_a_deleted_document_is_gone_and_comes_back(library: Library) -> None:
    document = library.documents.add_text("cat.md", TOPICS["cat.md"]).document
    assert names(library, "kitten") == ["cat.md"]
    library.documents.delete([document])
    assert names(library, "kitten") == []
    assert known(library) == (0, 0, 0)
    library.documents.undo()
    assert names(library, "kitten") == ["cat.md"]


def test_a_new_version_takes_the_place_of_the_old(library: Library) -> None:
    library.documents.add_text("note.md", TOPICS["cat.md"])
    library.search.embed()
    library.documents.add_text("note.md", TOPICS["bank.md"])
    (near,) = library.search.meaning.rank("interest rates", 5)
    assert near.score > 0.3
    assert known(library) == (1, 1, 1)


def test_what_a_document_meant_before_is_not_found_while_it_waits(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.documents.add_text("note.md", TOPICS["cat.md"])
    library.search.embed()
    monkeypatch.setattr(library.search.meaning, "keep_up", lambda: None)
    library.documents.add_text("note.md", TOPICS["bank.md"])
    assert names(library, "kitten") == []


def test_equal_content_is_embedded_once(library: Library) -> None:
    for name in ("a.md", "b.md", "c.md"):
        library.documents.add_text(name, TOPICS["cat.md"])
    assert sorted(names(library, "kitten")) == ["a.md", "b.md", "c.md"]
    assert known(library) == (3, 1, 1)
    library.documents.delete([library.documents.get("a.md")])
    assert sorted(names(library, "kitten")) == ["b.md", "c.md"]


def test_nothing_of_a_collected_document_is_left(library: Library) -> None:
    fill(library, 5)
    document = library.documents.add_text("cat.md", TOPICS["cat.md"]).document
    library.search.embed()
    row = library.search.meaning.index.vectors._current().rows[-1]["numbers"].tobytes()
    library.documents.delete([document])
    library.care.collect(everything=True)
    kept = b"".join(path.read_bytes() for path in (library.directory / "vectors").rglob("*") if path.is_file())
    assert row not in kept
    assert document.hash.encode() not in kept
    library.search.embed()
    assert known(library) == (5, 5, 5)


# interruptions ---------------------------------------------------------------------------------------


def test_work_goes_on_where_it_was_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_follower, "VECTORS_A_COMMIT", 4)
    library = Library(tmp_path / "store")
    fill(library, 30)
    assert not library.search.meaning.follow(enough=lambda: True)
    assert library.search.meaning.state().share == pytest.approx(4 / 30)
    library.close()
    library = Library(tmp_path / "store")
    seen: list[tuple[int, int]] = []
    assert library.search.meaning.follow(lambda done, total: seen.append((done, total)))
    assert (seen[0], seen[-1], known(library)) == ((8, 30), (30, 30), (30, 30, 30))
    library.close()


def test_stopping_in_the_middle_of_a_batch_keeps_what_is_committed(library: Library) -> None:
    fill(library, 30)
    asked = iter([False, True, True])
    assert not library.search.meaning.follow(stop=lambda: next(asked))
    assert library.search.meaning.follow()
    assert known(library) == (30, 30, 30)


def kill_while_it_embeds(directory: Path, commits: int) -> None:
    worker = subprocess.Popen([sys.executable, embed_worker.__file__, str(directory)], stdout=subprocess.PIPE)
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"ready\n"
    for _ in range(commits):
        worker.stdout.readline()
    worker.kill()
    worker.communicate()


def check_killed(directory: Path, moments: list[int]) -> None:
    library = Library(directory)
    fill(library, 300)
    for commits in moments:
        kill_while_it_embeds(directory, commits)
        documents, vectors, _ = known(library)
        assert documents == vectors
    library.search.embed()
    assert known(library) == (300, 300, 300)
    assert library.search.meaning.damage() == []
    library.close()


def test_a_killed_writer_leaves_nothing_wrong(tmp_path: Path) -> None:
    check_killed(tmp_path / "store", [0, 3, 7])


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_many_killed_writers_leave_nothing_wrong(tmp_path: Path) -> None:
    rng = random.Random(7)
    for round_ in range(10):
        check_killed(tmp_path / str(round_), [rng.randrange(12) for _ in range(8)])


def test_two_processes_share_the_work(tmp_path: Path) -> None:
    library = Library(tmp_path / "store")
    fill(library, 60)
    workers = [subprocess.Popen([sys.executable, embed_worker.__file__, str(tmp_path / "store")]) for _ in range(2)]
    assert [worker.wait(120) for worker in workers] == [0, 0]
    assert known(library) == (60, 60, 60)
    assert len(names(library, "river stone", 60)) == 60
    library.close()


def test_lost_vectors_are_made_again(tmp_path: Path) -> None:
    library = Library(tmp_path / "store")
    fill(library, 10)
    library.search.embed()
    library.close()
    (rows,) = (tmp_path / "store" / "vectors").glob("*/rows.vec")
    rows.write_bytes(b"no rows at all, but long enough to be some")
    library = Library(tmp_path / "store")
    fill(library, 11)
    library.search.embed()
    assert known(library)[1:] == (library.search.meaning.index.spans.vectors(),) * 2
    assert len(names(library, "river", 50)) == 11
    library.close()


def test_damaged_rows_are_found_and_dropped(library: Library) -> None:
    fill(library, 10)
    library.search.embed()
    (rows,) = (library.directory / "vectors").glob("*/rows.vec")
    data = bytearray(rows.read_bytes())
    data[60] ^= 1
    rows.write_bytes(data)
    assert library.indexes.damage() == ["vectors: 1 rows are damaged"]
    library.care.repair()
    library.search.embed()
    assert (library.indexes.damage(), known(library)) == ([], (10, 10, 10))


def lose(rows: Path, share: float) -> None:
    if share:
        os.truncate(rows, int(rows.stat().st_size * share))
    else:
        rows.unlink()


@pytest.mark.parametrize("share", [0, 0.0001, 0.5, 0.99])
@pytest.mark.parametrize("opened_again", [True, False])
def test_a_search_notices_that_vectors_are_missing(tmp_path: Path, share: float, opened_again: bool) -> None:
    library = Library(tmp_path / "store")
    fill(library, 30)
    assert library.search.find("river", "semantic", limit=50).total == 30
    (rows,) = (library.directory / "vectors").glob("*/rows.vec")
    if opened_again:
        library.close()
    lose(rows, share)
    if opened_again:
        library = Library(tmp_path / "store")
    found = library.search.find("river", "semantic", limit=50)
    assert (found.total, len(found.hits), found.embedded) == (30, 30, 1.0)
    library.close()


@pytest.mark.parametrize("share", [0, 0.5])
def test_verify_and_repair_notice_that_vectors_are_missing(library: Library, share: float) -> None:
    fill(library, 10)
    library.search.embed()
    (rows,) = (library.directory / "vectors").glob("*/rows.vec")
    lose(rows, share)
    assert [line for line in library.care.verify().problems if "rows are missing" in line]
    assert "dropped the vectors; they are made again" in library.care.repair().mended
    library.search.embed()
    assert (library.indexes.damage(), known(library)) == ([], (10, 10, 10))


def test_a_half_written_row_is_cut_off(tmp_path: Path) -> None:
    vectors = ByteVectors(tmp_path / "v")
    vectors.add([1], [[1.0, 0.0]])
    with (tmp_path / "v").open("ab") as file:
        file.write(b"half")
    vectors.add([2], [[0.0, 1.0]])
    assert [key for key, _ in ByteVectors(tmp_path / "v").nearest([0, 1], 2)] == [2, 1]


def test_mostly_removed_rows_are_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rolltop.store.meaning.vectors.WORTH_COMPACTING", 10)
    vectors, reader = ByteVectors(tmp_path / "v"), ByteVectors(tmp_path / "v")
    vectors.add(range(100), np.eye(100))
    size = (tmp_path / "v").stat().st_size
    assert reader.nearest(np.eye(100)[7], 1)[0][0] == 7
    vectors.remove(range(8, 100))
    assert os.stat(tmp_path / "v").st_size < size / 5
    assert reader.nearest(np.eye(100)[7], 1)[0][0] == 7
    assert len(reader) == 8


# models ----------------------------------------------------------------------------------------------


def test_vectors_of_two_models_are_not_mixed(tmp_path: Path) -> None:
    for model, width in (("wordllama", 256), ("minilm", 384), ("wordllama", 256)):
        library = Library(tmp_path / "store", Options(model=model))
        if not library.documents.select(Listing()):
            for name, text in TOPICS.items():
                library.documents.add_text(name, text)
        library.search.embed()
        assert names(library, "kitten", 1) == ["cat.md"]
        assert (library.search.meaning.state().model, library.search.meaning.state().width) == (model, width)
        assert library.search.meaning.state().documents == 4
        library.close()
    assert len(list((tmp_path / "store" / "vectors").iterdir())) == 2


def test_a_slow_model_works_in_the_background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "SOON_DONE", 0)
    library = Library(tmp_path / "store", Options(model="minilm", background=True))
    for name, text in TOPICS.items():
        library.documents.add_text(name, text)
    assert names(library, "kitten") == []
    wait_until(lambda: library.search.meaning.state().share == 1)
    assert names(library, "kitten", 1) == ["cat.md"]
    library.close()


def test_without_a_model_the_search_says_so(tmp_path: Path) -> None:
    library = Library(tmp_path / "store", Options(model="none"))
    library.documents.add_text("cat.md", TOPICS["cat.md"])
    with pytest.raises(PartMissing, match="switched off"):
        library.search.meaning.rank("kitten", 1)
    library.close()
