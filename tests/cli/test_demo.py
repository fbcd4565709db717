"""The tour ends by itself, and leaves nothing behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conditions import wait_until

from rolltop.cli.demo import TOUR
from rolltop.server.toolsets import discover


def test_the_tour_ends_well(rolltop: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path) -> None:
    out = rolltop("demo", TMPDIR=str(tmp_path))
    assert out.returncode == 0, out.stdout + out.stderr
    assert "Next: rolltop connect" in out.stdout
    for name in TOUR:
        assert f"── {name} ──" in out.stdout
    assert out.stdout.count("[image/png image, ") == 2
    assert "null" not in out.stdout
    assert not list(tmp_path.glob("rolltop-demo-*"))
    assert not (tmp_path / "home" / ".config").exists()


@pytest.mark.parametrize("lines", [0, 5])
def test_a_tour_that_is_ended_leaves_nothing_behind(environment: dict[str, str], tmp_path: Path, lines: int) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    command = [sys.executable, "-m", "rolltop", "demo", "--toolsets", "store"]
    with subprocess.Popen(command, env={**environment, "TMPDIR": str(place)}, stdout=subprocess.PIPE) as tour:
        wait_until(lambda: list(place.glob("rolltop-demo-*/workspace")))
        assert tour.stdout is not None
        for _ in range(lines):  # the signal comes while something else is going on
            tour.stdout.readline()
        tour.send_signal(signal.SIGTERM)
        tour.communicate(timeout=120)
        # Once it tells something it may also have come to its end.
        assert tour.returncode in {128 + signal.SIGTERM} | ({0} if lines else set())
    assert not list(place.glob("rolltop-demo-*"))


def test_the_tour_has_every_tool_set() -> None:
    assert {each.name for each in discover()[0] if not each.hidden or each.name == "example"} <= set(TOUR)
