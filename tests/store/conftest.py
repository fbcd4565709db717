"""Libraries to test with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rolltop.store import Library
from rolltop.store.meaning import meaning


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search embeds what is new for a tenth of a second, in which a busy machine may not get far."""
    monkeypatch.setattr(meaning, "WHILE_A_SEARCH_WAITS", 60.0)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    opened = Library(tmp_path / "store")
    yield opened
    opened.close()
