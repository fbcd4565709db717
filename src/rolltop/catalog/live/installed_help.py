"""The help of installed R packages, read by R in the sandbox. No package is loaded: pages are data."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any

from rolltop.catalog.library import FileStamp, file_stamp, r_libraries
from rolltop.catalog.live.origin import library_sandbox
from rolltop.catalog.rlang.foreign import HelpPage
from rolltop.confine import Limits, RWorker
from rolltop.errors import RolltopError

__all__ = ["InstalledHelp"]

logger = logging.getLogger("rolltop.catalog")

_SCRIPT = "/run/rolltop/catalog/help.R"
_SECONDS = 30.0
_MOST_PAGES = 1000

_Key = tuple[Path, FileStamp, str]
_pages: dict[_Key, HelpPage | None] = {}
"""Pages that were read, by the package's index, its time and the topic: starting R for each look would take seconds."""


class InstalledHelp:
    """Finds pages by package and topic. R is started for the first one that is not known yet; `with` ends it."""

    def __init__(self) -> None:
        self._worker: RWorker | None = None
        self._has_failed = False

    def __call__(self, package: str, topic: str) -> HelpPage | None:
        index = _index_of(package)
        stamp = file_stamp(index) if index else None
        if index is None or stamp is None:
            return None
        key = (index, stamp, topic)
        if key not in _pages and not self._has_failed:
            self._read(key, package)
        return _pages.get(key)

    def _read(self, key: _Key, package: str) -> None:
        try:
            answer = self._running().call(
                "function(...) .rolltop_help(...)", {"package": package, "topic": key[2]}, timeout=_SECONDS
            )
        except RolltopError as error:
            # Without R, or without a sandbox for it, the sources are read all the same.
            self._has_failed = True
            logger.warning("the help of the R package %s cannot be read: %s", package, error)
            return
        if len(_pages) >= _MOST_PAGES:
            _pages.clear()
        _pages[key] = _page(answer.value)

    def _running(self) -> RWorker:
        if self._worker is None:
            script = resources.files("rolltop.catalog.live").joinpath("help.R").read_bytes()
            sandbox = library_sandbox(Limits(seconds=_SECONDS), {_SCRIPT: script})
            self._worker = RWorker(sandbox, files=[_SCRIPT])
        return self._worker

    def __enter__(self) -> InstalledHelp:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._worker is not None:
            self._worker.close()


def _index_of(package: str) -> Path | None:
    """The list of a package's topics, which every installed package with help has."""
    places = (library / package / "help" / "aliases.rds" for library in r_libraries())
    return next((place for place in places if place.is_file()), None)


def _page(value: Any) -> HelpPage | None:
    if not isinstance(value, Mapping):
        return None
    arguments = [item for item in value.get("arguments") or () if isinstance(item, Mapping)]
    return HelpPage(
        tuple((str(item.get("names") or ""), str(item.get("text") or "")) for item in arguments),
        *(str(value.get(part) or "") for part in ("title", "description", "value", "examples")),
    )
