"""`Service`: has a job done by a warm worker or a daemon, and gives limits the codes that callers know."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from rolltop.confine import WorkerPool
from rolltop.errors import ForeignFailure, InvalidInput, LimitExceeded, MemoryLimit, RolltopError, TimeLimit
from rolltop.transform.examples import Example, Finder, Wanted
from rolltop.transform.examples.kept import build_finder
from rolltop.transform.service.config import ServiceConfig
from rolltop.transform.service.failures import EXECUTION_ERROR, TIMEOUT
from rolltop.transform.service.remote import DaemonClient
from rolltop.transform.stdlib.catalog import Entry, own_entries, registry_entries
from rolltop.transform.stdlib.search import Index
from rolltop.transform.stdlib.zone_files import data_file

__all__ = ["Service"]

_JOB = "rolltop.transform.service.jobs:answer"


class Service:
    """Validates, infers, describes and executes in processes that can be lost."""

    def __init__(self, config: ServiceConfig | None = None) -> None:
        self.config = config or ServiceConfig()
        url = self.config.daemon_url
        timeout, retries, token = self.config.daemon_timeout, self.config.daemon_retries, self.config.daemon_token
        self.daemon = DaemonClient(url, timeout, retries, token) if url else None
        self._warm = False
        self._starting, self._indexing = threading.Lock(), threading.Lock()
        self._finder: Finder | None = None
        self._functions: Index | None = None

    @cached_property
    def pool(self) -> WorkerPool:
        config = self.config
        return WorkerPool(
            [_JOB],
            size=config.workers,
            memory=config.memory,
            timeout=config.timeout,
            user=config.user,
            library=data_file,
        )

    @cached_property
    def fingerprint(self) -> str:
        """Tells this engine from another one: its code, and the settings that change answers."""
        code = sorted(Path(__file__).parents[1].rglob("*.py"))
        stamps = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in code]
        limits = (self.config.memory, self.config.timeout)
        return hashlib.sha256(repr((stamps, limits)).encode()).hexdigest()

    async def ask(self, job: str, **arguments: Any) -> Any:
        """The answer of a job; raises what it raised, limits as `TIMEOUT` and `EXECUTION_ERROR`."""
        payload = _packed(job, arguments)
        if self.daemon is not None:
            return await asyncio.to_thread(self.daemon.ask, job, arguments)
        if not self._warm:
            # The first worker takes a while to start; the loop goes on in the meantime.
            await asyncio.to_thread(self.warm_up)
        try:
            return orjson.loads(await self.pool.call_async(payload))
        except (LimitExceeded, ForeignFailure) as error:
            raise self._coded(error) from None

    def ask_blocking(self, job: str, **arguments: Any) -> Any:
        """`ask` for threads."""
        payload = _packed(job, arguments)
        if self.daemon is not None:
            return self.daemon.ask(job, arguments)
        try:
            return orjson.loads(self.pool.call(payload))
        except (LimitExceeded, ForeignFailure) as error:
            raise self._coded(error) from None

    def warm_up(self) -> None:
        """Have a worker ready."""
        with self._starting:
            if not self._warm:
                self.pool.warm_up()
                self._warm = True

    def examples(self, wanted: Wanted) -> list[tuple[Example, float]]:
        """Examples that are like what is wanted, best first; read and indexed at the first call."""
        config = self.config
        with self._indexing:
            if self._finder is None:
                self._finder = build_finder(config.suite, config.index_path, rebuild=config.rebuild_on_startup)
        return self._finder.find(wanted)

    def functions(self, query: str, category: str | None = None) -> list[Entry]:
        """Functions that a query means, best first: our own, and those of a registry that we do not have."""
        with self._indexing:
            if self._functions is None:
                path = self.config.registry
                self._functions = Index([*own_entries(), *(registry_entries(path) if path else [])])
        return self._functions.find(query, category)

    def _coded(self, error: LimitExceeded | ForeignFailure) -> RolltopError:
        if type(error) is ForeignFailure:
            # What allocates in C ends the process when there is no more: nothing else in a worker does.
            limit = self.config.memory >> 20
            error = MemoryLimit(
                f"the run needed more than its {limit} MB of memory and was ended",
                hint="Put out less, or raise tools.execute_transformation.max_memory_mb.",
            )
        code = TIMEOUT if isinstance(error, TimeLimit) else EXECUTION_ERROR
        details: dict[str, Any] = {**error.details}
        if isinstance(error, TimeLimit):
            details["executionTime"] = round(self.config.timeout * 1000)
        elif isinstance(error, MemoryLimit):
            details["maxMemoryMb"] = self.config.memory >> 20
        return type(error)(error.message, code=code, hint=error.hint, details=details)

    def close(self) -> None:
        """End the workers, if any were started."""
        pool = self.__dict__.pop("pool", None)
        if pool is not None:
            pool.close()


def _packed(job: str, arguments: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps({"job": job, "arguments": arguments})
    except (TypeError, orjson.JSONEncodeError):
        raise InvalidInput("an argument is not valid Unicode text or nests too deeply") from None
