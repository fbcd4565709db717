"""What a reverse proxy says about a request, believed only if it comes from a proxy that the settings name."""

from __future__ import annotations

import ipaddress
from collections.abc import MutableMapping, Sequence
from typing import Any

from rolltop.errors import InvalidInput

__all__ = ["TrustedProxies"]

_FORWARDED = (b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"forwarded")
_SCHEMES = {b"http": "http", b"https": "https"}

Scope = MutableMapping[str, Any]


class TrustedProxies:
    """Rewrites client, scheme and host of requests from these addresses and networks.

    A proxy appends to these headers, and what stands before its own value came from outside: the last one counts.
    """

    def __init__(self, addresses: Sequence[str]) -> None:
        try:
            self._networks = [ipaddress.ip_network(each, strict=False) for each in addresses]
        except ValueError as error:
            raise InvalidInput(
                f"the setting trusted_proxies is not valid: {error}", hint="As in 10.0.0.7 or 10.0.0.0/24."
            ) from None

    def apply(self, scope: Scope) -> None:
        """Change the scope to what the proxy saw; without a proxy drop what the request claims."""
        given = dict(scope["headers"])
        said = {name: given[name] for name in _FORWARDED if name in given}
        if not said:
            return
        kept = [pair for pair in scope["headers"] if pair[0] not in _FORWARDED]
        if self._trusts(scope.get("client")):
            if address := _address(_last(said, b"x-forwarded-for")):
                scope["client"] = (address, 0)
            scope["scheme"] = _SCHEMES.get(_last(said, b"x-forwarded-proto").lower(), scope.get("scheme", "http"))
            if host := _last(said, b"x-forwarded-host"):
                kept = [(b"host", host), *(pair for pair in kept if pair[0] != b"host")]
        scope["headers"] = kept

    def _trusts(self, client: Any) -> bool:
        if not client or not self._networks:
            return False
        try:
            address = ipaddress.ip_address(client[0])
        except ValueError:
            return False
        return any(address in network for network in self._networks)


def _last(said: dict[bytes, bytes], name: bytes) -> bytes:
    return said.get(name, b"").rpartition(b",")[2].strip()


def _address(value: bytes) -> str:
    try:
        return str(ipaddress.ip_address(value.decode("latin-1").strip("[]")))
    except ValueError:
        return ""
