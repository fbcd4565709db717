"""What the reports set uses, for `rolltop doctor`."""

from __future__ import annotations

import os

from mcp_core import Need
from rolltop.reports.config import ReportsConfig
from rolltop.reports.parts import look
from rolltop.settings import Settings

__all__ = ["check"]


def check(settings: Settings) -> list[Need]:
    """Nothing is vital: documents can be written everywhere, and a render says what it misses."""
    config = ReportsConfig.read(settings.section("reports"))
    return [Need(part.name, part.present, part.detail, part.fix) for part in look(config, os.environ)]
