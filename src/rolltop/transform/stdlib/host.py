"""The one place through which programs reach the host: clock, randomness, environment, log.

A sandbox installs `Host.sealed()`, a test a fixed one; functions ask `host()` each time they are
called. The installed host belongs to the current context (thread, task), so two programs that run
at once do not see each other's. Where none was installed programs run sealed: they have clock and
randomness, but the environment only when the caller opens it, with `installed(Host())` or `trusted()`;
what they log and time is then seen by no other run.
"""

from __future__ import annotations

import datetime as dt
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from rolltop.transform.errors import FunctionFailure
from rolltop.transform.stdlib._session import Session
from rolltop.transform.stdlib.trust import is_trusted

__all__ = ["Host", "forget_notes", "host", "installed", "of_one_run"]


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
