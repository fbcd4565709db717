"""What every catalogue must do."""

from __future__ import annotations

import contextlib

from rolltop.store.catalog import NewDocument
from rolltop.store.query import Listing
from rolltop.store.records import Frame, Object, Place
from rolltop.store.seams import Catalog


def put(catalog: Catalog, path: str, number: int) -> None:
    """A document with an object of its own."""
    name = path.rpartition("/")[2]
    catalog.objects.add([Object(number, bytes([number]) * 32, number, 1, number * 10)])
    catalog.documents.insert(
        NewDocument(path, name, ".txt", "text/plain", "text", number, number, 5, 6), indexed=number
    )


class CatalogSuite:
    def test_a_transaction_is_all_or_nothing(self, catalog: Catalog) -> None:
        with contextlib.suppress(RuntimeError), catalog.transaction():
            put(catalog, "a.txt", 1)
            raise RuntimeError
        assert catalog.documents.at("a.txt") is None
        with catalog.transaction():
            put(catalog, "a.txt", 1)
        assert catalog.documents.at("a.txt") is not None

    def test_a_part_can_fail_alone(self, catalog: Catalog) -> None:
        with catalog.transaction():
            put(catalog, "a.txt", 1)
            with contextlib.suppress(RuntimeError), catalog.savepoint():
                put(catalog, "b.txt", 2)
                raise RuntimeError
        assert [document.path for document in catalog.listings.all(Listing())] == ["a.txt"]

    def test_objects_are_found_by_hash_and_prefix(self, catalog: Catalog) -> None:
        leaf = Object(7, b"\x07" * 32, 3, 1, 0)
        whole = Object(8, b"\x08" * 32, 6, None, 0, (7, 7, 300, 7), False)
        with catalog.transaction():
            catalog.objects.add([leaf, whole])
        assert catalog.objects.with_hash(b"\x07" * 32) == leaf
        assert catalog.objects.with_hash(b"\x09" * 32) is None
        assert catalog.objects.get(8) == whole
        assert [entry.id for entry in catalog.objects.by_prefix("07070707", 10)] == [7]
        assert catalog.objects.next_numbers()[0] == 9

    def test_numbers_are_not_given_out_twice(self, catalog: Catalog) -> None:
        with catalog.transaction():
            catalog.objects.add([Object(1, b"\x01" * 32, 1, 1, 0)])
            catalog.objects.add_frame(Frame(1, Place(1, 0, 10), 1))
            catalog.objects.keep_numbers()
            catalog.objects.remove([1])
            catalog.objects.remove_frames([1])
        assert catalog.objects.next_numbers() == (2, 2)

    def test_versions_are_kept_in_order(self, catalog: Catalog) -> None:
        with catalog.transaction():
            put(catalog, "a.txt", 1)
            for number in (2, 3):
                catalog.objects.add([Object(number, bytes([number]) * 32, number, 1, 0)])
                old = catalog.documents.at("a.txt")
                assert old is not None
                new = NewDocument("a.txt", "a.txt", ".txt", "text/plain", "text", number, number, 5, 6)
                catalog.documents.replace(old, new, indexed=number)
        document = catalog.documents.at("a.txt")
        assert document is not None
        assert [(v.number, v.object) for v in catalog.documents.versions(document)] == [(1, 1), (2, 2), (3, 3)]

    def test_changes_are_followed_in_order(self, catalog: Catalog) -> None:
        with catalog.transaction():
            for number in range(1, 6):
                put(catalog, f"{number}.txt", number)
        first = catalog.documents.changed(0, 3)
        rest = catalog.documents.changed(first[-1].change, 10)
        assert [document.path for document in [*first, *rest]] == [f"{number}.txt" for number in range(1, 6)]
        with catalog.transaction():
            catalog.documents.delete([first[0]], when=99)
        assert [d.path for d in catalog.documents.changed(rest[-1].change, 10)] == ["1.txt"]

    def test_paths_select_exactly_directories_and_globs(self, catalog: Catalog) -> None:
        paths = ["/a/b/c.txt", "/a/b/d.md", "/a/bc/e.txt", "notes/[1].txt", "notes/x/y.txt"]
        with catalog.transaction():
            for number, path in enumerate(paths, 1):
                put(catalog, path, number)

        def selected(*patterns: str) -> list[str]:
            return [document.path for document in catalog.listings.all(Listing(paths=patterns))]

        assert selected("/a/b") == selected("/a/b/") == ["/a/b/c.txt", "/a/b/d.md"]
        assert selected("b/") == ["/a/b/c.txt", "/a/b/d.md"]
        assert selected("*.md") == ["/a/b/d.md"]
        assert selected("/a/*/*.txt") == ["/a/b/c.txt", "/a/bc/e.txt"]
        assert selected("notes/*.txt") == ["notes/[1].txt"]
        assert selected("notes/**/*.txt") == ["notes/[1].txt", "notes/x/y.txt"]
        assert selected("c.txt", "y.txt") == ["/a/b/c.txt", "notes/x/y.txt"]
        assert selected("c.tx") == []

    def test_structure_is_sound(self, catalog: Catalog) -> None:
        with catalog.transaction():
            put(catalog, "a.txt", 1)
        assert catalog.damage() == []
        assert catalog.documents.broken_seals() == []
