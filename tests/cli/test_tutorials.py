"""The commands in the tutorials do what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from doc_commands import copy_example, run_page

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_works(page: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    copy_example(ROOT / "examples" / "orchard", tmp_path / "orchard")
    run_page(page, tmp_path, environment)
