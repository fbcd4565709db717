"""Libraries to test with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rolltop.store import Library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    opened = Library(tmp_path / "store")
    yield opened
    opened.close()
