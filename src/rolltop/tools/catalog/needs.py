"""What the catalog uses of the machine."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from mcp_core import Need
from rolltop.catalog.library import r_libraries

__all__ = ["check"]


def check(settings: Any) -> list[Need]:
    """Nothing is vital: definitions are built and read without R; calls and examples need it."""
    has_jsonlite = any((library / "jsonlite").is_dir() for library in r_libraries())
    return [
        Need("R", shutil.which("R") is not None, "calls R tools, runs R examples", "apt-get install r-base-core"),
        Need("R package jsonlite", has_jsonlite, "speaks with R", "apt-get install r-cran-jsonlite"),
        Need("bubblewrap", _has_bubblewrap(), "the sandbox for package code", "apt-get install bubblewrap"),
    ]


def _has_bubblewrap() -> bool:
    return any(Path(place, "bwrap").exists() for place in ("/usr/bin", "/usr/local/bin", "/bin"))
