"""What a command does not need is not loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from pathlib import Path
from rolltop.store import Library
with Library(Path(sys.argv[1])) as library:
    library.documents.add_text("notes/today.md", "Buy milk", tags=["errand"])
    assert library.documents.get("today.md").tags == ("errand",)
    assert library.documents.page().total == 1
loaded = {"numpy", "tantivy", "asyncio", "rolltop.confine.program"} & set(sys.modules)
assert not loaded, loaded
"""


def test_keeping_and_listing_load_nothing_that_searching_needs(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], check=True, timeout=60)
