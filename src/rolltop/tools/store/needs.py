"""What the store uses."""

from __future__ import annotations

import importlib.util

from mcp_core import Need
from rolltop.errors import RolltopError
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
    return [*vital, Need("hyperscan", scanner, detail=detail, fix="pip install hyperscan"), _model(settings)]


def _model(settings: Settings) -> Need:
    """The model of the search by meaning; without it the words alone are searched."""
    from rolltop.store.meaning import DEFAULT, NONE, find_model  # noqa: PLC0415 - brings numpy

    choice = str(settings.section("store").get("model", DEFAULT))
    if choice == NONE:
        return Need("model", True, detail="none: search by meaning is switched off")
    try:
        found = find_model(choice)
    except RolltopError as error:
        return Need(f"model {choice}", False, detail=error.message, fix=error.hint or "")
    return Need(
        f"model {choice}", not found.missing, detail=found.missing and "meaning is not searched", fix=found.missing
    )
