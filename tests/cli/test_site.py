"""The documentation builds as a site: with every page, with links that work, without the network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_site_is_whole_and_needs_no_network(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    pages = {path.relative_to(tmp_path / "site") for path in (tmp_path / "site").rglob("*.html")}
    sources = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    assert sources <= pages
    text = "".join(path.read_text("utf-8") for path in (tmp_path / "site").rglob("*.html"))
    assert re.findall(r"<(?:script|img|link)[^>]+(?:src|href)=\"?https?:", text) == []
    assert "Topaz" in (tmp_path / "site" / "search" / "search_index.js").read_text("utf-8")
