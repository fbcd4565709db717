"""Data files that functions read when they first need them: time zones and locales.

A program in a worker cannot open files. There `bring_with` names who brings them, and `data_file` is what the
other side of the wall reads: the files of zones and locales and nothing else, whatever it is asked for.
"""

from __future__ import annotations

import io
import re
import zoneinfo
from collections.abc import Callable
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["bring_with", "data_file", "zone_named"]

Bring = Callable[[str], bytes | None]

_ZONE = re.compile(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*")
_LOCALE = re.compile(r"[A-Za-z0-9_]+")
_MOST_LOCALES = 40
"""Locales that a worker keeps in memory; some take megabytes."""
_bring: Bring | None = None


def zone_named(name: str) -> zoneinfo.ZoneInfo:
    """The zone of an IANA name; `ZoneInfoNotFoundError`, `ValueError` or `OSError` when there is none."""
    if _bring is None:
        return zoneinfo.ZoneInfo(name)
    data = _bring(f"zone/{name}")
    if data is None:
        raise zoneinfo.ZoneInfoNotFoundError(name)
    return zoneinfo.ZoneInfo.from_file(io.BytesIO(data), key=name)


def data_file(name: str) -> bytes | None:
    """The bytes of `zone/Europe/Amsterdam` or `locale/de_DE`; None for whatever is no zone or locale."""
    kind, _, rest = name.partition("/")
    if kind == "zone" and _ZONE.fullmatch(rest):
        return _zone_bytes(rest)
    if kind == "locale" and _LOCALE.fullmatch(rest):
        return _locale_bytes(rest)
    return None


def _zone_bytes(name: str) -> bytes | None:
    """Where Python looks for zones: the machine's, else those of the package tzdata."""
    for directory in zoneinfo.TZPATH:
        path = Path(directory, name)
        if path.is_file():
            return path.read_bytes()
    if find_spec("tzdata") is None:
        return None
    found = resources.files("tzdata").joinpath("zoneinfo", *name.split("/"))
    return found.read_bytes() if found.is_file() else None


def _locale_bytes(name: str) -> bytes | None:
    spec = find_spec("babel")
    for directory in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = Path(directory, "locale-data", f"{name}.dat")
        if path.is_file():
            return path.read_bytes()
    return None


def bring_with(bring: Bring) -> None:
    """From now on this process has its data files brought. What can be loaded beforehand is loaded now."""
    global _bring  # noqa: PLW0603 - of the whole process, as its walls are
    _bring = bring
    try:
        from babel import core, dates, localedata, numbers, plural  # noqa: F401, PLC0415 - an extra
    except ImportError:
        return
    localedata.locale_identifiers()  # kept by Babel, so that it need not list the directory
    core.get_global("likely_subtags")  # all that is common to the locales

    def open_brought(path: str, _: str) -> io.BytesIO:
        if len(_kept(localedata)) > _MOST_LOCALES:
            _kept(localedata).clear()
        data = bring(f"locale/{Path(path).stem}")
        if data is None:
            raise FileNotFoundError(path)
        return io.BytesIO(data)

    vars(localedata)["open"] = open_brought  # the module's only use of files


def _kept(localedata: Any) -> dict[str, Any]:
    """The locales that Babel has read."""
    kept: dict[str, Any] = localedata._cache  # it offers no other way to bound it
    return kept
