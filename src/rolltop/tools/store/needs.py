"""What the store uses."""

from __future__ import annotations

import importlib.util

from mcp_core import Need
from rolltop.base.installation import add_extra, add_package, reinstall
from rolltop.errors import RolltopError
from rolltop.settings import Settings

__all__ = ["check"]


def check(settings: Settings) -> list[Need]:
    """The libraries of the store. Without Hyperscan grep is slower, and without the extras meaning is not searched and
    code is read less exactly; without the others there is no store."""
    vital = [
        Need(name, importlib.util.find_spec(name) is not None, fix=reinstall(), vital=True)
        for name in ("apsw", "pyfastcdc", "numpy", "pypdfium2", "re2", "tantivy")
    ]
    scanner = importlib.util.find_spec("hyperscan") is not None
    detail = "" if scanner else "grep runs on RE2 alone, about three times slower"
    return [
        *vital,
        Need("hyperscan", scanner, detail=detail, fix=add_package("hyperscan")),
        _tree_sitter(),
        _model(settings),
    ]


_USUAL = "auto", "wordllama"
_COMES_ALONG = "wordllama"


def _tree_sitter() -> Need:
    present = importlib.util.find_spec("tree_sitter") is not None
    without = "names and imports in code are told by their lines, calls are not known"
    return Need("tree_sitter", present, detail="" if present else without, fix=add_extra("extract"))


def _model(settings: Settings) -> Need:
    """The model of the search by meaning; without it the words alone are searched."""
    choice = str(settings.section("store").get("model", _USUAL[0]))
    if choice in _USUAL and importlib.util.find_spec(_COMES_ALONG) is not None:
        return Need(f"model {choice}", True)  # asked at every start: no reason to load the store for it
    from rolltop.store import NONE, find_model, models_of  # noqa: PLC0415 - brings numpy

    if choice == NONE:
        return Need("model", True, detail="none: search by meaning is switched off")
    try:
        found = find_model(models_of(choice)[0])
    except RolltopError as error:
        return Need(f"model {choice}", False, detail=error.message, fix=error.hint or "")
    return Need(
        f"model {choice}", not found.missing, detail=found.missing and "meaning is not searched", fix=found.missing
    )
