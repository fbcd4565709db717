"""The embedded implementations pass the suites of their seams."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from suites.blobs import BlobStoreSuite
from suites.catalogs import CatalogSuite
from suites.greps import GrepIndexSuite
from suites.texts import TextIndexSuite
from suites.vectors import VectorIndexSuite

from rolltop.store.blobs.packs import PackDirectory
from rolltop.store.catalog import SqliteCatalog
from rolltop.store.grep import SegmentDirectory
from rolltop.store.meaning.vectors import ByteVectors
from rolltop.store.text import KeywordIndex


class TestPackDirectory(BlobStoreSuite):
    @pytest.fixture
    def blobs(self, tmp_path: Path) -> Iterator[PackDirectory]:
        made = PackDirectory(tmp_path / "packs")
        yield made
        made.close()


class TestSqliteCatalog(CatalogSuite):
    @pytest.fixture
    def catalog(self, tmp_path: Path) -> Iterator[SqliteCatalog]:
        made = SqliteCatalog(tmp_path / "catalog.db")
        yield made
        made.close()


class TestKeywordIndex(TextIndexSuite):
    @pytest.fixture
    def text(self, tmp_path: Path) -> Iterator[KeywordIndex]:
        made = KeywordIndex(tmp_path / "text", "store")
        yield made
        made.close()


class TestSegmentDirectory(GrepIndexSuite):
    @pytest.fixture
    def index(self, tmp_path: Path) -> SegmentDirectory:
        return SegmentDirectory(tmp_path / "grep")


class TestByteVectors(VectorIndexSuite):
    @pytest.fixture
    def vectors(self, tmp_path: Path) -> ByteVectors:
        return ByteVectors(tmp_path / "vectors" / "model.vec")

    def test_they_are_there_after_reopening(self, tmp_path: Path) -> None:
        ByteVectors(tmp_path / "v").add([5], [[1, 2, 3]])
        assert [key for key, _ in ByteVectors(tmp_path / "v").nearest([1, 2, 3], 1)] == [5]
