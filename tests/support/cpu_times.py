"""A plugin of pytest: `--cpu N` shows the N tests that took the most CPU, those of their processes included.

Wall time says how busy a machine is, CPU time says what a test costs. A process counts where it is waited for, so that
a server shared by a module counts at the end of it.
"""

from __future__ import annotations

import collections
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PROPERTY = "cpu"


def cpu() -> float:
    """Seconds of CPU of this process and of its processes that have ended."""
    return sum(os.times()[:4])


class CpuTimes:
    def __init__(self, shown: int, kept: str | None) -> None:
        self.shown, self.kept = shown, kept
        self.seconds: collections.Counter[str] = collections.Counter()
        self.last = cpu()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        """Each phase (set-up, call, teardown) takes what was used since the phase before it."""
        outcome: Any = yield
        now = cpu()
        outcome.get_result().user_properties.append((PROPERTY, now - self.last))
        self.last = now

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += dict(report.user_properties).get(PROPERTY, 0.0)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        total = sum(self.seconds.values())
        terminalreporter.section(f"{total:.0f} s of CPU in {len(self.seconds)} tests")
        for name, seconds in self.seconds.most_common(self.shown):
            terminalreporter.write_line(f"{seconds:8.2f} s  {name}")
        if self.kept:
            Path(self.kept).write_text(json.dumps(dict(self.seconds.most_common()), indent=0))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cpu times")
    group.addoption("--cpu", type=int, metavar="N", help="show the N tests that took the most CPU")
    group.addoption("--cpu-file", metavar="FILE", help="write the CPU seconds of every test to FILE, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    shown, kept = config.getoption("--cpu"), config.getoption("--cpu-file")
    if shown is not None or kept:
        config.pluginmanager.register(CpuTimes(shown or 0, kept))
