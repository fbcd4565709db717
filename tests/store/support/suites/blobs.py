"""What every blob store must do."""

from __future__ import annotations

import pytest

from rolltop.errors import NotFound
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
