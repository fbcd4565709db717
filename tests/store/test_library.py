"""What a library promises to someone who keeps documents in it."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

import pytest

from rolltop.errors import Conflict, InvalidInput, NotFound, PermissionDenied
from rolltop.store import Library, Listing, Options, Pattern, Source
from rolltop.store.documents import ingest
from rolltop.store.metadata_values import parse_pairs
from rolltop.store.query import encode_cursor


def test_content_is_addressed_by_its_sha256(library: Library) -> None:
    added = library.documents.add_text("a.txt", "hello\n")
    assert added.hash == hashlib.sha256(b"hello\n").hexdigest()
    assert library.documents.read(library.documents.get("a.txt")) == b"hello\n"


def test_the_same_content_under_two_paths_is_one_blob_and_two_documents(library: Library) -> None:
    first = library.documents.add_text("a.txt", "the same\n" * 100)
    second = library.documents.add_text("b.txt", "the same\n" * 100)
    assert (first.bytes_stored, first.bytes_deduped) == (900, 0)
    assert (second.bytes_stored, second.bytes_deduped, second.bytes_written) == (0, 900, 0)
    assert library.care.stats().documents == 2
    assert library.care.stats().unique_blocks == 1


def test_stored_and_deduplicated_bytes_add_up_to_the_size(library: Library) -> None:
    text = "".join(f"line {number}\n" for number in range(20_000))
    for version in (text, "x" + text, text + "y", text[5000:]):
        added = library.documents.add_text("big.txt", version)
        assert added.bytes_stored + added.bytes_deduped == len(version)


def test_a_new_version_keeps_the_old(library: Library) -> None:
    for number in range(12):
        library.documents.add_text("note.md", f"version {number}\n" + "the rest stays as it is\n" * 50)
    document = library.documents.get("note.md")
    assert document.version == 12
    versions = library.documents.versions(document)
    assert [version.number for version in versions] == list(range(1, 13))
    for number, version in enumerate(versions):
        assert library.documents.read_object(version.object).startswith(f"version {number}\n".encode())


def test_storing_the_same_again_changes_nothing(library: Library) -> None:
    library.documents.add_text("a.txt", "same\n")
    again = library.documents.add_text("a.txt", "same\n", tags=["new"])
    assert again.outcome == "unchanged"
    assert again.document.version == 1
    assert again.document.tags == ("new",)


def test_an_empty_document_is_a_document(library: Library) -> None:
    added = library.documents.add("empty", b"")
    assert (added.document.size, library.documents.read(added.document)) == (0, b"")
    assert library.care.verify().ok


def test_a_long_stream_is_stored_without_being_held(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "HELD_IN_MEMORY", 1 << 16)
    data = b"".join(b"%d of a long stream\n" % number for number in range(100_000))
    added = library.documents.add("stream.txt", io.BytesIO(data))
    assert added.hash == hashlib.sha256(data).hexdigest()
    assert library.documents.read(added.document) == data
    assert added.document.kind == "text"
    assert library.documents.add("whole.txt", data).document.object == added.document.object


def test_a_name_is_a_path_a_name_or_the_end_of_a_path(library: Library) -> None:
    library.documents.add_text("/home/ada/notes/today.md", "1\n")
    library.documents.add_text("/home/bob/notes/later.md", "2\n")
    assert library.documents.get("/home/ada/notes/today.md").path == "/home/ada/notes/today.md"
    assert library.documents.get("today.md").path == "/home/ada/notes/today.md"
    assert library.documents.get("notes/later.md").path == "/home/bob/notes/later.md"
    with pytest.raises(NotFound):
        library.documents.get("tes/later.md")


def test_an_ambiguous_name_lists_the_candidates(library: Library) -> None:
    library.documents.add_text("a/x.md", "1\n")
    library.documents.add_text("b/x.md", "2\n")
    with pytest.raises(InvalidInput) as caught:
        library.documents.get("x.md")
    assert caught.value.details["candidates"] == ["a/x.md", "b/x.md"]


def test_a_hash_prefix_of_eight_digits_finds_its_document(library: Library) -> None:
    added = library.documents.add_text("a.txt", "find me\n")
    found = library.documents.by_hash(added.hash[:8].upper())
    assert found is not None
    assert found.document.path == "a.txt"
    assert library.documents.by_hash("0" * 64) is None
    with pytest.raises(InvalidInput):
        library.documents.by_hash("abc")


def test_a_hash_finds_every_document_with_that_content(library: Library) -> None:
    (digest,) = {library.documents.add_text(f"{name}.md", "the same\n").hash for name in "cab"}
    assert [each.document.path for each in library.documents.with_hash(digest[:8])] == ["c.md", "a.md", "b.md"]
    with pytest.raises(InvalidInput, match="3 documents have") as caught:
        library.documents.document_with(digest)
    assert caught.value.details["candidates"] == ["c.md", "a.md", "b.md"]
    for name in "ca":
        library.documents.add_text(f"{name}.md", "another\n")
    held = library.documents.with_hash(digest)
    assert [(each.document.path, each.current) for each in held] == [("b.md", True), ("c.md", False), ("a.md", False)]
    assert library.documents.document_with(digest).path == "b.md"
    library.documents.delete([library.documents.get("b.md")])
    assert [each.document.path for each in library.documents.with_hash(digest)] == ["c.md", "a.md"]
    library.documents.delete([library.documents.get("c.md")])
    assert library.documents.document_with(digest).path == "a.md"
    library.documents.delete([library.documents.get("a.md")])
    with pytest.raises(NotFound):
        library.documents.document_with(digest)


def test_metadata_keeps_its_types_and_its_history(library: Library) -> None:
    document = library.documents.add_text(
        "a.txt", "x\n", metadata={"n": 3, "t": True, "l": [1, "a"], "s": "3"}
    ).document
    assert document.metadata == {"n": 3, "t": True, "l": [1, "a"], "s": "3"}
    after, changed = library.edits.set_metadata(document, {"n": 4, "t": True}, remove=["l"])
    assert changed == ["n", "l"]
    assert after.metadata == {"n": 4, "t": True, "s": "3"}
    past = library.history.metadata_history(document)
    assert [(key, value) for key, value, _, until in past if until is not None] == [("l", [1, "a"]), ("n", 3)]
    began = library.catalog.tags.metadata_at(document.id, document.indexed + 1_000_000_000_000)
    assert began == after.metadata


def test_comparisons_and_tags_select_documents(library: Library) -> None:
    for number in range(5):
        library.documents.add_text(f"{number}.txt", f"{number}\n", tags=[f"p/{number % 2}"], metadata={"n": number})
    assert library.documents.page(Listing(metadata={"n": {">=": 3}})).total == 2
    assert library.documents.page(Listing(metadata={"n": 3})).total == 1
    assert library.documents.page(Listing(tags=("p",))).total == 5
    assert library.documents.page(Listing(tags=("p/0",))).total == 3
    assert library.documents.page(Listing(tags=("p",), exclude_tags=("p/1",))).total == 3
    assert library.documents.page(Listing(tags=("p/0", "p/1"), match_all_tags=False)).total == 5
    assert library.documents.page(Listing(tags=("p/0", "p/1"))).total == 0


def test_one_write_takes_a_bounded_number_of_metadata_entries(library: Library) -> None:
    with pytest.raises(InvalidInput, match="at most 1000 metadata entries"):
        library.documents.add_text("a.txt", "x", metadata={f"key{n}": n for n in range(1001)})


def test_metadata_is_compared_within_its_type(library: Library) -> None:
    values: dict[str, Any] = {"int": 5, "real": 5.5, "big": 1 << 70, "text": "high", "digit": "9"}
    values |= {"yes": True, "none": None, "list": [5]}
    for name, value in values.items():
        library.documents.add_text(name, f"{name}\n", metadata={"v": value})
    library.documents.add_text("without", "nothing\n")

    def found(wanted: Any) -> set[str]:
        return {document.path for document in library.documents.select(Listing(metadata={"v": wanted}))}

    assert found({">=": 5}) == {"int", "real", "big"}
    assert found({">": 5, "<": 6.5}) == {"real"}
    assert found({">": "8"}) == {"text", "digit"}
    assert found({"<": 1 << 70}) == {"int", "real"}
    assert found({"<": 10**400}) == {"int", "real", "big"}
    assert found(5) == found(5.0) == found({"=": 5}) == found({"==": 5.0}) == {"int"}
    assert found(1) == found("5") == found("true") == set()
    assert (found(True), found(None), found([5]), found({"=": [5]})) == ({"yes"}, {"none"}, {"list"}, {"list"})
    assert found(1 << 70) == {"big"}
    assert found({"!=": 5}) == values.keys() - {"int"}
    assert found({"!=": None}) == values.keys() - {"none"}


@pytest.mark.parametrize(
    "wanted", [{"in": [5]}, {">": 1, "like": 2}, {">": True}, {"<": None}, {">=": [1]}, {"<": 1e999}]
)
def test_what_cannot_be_compared_is_refused(library: Library, wanted: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"metadata\.v is compared"):
        library.documents.page(Listing(metadata={"v": wanted}))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1e999], {"a": float("-inf")}, {1, 2}])
def test_values_that_json_cannot_hold_are_refused(library: Library, value: Any) -> None:
    with pytest.raises(InvalidInput, match="metadata value of k"):
        library.documents.add_text("a.txt", "x\n", metadata={"k": value})
    assert library.documents.page().total == 0


def test_numbers_that_are_none_are_texts(library: Library) -> None:
    texts = ["NaN", "Infinity", "-Infinity", "1e999", "[NaN]", '{"a": Infinity}']
    assert list(parse_pairs(f"{number}={text}" for number, text in enumerate(texts)).values()) == texts
    document = library.documents.add_text("a.txt", "x\n").document
    library.write(lambda _: library.catalog.tags.set(document.id, {"old": float("nan")}, 1))  # as it could once be
    assert library.documents.get("a.txt").metadata == {"old": "NaN"}
    assert library.documents.page(Listing(metadata={"old": {">": 1}})).total == 0


def test_the_latest_are_those_of_the_documents_that_fit(library: Library) -> None:
    for number in range(12):
        library.documents.add_text(f"{number:02d}.py", f"{number}\n", tags=["code"] if number % 2 else [])
    library.documents.add_text("last.md", "note\n")
    latest = library.documents.page(Listing(extension=".py", recent=5, sort_by="path", descending=False))
    assert [document.path for document in latest.documents] == [f"{number:02d}.py" for number in range(7, 12)]
    assert [d.path for d in library.documents.select(Listing(tags=("code",), recent=2))] == ["09.py", "11.py"]
    page = library.documents.page(Listing(recent=8, limit=1, sort_by="name"))
    assert (page.total, page.documents[0].path) == (8, "last.md")
    assert library.catalog.listings.facets(Listing(extension="py", recent=3))["tag"] == {"code": 2}


def test_a_cursor_of_another_order_is_refused(library: Library) -> None:
    for number in range(4):
        library.documents.add_text(f"{number}.txt", "x" * number)
    cursor = library.documents.page(Listing(sort_by="name", limit=2)).next_cursor
    assert cursor is not None
    for other in (Listing(sort_by="size", cursor=cursor), Listing(sort_by="name", descending=False, cursor=cursor)):
        with pytest.raises(InvalidInput, match="another order"):
            library.documents.page(other)
    for wrong in (encode_cursor("name", True, 3, 1), encode_cursor("size", True, [], 1), encode_cursor(1), "!"):
        with pytest.raises(InvalidInput, match="cursor"):
            library.documents.page(Listing(sort_by="name", cursor=wrong, extension=".none"))


def test_a_removed_tag_leaves_nothing_behind(library: Library) -> None:
    document = library.documents.add_text("a.txt", "x\n", tags=["keep", "drop"]).document
    assert library.edits.tag(document, remove=["drop"]).tags == ("keep",)
    assert library.catalog.tags.counts() == {"keep": 1}


def test_pages_follow_each_other_without_gaps(library: Library) -> None:
    for number in range(25):
        library.documents.add_text(f"{number:02d}.txt", f"{number % 3}" * 10)
    for key in ("name", "size", "modified", "created", "indexed", "path"):
        seen, cursor = list[str](), None
        while True:
            page = library.documents.page(Listing(sort_by=key, descending=False, limit=7, cursor=cursor))
            seen += [document.path for document in page.documents]
            assert page.total == 25
            cursor = page.next_cursor
            if cursor is None:
                break
        assert len(seen) == len(set(seen)) == 25


def test_a_cursor_stays_right_while_documents_come_and_go(library: Library) -> None:
    for number in range(10):
        library.documents.add_text(f"{number}.txt", "x\n")
    first = library.documents.page(Listing(sort_by="path", descending=False, limit=5))
    library.documents.delete([library.documents.get("0.txt")])
    library.documents.add_text("00.txt", "new\n")
    second = library.documents.page(Listing(sort_by="path", descending=False, limit=5, cursor=first.next_cursor))
    assert [document.path for document in second.documents] == [f"{number}.txt" for number in range(5, 10)]


def test_deleted_content_is_out_of_reach_at_once(library: Library) -> None:
    added = library.documents.add_text("secret.txt", "the secret word\n")
    library.documents.delete([added.document])
    assert library.documents.by_hash(added.hash) is None
    assert library.documents.named("secret.txt") == []
    assert library.search.keyword("secret").total == 0
    assert list(library.grep.files(Pattern("secret"))) == []
    assert library.documents.page().total == 0
    assert library.care.stats().documents == 0


def test_a_deletion_can_be_taken_back(library: Library) -> None:
    library.documents.add_text("a.txt", "one\n")
    library.documents.add_text("a.txt", "two\n", tags=["t"])
    library.documents.delete([library.documents.get("a.txt")])
    assert [document.path for document in library.documents.undo()] == ["a.txt"]
    document = library.documents.get("a.txt")
    assert (library.documents.read(document), document.tags, document.version) == (b"two\n", ("t",), 2)
    assert [hit.document.path for hit in library.search.keyword("two").hits] == ["a.txt"]


def test_undo_does_not_overwrite_what_was_stored_since(library: Library) -> None:
    library.documents.add_text("a.txt", "old\n")
    library.documents.delete([library.documents.get("a.txt")])
    library.documents.add_text("a.txt", "new\n")
    with pytest.raises(Conflict):
        library.documents.undo("a.txt")
    assert library.documents.read(library.documents.get("a.txt")) == b"new\n"


def test_collected_content_is_gone_from_the_disk(library: Library) -> None:
    word = "xylophonequartz"
    library.documents.add_text("keep.txt", "stays\n" * 10)
    library.documents.add_text("drop.txt", f"{word}\n" * 3, tags=[f"tag-{word}"], metadata={"k": f"meta-{word}"})
    library.indexes.update()
    library.search.keyword(word)
    library.documents.delete([library.documents.get("drop.txt")])
    done = library.care.collect(everything=True)
    assert done.documents == 1
    assert done.freed > 0
    library.close()
    for path in library.directory.rglob("*"):
        if path.is_file():
            assert word.encode() not in path.read_bytes(), path


def test_collection_respects_the_undo_window(library: Library) -> None:
    library.documents.add_text("a.txt", "x\n")
    library.documents.delete([library.documents.get("a.txt")])
    assert library.care.collect().documents == 0
    assert len(library.documents.undo("a.txt")) == 1


def test_a_base_that_dies_does_not_take_its_delta_along(library: Library) -> None:
    body = "a line that both have\n" * 100
    library.documents.add_text("old.txt", body + "old\n")
    library.documents.add_text("old.txt", body + "new\n")
    library.documents.add_text("copy.txt", body + "new\n")
    library.documents.delete([library.documents.get("old.txt")])
    library.care.collect(everything=True)
    assert library.documents.read(library.documents.get("copy.txt")) == (body + "new\n").encode()
    assert library.care.verify().ok


def test_a_snapshot_keeps_what_is_deleted_later(library: Library, tmp_path: Path) -> None:
    library.documents.add_text("a.txt", "one\n")
    library.documents.add_text("b.txt", "two\n")
    library.history.take_snapshot("before")
    library.documents.add_text("b.txt", "changed\n")
    library.documents.add_text("moved.txt", "one\n")
    library.documents.delete([library.documents.get("a.txt")])
    library.care.collect(everything=True)
    assert [(c.kind, c.path) for c in library.history.changes("before")] == [
        ("changed", "b.txt"),
        ("renamed", "moved.txt"),
    ]
    assert {path: library.documents.read_object(number) for path, number, _ in library.history.restored("before")} == {
        "a.txt": b"one\n",
        "b.txt": b"two\n",
    }
    library.history.drop_snapshot("before")
    library.care.collect(everything=True)
    assert library.care.verify().ok


def test_an_earlier_version_can_be_put_back(library: Library) -> None:
    library.documents.add_text("a.txt", "good\n")
    library.documents.add_text("a.txt", "bad\n")
    restored = library.history.put_back(library.documents.get("a.txt"), 1)
    assert (library.documents.read(restored), restored.version) == (b"good\n", 3)


def test_stored_means_findable(library: Library) -> None:
    for number in range(50):
        library.documents.add_text(f"{number}.txt", f"needle{number} in the hay\n")
        assert [hit.document.path for hit in library.search.keyword(f"needle{number}").hits] == [f"{number}.txt"]
        assert [f.document.path for f in library.grep.files(Pattern(f"needle{number} "))] == [f"{number}.txt"]
        assert library.documents.page(Listing(limit=1)).documents[0].path == f"{number}.txt"


def test_many_documents_are_stored_in_batches(library: Library) -> None:
    sources = [Source(f"d/{number}.txt", b"%d\n" % number, 1, 2) for number in range(500)]
    tally = library.documents.add_many([*sources, Source("d/0.txt", b"changed\n", 1, 3)], tags=["bulk"])
    assert (tally.documents, tally.new, tally.versions) == (501, 500, 1)
    assert library.documents.page(Listing(tags=("bulk",))).total == 500
    assert library.documents.read(library.documents.get("d/0.txt")) == b"changed\n"
    assert library.care.verify().ok


def test_an_archive_brings_everything_back(library: Library, tmp_path: Path) -> None:
    library.documents.add_text("a.txt", "one\n", tags=["t"], metadata={"n": 1})
    library.documents.add_text("a.txt", "two\n")
    library.documents.add("b.bin", bytes(range(256)))
    archive = io.BytesIO()
    assert library.history.export(archive) == 2
    archive.seek(0)
    other = Library(tmp_path / "other")
    other.history.import_(archive)
    document = other.documents.get("a.txt")
    assert (document.tags, document.metadata, document.version) == (("t",), {"n": 1}, 2)
    assert [other.documents.read_object(v.object) for v in other.documents.versions(document)] == [b"one\n", b"two\n"]
    assert other.documents.read(other.documents.get("b.bin")) == bytes(range(256))
    other.close()


def test_a_library_for_reading_refuses_to_write(library: Library) -> None:
    library.documents.add_text("a.txt", "x\n")
    reading = Library(library.directory, Options(read_only=True))
    assert reading.documents.read(reading.documents.get("a.txt")) == b"x\n"
    with pytest.raises(PermissionDenied):
        reading.documents.add_text("b.txt", "y\n")
    reading.close()


def test_a_failing_call_does_not_harm_its_group(library: Library) -> None:
    def fails(writer: object) -> None:
        library.documents.add_text("lost.txt", "lost\n" * 1000)
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        library.write(fails)
    library.documents.add_text("kept.txt", "kept\n")
    assert library.documents.named("lost.txt") == []
    assert library.documents.read(library.documents.get("kept.txt")) == b"kept\n"
    assert library.care.verify().ok


@pytest.mark.parametrize("path", ["", "a/", "a\0b"])
def test_what_is_no_name_is_refused(library: Library, path: str) -> None:
    with pytest.raises(InvalidInput):
        library.documents.add_text(path, "x")


def test_statistics_agree_with_the_disk_to_the_byte(library: Library) -> None:
    for number in range(30):
        library.documents.add_text(f"{number % 20}.txt", f"{number}\n" * 200)
    stats = library.care.stats()
    packs = library.directory / "packs"
    assert stats.pack_bytes == sum(path.stat().st_size for path in packs.iterdir())
    assert stats.logical_bytes == sum(
        version.size for d in library.documents.page().documents for version in library.documents.versions(d)
    )
    assert stats.deduplicated_bytes == stats.logical_bytes - stats.unique_bytes


def test_one_byte_in_ten_megabytes_costs_little(library: Library) -> None:
    text = b"".join(b"%d: some text that differs, %x\n" % (number, number * 2654435761) for number in range(280_000))
    library.documents.add("big.txt", text)
    before = library.care.stats().pack_bytes
    added = library.documents.add("big.txt", text[:100] + b"x" + text[100:])
    assert library.care.stats().pack_bytes - before <= 16_384
    assert added.bytes_deduped > 0.99 * len(text)


def test_two_hundred_versions_of_a_note_cost_little(library: Library) -> None:
    lines = [f"line {number} of a note that is edited, {number * 7919 % 1000}\n" for number in range(130)]
    for number in range(200):
        lines[number % 130] = f"edited in round {number}, {number * 104729 % 10007}\n"
        library.documents.add_text("note.md", "".join(lines))
    library.catalog.checkpoint()
    kept = library.care.stats().pack_bytes + (library.directory / "catalog.db").stat().st_size
    assert kept <= 250_000
    assert library.care.stats().pack_bytes <= 60_000


def test_tagging_a_document_that_was_deleted_meanwhile_says_so(library: Library) -> None:
    document = library.documents.add_text("a.md", "text", tags=["x"]).document
    library.documents.delete([document])
    with pytest.raises(InvalidInput, match="deleted in the meantime"):
        library.edits.tag(document, add=["x"])
