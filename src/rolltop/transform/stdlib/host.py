"""What the stop-watches and the log functions of one host remember, within limits."""

from __future__ import annotations

import datetime as dt
import os
import random
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from rolltop.transform.errors import FunctionFailure
from rolltop.transform.stdlib.trust import is_trusted

__all__ = ["LEVELS", "Host", "Session", "Stopwatch", "forget_notes", "host", "installed", "of_one_run"]

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR")
MOST_ENTRIES = 10_000
MOST_WATCHES = 1_000
MOST_SEEN = 200


@dataclass(slots=True)
class Stopwatch:
    """Laps in seconds; `began` is None while it stands."""

    began: float | None = None
    laps: int = 0
    total: float = 0.0
    least: float = 0.0
    most: float = 0.0

    def lap(self, seconds: float) -> None:
        self.least = seconds if not self.laps else min(self.least, seconds)
        self.most = max(self.most, seconds)
        self.total += seconds
        self.laps += 1


@dataclass(slots=True)
class Session:
    """Mutable state that belongs to a host, not to the process; the oldest log entries go first."""

    watches: dict[str, Stopwatch] = field(default_factory=dict)
    entries: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=MOST_ENTRIES))
    seen: list[dict[str, str]] = field(default_factory=list)
    """The first messages of every level, for whoever looks at the run from outside."""
    level: str = "INFO"
    forward: bool = True
    """Whether log entries also go to the host's log, besides being kept."""
    of_one_run: bool = False
    """Whether it ends with the run that it was made for."""


def _utc_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _log(level: str, message: str) -> None:
    import logging  # noqa: PLC0415 - most programs log nothing, and starting counts

    log = logging.getLogger("rolltop.transform.program")
    log.log(logging.getLevelNamesMapping().get(level.upper(), logging.INFO), "%s", message)


@dataclass(frozen=True, slots=True)
class Host:
    """What a running program may ask of the machine. `None` for a mapping means: not allowed."""

    now: Callable[[], dt.datetime] = _utc_now
    """The current instant, aware, in UTC."""
    local_zone: dt.tzinfo = dt.UTC
    """The zone that zone-less functions (`today`, `currentDate`) use."""
    random: random.Random = field(default_factory=random.SystemRandom)
    environment: Mapping[str, str] | None = field(default_factory=lambda: os.environ)
    log: Callable[[str, str], None] = _log
    """Called with a level and a message by the logging and tracing functions; never prints."""
    elapsed: Callable[[], float] = time.perf_counter
    """Seconds on a clock that never goes back; for stop-watches."""
    fetch: Callable[[str], bytes] | None = None
    """Gets what a URL names; None, the default, means that programs may not."""
    session: Session = field(default_factory=Session)
    """Stop-watches and kept log entries; `fresh` starts without any."""

    @classmethod
    def sealed(cls) -> Host:
        """For untrusted programs: clock and randomness yes, environment and system properties no."""
        return cls(environment=None)

    @classmethod
    def fixed(cls, moment: dt.datetime, seed: int = 0) -> Host:
        """For tests: the clock stands still and randomness repeats."""
        return cls(now=lambda: moment, random=random.Random(seed), environment={}, elapsed=lambda: 0.0)  # noqa: S311

    def fresh(self) -> Host:
        """The same services without what earlier programs timed and logged."""
        return replace(self, session=Session())

    def uuid4(self) -> str:
        import uuid  # noqa: PLC0415 - as above

        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def variable(self, name: str) -> str | None:
        """An environment variable, or a refusal when the environment is sealed."""
        return self.variables().get(name)

    def variables(self) -> Mapping[str, str]:
        if self.environment is None:
            raise FunctionFailure(
                "this program may not read the environment",
                hint="Pass the value as an input, or run the program with environment access.",
            )
        return self.environment

    def properties(self) -> dict[str, str]:
        """A few facts about the machine under names that programs know from elsewhere."""
        import platform  # noqa: PLC0415 - as above
        import tempfile  # noqa: PLC0415 - as above

        self.variables()
        return {
            "os.name": platform.system(),
            "os.version": platform.release(),
            "os.arch": platform.machine(),
            "user.dir": os.getcwd(),
            "user.home": os.path.expanduser("~"),
            "user.name": self.variables().get("USER", ""),
            "java.io.tmpdir": tempfile.gettempdir(),
            "file.separator": os.sep,
            "path.separator": os.pathsep,
            "line.separator": os.linesep,
        }


_SEALED, _OPEN = Host.sealed(), Host()
_installed: ContextVar[Host | None] = ContextVar("rolltop_transform_host", default=None)


def host() -> Host:
    """The host of the current context."""
    return _installed.get() or (_OPEN if is_trusted() else _SEALED)


@contextmanager
def of_one_run() -> Iterator[None]:
    """Run the block with logs and stop-watches of its own, unless a host is installed: that one keeps them."""
    if _installed.get() is not None:
        yield
        return
    token = _installed.set(replace(host(), session=Session(of_one_run=True)))
    try:
        yield
    finally:
        _installed.reset(token)


def forget_notes() -> None:
    """A run begins once more, by another engine: what the first attempt logged and timed is not part of it."""
    services = _installed.get()
    if services is not None and services.session.of_one_run:
        _installed.set(replace(services, session=Session(of_one_run=True)))


@contextmanager
def installed(services: Host) -> Iterator[Host]:
    """Run the block with other host services."""
    token = _installed.set(services)
    try:
        yield services
    finally:
        _installed.reset(token)
