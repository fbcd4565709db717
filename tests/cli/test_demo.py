"""The tour ends by itself, and leaves nothing behind."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path


def test_the_tour_ends_well(rolltop: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path) -> None:
    out = rolltop("demo", TMPDIR=str(tmp_path))
    assert out.returncode == 0, out.stdout + out.stderr
    assert "Next: rolltop connect" in out.stdout
    for name in ("store", "reports", "catalog", "guide", "example", "desk"):
        assert f"── {name} ──" in out.stdout
    assert not list(tmp_path.glob("rolltop-demo-*"))
    assert not (tmp_path / "home" / ".config").exists()
