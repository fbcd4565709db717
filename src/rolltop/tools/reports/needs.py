"""What the reports set uses, for `rolltop doctor`."""

from __future__ import annotations

import os

from mcp_core import Need
from rolltop.reports.config import ReportsConfig
from rolltop.reports.installation.parts import look
from rolltop.settings import Settings

__all__ = ["check"]


def check(settings: Settings) -> list[Need]:
    """Vital is what runs the documents' code, R or a container engine; a render says what else it misses."""
    config = ReportsConfig.read(settings.section("reports"))
    parts = look(config, os.environ)
    runs = [part for part in parts if part.name in ("R", "container engine")]
    vital = not any(part.present for part in runs)
    return [Need(part.name, part.present, part.detail, part.fix, vital=vital and part in runs) for part in parts]
