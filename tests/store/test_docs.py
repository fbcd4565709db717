"""The commands in docs/store.md do what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from doc_commands import run_page

PAGE = Path(__file__).parents[2] / "docs" / "store.md"


def test_the_tour_works(tmp_path: Path, environment: dict[str, str]) -> None:
    run_page(PAGE, tmp_path, environment)


def test_the_library_example_works(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert code is not None
    ran = subprocess.run([sys.executable, "-c", code[1]], cwd=tmp_path, text=True, capture_output=True, check=True)
    assert ran.stdout == "notes/today.md Buy milk body 0.63\nnotes/today.md ['Buy milk']\n"
