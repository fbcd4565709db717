"""What the store uses."""

from __future__ import annotations

import importlib.util

from mcp_core import Need
from rolltop.settings import Settings

__all__ = ["check"]


def check(settings: Settings) -> list[Need]:
    """The libraries of the store; without Hyperscan grep is slower, without the others there is no store."""
    vital = [
        Need(name, importlib.util.find_spec(name) is not None, fix="pip install rolltop", vital=True)
        for name in ("apsw", "zstandard", "pyfastcdc", "numpy", "re2")
    ]
    scanner = importlib.util.find_spec("hyperscan") is not None
    detail = "" if scanner else "grep runs on RE2 alone, about three times slower"
    return [*vital, Need("hyperscan", scanner, detail=detail, fix="pip install hyperscan")]
