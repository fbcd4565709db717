"""`Service`: asks a warm worker to do a job, and gives its limits the codes that callers know."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson

from rolltop.confine import WorkerPool
from rolltop.errors import InvalidInput, LimitExceeded, MemoryLimit, TimeLimit
from rolltop.transform.service.config import ServiceConfig
from rolltop.transform.service.failures import EXECUTION_ERROR, TIMEOUT

__all__ = ["Service"]

_JOB = "rolltop.transform.service.jobs:answer"


class Service:
    """Validates, infers, describes and executes in processes that can be lost."""

    def __init__(self, config: ServiceConfig | None = None) -> None:
        self.config = config or ServiceConfig()
        self.pool = WorkerPool(
            [_JOB],
            size=self.config.workers,
            memory=self.config.memory,
            timeout=self.config.timeout,
            user=self.config.user,
        )
        self._warm = False

    async def ask(self, job: str, **arguments: Any) -> Any:
        """The answer of a job; raises what it raised, limits as `TIMEOUT` and `EXECUTION_ERROR`."""
        payload = _packed(job, arguments)
        if not self._warm:
            # The first worker takes a while to start; the loop goes on in the meantime.
            await asyncio.to_thread(self.pool.warm_up)
            self._warm = True
        try:
            return orjson.loads(await self.pool.call_async(payload))
        except LimitExceeded as error:
            raise self._coded(error) from None

    def ask_blocking(self, job: str, **arguments: Any) -> Any:
        """`ask` for threads."""
        try:
            return orjson.loads(self.pool.call(_packed(job, arguments)))
        except LimitExceeded as error:
            raise self._coded(error) from None

    def _coded(self, error: LimitExceeded) -> LimitExceeded:
        code = TIMEOUT if isinstance(error, TimeLimit) else EXECUTION_ERROR
        details: dict[str, Any] = {**error.details}
        if isinstance(error, TimeLimit):
            details["executionTime"] = round(self.config.timeout * 1000)
        elif isinstance(error, MemoryLimit):
            details["maxMemoryMb"] = self.config.memory >> 20
        return type(error)(error.message, code=code, hint=error.hint, details=details)

    def close(self) -> None:
        """End the workers."""
        self.pool.close()


def _packed(job: str, arguments: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps({"job": job, "arguments": arguments})
    except (TypeError, orjson.JSONEncodeError):
        raise InvalidInput("an argument is not valid Unicode text or nests too deeply") from None
