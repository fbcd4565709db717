"""What every blob store must do."""

from __future__ import annotations

import pytest

from rolltop.errors import NotFound
from rolltop.store.blobs.commit_mark import Reach
from rolltop.store.records import Place
from rolltop.store.seams import BlobStore


class BlobStoreSuite:
    def test_what_was_appended_is_read_back(self, blobs: BlobStore) -> None:
        blobs.resume(1, 0)
        places = [blobs.append(bytes([number]) * (number + 1)) for number in range(20)]
        blobs.sync()
        for number, place in enumerate(places):
            assert blobs.read(place) == bytes([number]) * (number + 1)

    def test_places_follow_each_other(self, blobs: BlobStore) -> None:
        blobs.resume(1, 0)
        first, second = blobs.append(b"abc"), blobs.append(b"de")
        assert (first, second) == (Place(1, 0, 3), Place(1, 3, 2))
        assert blobs.position() == (1, 5)

    def test_resuming_drops_what_was_never_acknowledged(self, blobs: BlobStore) -> None:
        blobs.resume(1, 0)
        blobs.append(b"kept")
        blobs.append(b"lost")
        blobs.sync()
        blobs.resume(1, 4)
        assert blobs.append(b"new!") == Place(1, 4, 4)
        blobs.sync()
        assert blobs.packs() == {1: 8}
        assert blobs.read(Place(1, 0, 8)) == b"keptnew!"

    def test_packs_are_listed_and_removed(self, blobs: BlobStore) -> None:
        blobs.resume(1, 0)
        blobs.append(b"one")
        blobs.sync()
        blobs.resume(2, 0)
        blobs.append(b"second")
        blobs.sync()
        assert blobs.packs() == {1: 3, 2: 6}
        blobs.remove(1)
        assert blobs.packs() == {2: 6}
        with pytest.raises(NotFound):
            blobs.read(Place(1, 0, 3))

    def test_mended_bytes_replace_damaged_ones(self, blobs: BlobStore) -> None:
        blobs.resume(1, 0)
        place = blobs.append(b"dxmaged")
        blobs.sync()
        blobs.overwrite(place, b"damaged")
        assert blobs.read(place) == b"damaged"

    def test_a_pack_is_cut_to_a_length(self, blobs: BlobStore) -> None:
        blobs.resume(1, 0)
        blobs.append(b"123456")
        blobs.sync()
        blobs.truncate(1, 2)
        assert blobs.packs() == {1: 2}

    def test_what_the_catalogue_has_reached_is_noted(self, blobs: BlobStore) -> None:
        assert blobs.acknowledged() is None
        first, later = Reach("ab" * 16, 0, 1, 0), Reach("ab" * 16, 7, 2, 300)
        blobs.begin(first)
        assert blobs.acknowledged() == first
        blobs.acknowledge(later)
        assert blobs.acknowledged() == later

    def test_bytes_that_nobody_knows_are_set_aside(self, blobs: BlobStore) -> None:
        blobs.resume(1, 0)
        blobs.append(b"known")
        blobs.append(b"unknown")
        blobs.sync()
        blobs.resume(2, 0)
        blobs.append(b"all of it")
        blobs.sync()
        names = {blobs.set_aside(1, 5), blobs.set_aside(2, 0)}
        assert len(names) == 2
        assert blobs.packs() == {1: 5}
        assert blobs.read(Place(1, 0, 5)) == b"known"
