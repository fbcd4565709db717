"""Stop-watches. They belong to the host that runs the program; times are in milliseconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.host import MOST_WATCHES, Stopwatch, host

_LAP = "{ name: String, elapsed: Number, unit: String }"
_STATS = (
    "{ name: String, running: Boolean, count: Integer, total: Number, avg: Number, min: Number, max: Number, "
    "unit: String }"
)


def _running(name: str) -> tuple[Stopwatch, float]:
    """A running stop-watch and the seconds since it was started."""
    watch = host().session.watches.get(name)
    if watch is None or watch.began is None:
        fail(f"no timer {name[:60]!r} is running", hint="Start it with timerStart(name).")
    return watch, host().elapsed() - watch.began


def _lap(name: str, seconds: float) -> dict[str, Any]:
    return {"name": name, "elapsed": seconds * 1000, "unit": "ms"}


@function(
    "timerStart(name: String): String",
    category="date",
    examples=[('timerStart("load")', '"load"')],
    pure=False,
)
def timer_start(name: str) -> str:
    """Starts a stop-watch (anew, when it is running) and returns its name."""
    watches = host().session.watches
    if name not in watches and len(watches) >= MOST_WATCHES:
        fail(f"there are {MOST_WATCHES} timers already", hint="Remove them with timerClear().")
    watches.setdefault(name, Stopwatch()).began = host().elapsed()
    return name


@function(
    f"timerStop(name: String): {_LAP}",
    category="date",
    examples=[('timerStop(timerStart("load")).unit', '"ms"'), ('timerStop("never")', "error: is running")],
    pure=False,
)
def timer_stop(name: str) -> dict[str, Any]:
    """Stops a stop-watch; the time counts in its statistics."""
    watch, seconds = _running(name)
    watch.lap(seconds)
    watch.began = None
    return _lap(name, seconds)


@function(
    f"timerCheck(name: String): {_LAP}",
    category="date",
    examples=[('timerCheck(timerStart("load")).name', '"load"')],
    pure=False,
)
def timer_check(name: str) -> dict[str, Any]:
    """The time on a stop-watch that goes on running."""
    return _lap(name, _running(name)[1])


@function(
    "timerReset(name: String): String",
    category="date",
    examples=[('timerReset(timerStart("load"))', '"load"')],
    pure=False,
)
def timer_reset(name: str) -> str:
    """Sets a stop-watch and its statistics to zero; it stands until started."""
    if name not in host().session.watches:
        fail(f"there is no timer {name[:60]!r}", hint="Start it with timerStart(name).")
    host().session.watches[name] = Stopwatch()
    return name


@function(
    f"timerStats(name: String): {_STATS}",
    category="date",
    examples=[('timerStats(timerStop(timerStart("new")).name).running', "false")],
    pure=False,
)
def timer_stats(name: str) -> dict[str, Any]:
    """How often a stop-watch was stopped, and the sum, average, least and greatest of the times."""
    watch = host().session.watches.get(name)
    if watch is None:
        fail(f"there is no timer {name[:60]!r}", hint="Start it with timerStart(name).")
    return {
        "name": name,
        "running": watch.began is not None,
        "count": watch.laps,
        "total": watch.total * 1000,
        "avg": watch.total / watch.laps * 1000 if watch.laps else 0,
        "min": watch.least * 1000,
        "max": watch.most * 1000,
        "unit": "ms",
    }


@function(
    "timerList(): Array<String>",
    category="date",
    examples=[('contains([timerStart("load"), ...timerList()], "load")', "true")],
    pure=False,
)
def timer_list() -> list[str]:
    """The names of all stop-watches, in the order of their first start."""
    return list(host().session.watches)


@function(
    "timerClear(): String",
    category="date",
    examples=[('endsWith(timerClear(), "cleared")', "true")],
    pure=False,
)
def timer_clear() -> str:
    """Removes all stop-watches and says how many there were."""
    watches = host().session.watches
    count = len(watches)
    watches.clear()
    return f"{count} timer{'' if count == 1 else 's'} cleared"


@function(
    "measure(fn: () => T): { result: T, elapsed: Number, unit: String }",
    category="date",
    examples=[("measure(() => 1 + 1).result", "2")],
    pure=False,
)
def measure(fn: Callable[[], Any]) -> dict[str, Any]:
    """Runs a function and tells its result and how long it took."""
    began = host().elapsed()
    result = fn()
    return {"result": result, "elapsed": (host().elapsed() - began) * 1000, "unit": "ms"}
