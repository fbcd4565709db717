"""Moments on the clocks of a zone.

Python compares two times of one zone by their clocks, and a time that comes twice with nothing. So a value never
carries a zone's rules: its `InZone` has the one offset that holds at that moment, and remembers the zone. Python
then compares, hashes and subtracts moments as moments everywhere. Whoever moves the hands of the clock asks
`on_its_clock` for the moment at which they stand so.
"""

from __future__ import annotations

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

__all__ = ["InZone", "on_its_clock", "placed", "shown_in", "shown_like"]


class InZone(dt.tzinfo):
    """The offset of one moment in a zone."""

    __slots__ = ("delta", "short", "zone")

    def __init__(self, delta: dt.timedelta, short: str, zone: ZoneInfo) -> None:
        self.delta, self.short, self.zone = delta, short, zone

    def utcoffset(self, _: dt.datetime | None) -> dt.timedelta:
        return self.delta

    def dst(self, _: dt.datetime | None) -> None:
        return None

    def tzname(self, _: dt.datetime | None) -> str:
        return self.short

    def fromutc(self, moment: dt.datetime) -> dt.datetime:
        return moment + self.delta

    def __str__(self) -> str:
        return str(self.zone)

    def __reduce__(self) -> tuple[Any, ...]:
        return InZone, (self.delta, self.short, self.zone)


def shown_in(point: dt.datetime, where: dt.tzinfo) -> dt.datetime:
    """A moment as the clocks of a zone show it; `OverflowError` beyond the years 1 to 9999."""
    local = point.astimezone(where)
    if not isinstance(where, ZoneInfo):
        return local
    delta = local.utcoffset() or dt.timedelta()
    return local.replace(tzinfo=InZone(delta, local.tzname() or "", where), fold=0)


def shown_like(point: dt.datetime, other: dt.datetime) -> dt.datetime:
    """A moment on the clocks that another one is shown by."""
    zone = other.tzinfo
    return shown_in(point, zone.zone if isinstance(zone, InZone) else zone or dt.UTC)


def placed(
    reading: dt.datetime, where: dt.tzinfo, *, near: dt.timedelta | None = None, later: bool = False
) -> dt.datetime:
    """The moment at which the clocks of a zone show a local reading.

    A reading that comes twice is the earlier moment, or the `later`, or the one whose offset is `near`. One that
    clocks skip as they go forward stands for as much later as they go.
    """
    if not isinstance(where, ZoneInfo):
        return reading.replace(tzinfo=where)
    first, second = (reading.replace(tzinfo=where, fold=fold) for fold in (0, 1))
    before, after = first.utcoffset() or dt.timedelta(), second.utcoffset() or dt.timedelta()
    twice = after < before
    return shown_in((second if twice and (later or near == after) else first).astimezone(dt.UTC), where)


def on_its_clock(start: dt.datetime, reading: dt.datetime, *, later: bool | None = None) -> dt.datetime:
    """The moment at which the clock of a value shows a local reading; its own offset counts where that comes twice."""
    if not isinstance(start.tzinfo, InZone):
        return reading.replace(tzinfo=start.tzinfo)
    near = start.tzinfo.delta if later is None else None
    return placed(reading, start.tzinfo.zone, near=near, later=bool(later))
