"""Calls of tools that are operations of an HTTP service: its address and secret are the owner's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from rolltop.catalog.live.answer import Answer
from rolltop.catalog.live.secrets import secret_value
from rolltop.catalog.openapi import Operation
from rolltop.errors import ForeignFailure, InvalidInput, SizeLimit

__all__ = ["Service", "call_operation"]

_LARGEST = 10 << 20
_MOST_TEXT = 2000


@dataclass(frozen=True, slots=True)
class Service:
    """Where a package's operations are: `secret` names it in the environment or the keyring."""

    address: str
    secret: str | None = None
    header: str = "Authorization"
    scheme: str = "Bearer"

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise InvalidInput(
                f"{self.address!r} is no address of a service", hint="Such as https://api.example.org/v1"
            )

    def headers(self) -> dict[str, str]:
        if self.secret is None:
            return {}
        return {self.header: f"{self.scheme} {secret_value(self.secret)}".strip()}


def call_operation(service: Service, operation: Operation, arguments: Mapping[str, Any], seconds: float) -> Answer:
    """Ask the service once; it is never followed elsewhere."""
    import httpx2  # noqa: PLC0415 - few catalogs need it

    put: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "header": {}, "field": {}, "body": {}}
    for name, value in arguments.items():
        put[operation.places[name]][name] = value
    path = operation.path
    for name, value in put["path"].items():
        path = path.replace(f"{{{name}}}", quote(_text(value), safe=""))
    if any(part in (".", "..") for part in path.split("/")):
        raise InvalidInput("an argument of the path is . or .., which would lead elsewhere")
    headers = {name: _text(value) for name, value in put["header"].items()} | service.headers()
    bodies: list[Any] = [*put["body"].values(), *([put["field"]] if put["field"] else [])]
    query = {name: _texts(value) for name, value in put["query"].items()}
    try:
        with (
            httpx2.Client(timeout=seconds, follow_redirects=False, trust_env=False) as client,
            client.stream(
                operation.method.upper(),
                service.address.rstrip("/") + path,
                params=query,
                headers=headers,
                json=bodies[0] if bodies else None,
            ) as response,
        ):
            data = bytearray()
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > _LARGEST:
                    raise SizeLimit(f"the service answered with more than {_LARGEST >> 20} MiB")
            status, kind = response.status_code, response.headers.get("content-type", "")
    except httpx2.HTTPError as error:
        raise ForeignFailure(f"the service could not be asked: {type(error).__name__}: {error}") from None
    text = data.decode("utf-8", errors="replace")
    if not 200 <= status < 300:
        raise ForeignFailure(f"the service answered with {status}: {text[:_MOST_TEXT]}", details={"status": status})
    try:
        value = json.loads(text) if "json" in kind else text or None
    except ValueError:
        value = text
    return Answer(value=value, text=text[:_MOST_TEXT])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _texts(value: Any) -> list[str]:
    return [_text(each) for each in (value if isinstance(value, list) else [value])]
