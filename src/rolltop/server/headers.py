"""HTTP connections that say what they want within a time: half a request holds no connection for ever."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["protocol_within"]


def protocol_within(seconds: float) -> type[asyncio.Protocol]:
    """uvicorn's protocol, which ends a connection whose headers take longer. (What comes after them is the
    application's to wait for, and an idle connection has a limit of its own.)"""

    class Within(HttpToolsProtocol):
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait()

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._wait()

        def on_headers_complete(self) -> None:
            self._stop()
            super().on_headers_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _wait(self) -> None:
            self._stop()
            self._late = self.loop.call_later(seconds, self.transport.abort)

        def _stop(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Within
