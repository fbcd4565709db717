"""The container engine's HTTP API, as much of it as rendering needs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from rolltop.errors import ForeignFailure, PartMissing

__all__ = ["API", "ContainerEngine", "EngineError", "find_engine"]

API = "/v1.41"
"""Docker 20.10 and later, and Podman 4 and later, speak it."""

USUAL_PLACES = (
    "/run/docker.sock",
    "/var/run/docker.sock",
    "{XDG_RUNTIME_DIR}/docker.sock",
    "{HOME}/.docker/run/docker.sock",
    "/run/podman/podman.sock",
    "{XDG_RUNTIME_DIR}/podman/podman.sock",
)


class EngineError(ForeignFailure):
    """The container engine answered with an error, or broke off."""

    code = "container_error"


def find_engine(given: str, env: Mapping[str, str]) -> str:
    """The address of the engine: the setting, `DOCKER_HOST`, else the first usual socket that exists."""
    if host := given or env.get("DOCKER_HOST", ""):
        return host
    for pattern in USUAL_PLACES:
        path = pattern.format_map({"XDG_RUNTIME_DIR": "/nowhere", "HOME": "/nowhere", **env})
        if Path(path).exists():
            return f"unix://{path}"
    return "unix:///run/docker.sock"


class ContainerEngine:
    """One engine at `unix:///path` or `tcp://host:port`."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.building = asyncio.Lock()
        """Held while an image is built, so that two renders do not build it twice."""
        self.socket = host.removeprefix("unix://") if host.startswith("unix://") else None
        if self.socket is None and not host.startswith(("tcp://", "http://")):
            raise PartMissing(
                f"a container engine at {host.partition('://')[0]}:// is not supported",
                hint="Set DOCKER_HOST to unix:///path/to/docker.sock or tcp://host:port.",
            )

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[httpx2.AsyncClient]:
        # A client per conversation: connecting to a socket is cheap, and nothing is tied to one event loop.
        transport = httpx2.AsyncHTTPTransport(uds=self.socket)
        base = "http://engine" if self.socket else self.host.replace("tcp://", "http://")
        async with httpx2.AsyncClient(transport=transport, base_url=base, timeout=httpx2.Timeout(30, read=None)) as it:
            try:
                yield it
            except httpx2.ConnectError:
                raise PartMissing(
                    f"no container engine answers at {self.host}",
                    code="container_engine_missing",
                    hint="Start Docker or Podman, set DOCKER_HOST, or render with renderer=local.",
                ) from None
            except httpx2.HTTPError as error:
                raise EngineError(f"the container engine broke off: {type(error).__name__}") from None

    async def request(self, method: str, path: str, *, ok: tuple[int, ...] = (), **options: Any) -> httpx2.Response:
        async with self._client() as client:
            response = await client.request(method, API + path, **options)
        return _checked(response, ok)

    async def stream(self, method: str, path: str, **options: Any) -> AsyncIterator[Mapping[str, Any]]:
        """The JSON objects that a long operation reports, one by one; an error among them is raised."""
        async with self._client() as client, client.stream(method, API + path, **options) as response:
            if response.status_code >= 400:
                await response.aread()
                _checked(response, ())
            pending = b""
            async for chunk in response.aiter_bytes():
                *lines, pending = (pending + chunk).split(b"\n")
                for event in map(_event, lines):
                    yield event
            if pending:
                yield _event(pending)

    async def ping(self) -> Mapping[str, Any]:
        version: Mapping[str, Any] = (await self.request("GET", "/version")).json()
        return version

    async def image(self, reference: str) -> Mapping[str, Any] | None:
        response = await self.request("GET", f"/images/{reference}/json", ok=(404,))
        return None if response.status_code == 404 else response.json()

    async def import_image(self, reference: str, archive: AsyncIterable[bytes], changes: tuple[str, ...] = ()) -> None:
        repository, _, tag = reference.partition(":")
        query: list[tuple[str, str]] = [("fromSrc", "-"), ("repo", repository), ("tag", tag)]
        query += [("changes", change) for change in changes]
        async for _ in self.stream("POST", "/images/create", params=query, content=archive):
            pass

    async def remove_image(self, reference: str) -> bool:
        response = await self.request("DELETE", f"/images/{reference}", params={"force": "true"}, ok=(404,))
        return response.status_code != 404

    async def create(self, config: Mapping[str, Any]) -> str:
        created = (await self.request("POST", "/containers/create", json=config)).json()
        return str(created["Id"])

    async def start(self, container: str) -> None:
        await self.request("POST", f"/containers/{container}/start", ok=(304,))

    async def wait(self, container: str) -> int:
        return int((await self.request("POST", f"/containers/{container}/wait")).json()["StatusCode"])

    async def inspect(self, container: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = (await self.request("GET", f"/containers/{container}/json")).json()
        return found

    async def remove(self, container: str) -> None:
        """End a container if it runs, and take it away with its storage."""
        await self.request("DELETE", f"/containers/{container}", params={"force": "true", "v": "true"}, ok=(404, 409))

    async def containers(self, label: str) -> list[Mapping[str, Any]]:
        filters = json.dumps({"label": [label]})
        found: list[Mapping[str, Any]] = (
            await self.request("GET", "/containers/json", params={"all": "true", "filters": filters})
        ).json()
        return found


def _checked(response: httpx2.Response, ok: tuple[int, ...]) -> httpx2.Response:
    if response.status_code < 400 or response.status_code in ok:
        return response
    try:
        message = str(response.json()["message"])
    except (ValueError, KeyError, TypeError):
        message = response.text[:200]
    raise EngineError(f"the container engine refused ({response.status_code}): {message}")


def _event(line: bytes) -> Mapping[str, Any]:
    try:
        event = json.loads(line or b"{}")
    except ValueError:
        return {}
    if not isinstance(event, dict):
        return {}
    if "error" in event:
        raise EngineError(f"the container engine reports: {event['error']}")
    return event
