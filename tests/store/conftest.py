"""Libraries to test with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rolltop.store import Library
from rolltop.store import meaning as meanings
from rolltop.store.meaning import meaning


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search embeds what is new for a tenth of a second, in which a busy machine may not get far."""
    monkeypatch.setattr(meaning, "WHILE_A_SEARCH_WAITS", 60.0)


@pytest.fixture(autouse=True)
def _quick_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the models that `auto` stands for, only the quickest; `test_auto_model.py` tests the others."""
    monkeypatch.setattr(meanings, "models_of", lambda choice: ("wordllama",) if choice == "auto" else (choice,))


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    opened = Library(tmp_path / "store")
    yield opened
    opened.close()
