"""A daemon that does the jobs: asked over HTTP, again when it cannot be reached."""

from __future__ import annotations

import http.client
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import orjson

from rolltop.errors import InvalidData, PartMissing, RolltopError, TimeLimit
from rolltop.transform.service.failures import TIMEOUT
from rolltop.transform.service.wire import request_for

__all__ = ["DAEMON_CONNECTION_ERROR", "DaemonClient"]

DAEMON_CONNECTION_ERROR = "DAEMON_CONNECTION_ERROR"
_PAUSE = 0.1
"""Seconds before the first retry; each further pause is twice as long."""
_LARGEST = 256 << 20
UNAUTHORIZED = 401


class DaemonClient:
    """Keeps no connection: a daemon that was restarted is simply reached again."""

    def __init__(self, url: str, timeout: float, retries: int, token: str | None = None) -> None:
        self.url, self.timeout, self.retries = url, timeout, retries
        self._authorization = {"Authorization": f"Bearer {token}"} if token else {}
        self.parts = urlsplit(url)

    def ask(self, job: str, arguments: Mapping[str, Any]) -> Any:
        """The job's answer; `DAEMON_CONNECTION_ERROR` when no daemon answers, `TIMEOUT` when it takes too long."""
        path, body = request_for(job, arguments)
        payload = orjson.dumps(body)
        for attempt in range(self.retries + 1):
            try:
                return self._answer(self._post(path, payload))
            except TimeoutError:
                raise TimeLimit(
                    f"the daemon did not answer within {self.timeout:g} s",
                    code=TIMEOUT,
                    details={"executionTime": round(self.timeout * 1000)},
                ) from None
            except (OSError, http.client.HTTPException) as error:
                if attempt == self.retries:
                    raise self._unreachable(error) from None
                # Jobs change nothing, so asking again is always safe.
                time.sleep(_PAUSE * 2**attempt)
        raise AssertionError("the loop returns or raises")

    def _post(self, path: str, payload: bytes) -> bytes:
        kind = http.client.HTTPSConnection if self.parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(self.parts.hostname or "", self.parts.port, timeout=self.timeout)
        try:
            headers = {"Content-Type": "application/json", **self._authorization}
            connection.request("POST", self.parts.path.rstrip("/") + path, payload, headers)
            response = connection.getresponse()
            if response.status == UNAUTHORIZED:
                raise PartMissing(
                    "the daemon refuses the token",
                    code=DAEMON_CONNECTION_ERROR,
                    hint="Set UTLX_DAEMON_TOKEN to the token that the daemon was started with.",
                )
            return response.read(_LARGEST)
        finally:
            connection.close()

    def _answer(self, body: bytes) -> Any:
        try:
            answer = orjson.loads(body)
            if answer["success"]:
                return answer["data"]
            error = answer["error"]
            raise _failure(error)
        except (ValueError, KeyError, TypeError):
            raise self._unreachable("it answers something else than a daemon does") from None

    def _unreachable(self, reason: object) -> PartMissing:
        return PartMissing(
            f"the daemon at {self.parts.scheme}://{self.parts.netloc.rpartition('@')[2]} cannot be reached: {reason}",
            code=DAEMON_CONNECTION_ERROR,
            hint="Start it with `rolltop daemon`, or unset UTLX_DAEMON_URL.",
        )


def _failure(error: Mapping[str, Any]) -> RolltopError:
    details = dict(error.get("details") or {})
    hint = details.pop("hint", None)
    return InvalidData(str(error["message"]), code=str(error["code"]), hint=hint, details=details)
