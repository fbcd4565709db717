"""Access tokens of an OAuth authorization server: JWTs, checked against the keys that their issuer publishes.

`JwtVerifier.verify` gives the claims of a token for this resource or raises. The keys come from the issuer's metadata
(RFC 8414 or OpenID discovery) and nowhere else: what a token's header says about keys is used to choose among them.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx2
import jwt

from rolltop.errors import PartMissing

__all__ = ["InvalidToken", "IssuerUnavailable", "JwtVerifier"]

logger = logging.getLogger("rolltop.access")

ALGORITHMS: dict[str, tuple[str, str | None]] = {
    **{f"{family}{bits}": ("RSA", None) for family in ("RS", "PS") for bits in (256, 384, 512)},
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
}
"""The signatures that are accepted, with the type and curve of key that each needs. No `none`, no shared secrets."""
_TYPES_OF_KEYS = {kind for kind, _ in ALGORITHMS.values()}
TYPES = ("at+jwt", "application/at+jwt", "jwt")
LONGEST = 16 << 10
KEPT_SECONDS = 600.0
"""How long keys are used without asking for new ones."""
STALE_SECONDS = 3600.0
"""How long they are used if the issuer cannot be reached."""
RETRY_SECONDS = 30.0
"""The issuer is asked once in this time at most, whatever tokens come."""
LEEWAY = 30.0
"""Seconds by which the clocks of issuer and server may differ."""
_ANSWER_BYTES = 1 << 20
_FETCH_SECONDS = 10.0
_RSA_BITS = 2048

Claims = Mapping[str, Any]


class _Key(NamedTuple):
    """A published key: as published, and ready for use."""

    published: Mapping[str, Any]
    key: Any

    def fits(self, algorithm: str) -> bool:
        """True if it is of the type that the algorithm needs, made for it if it says so, and long enough."""
        published = self.published
        if (published["kty"], published.get("crv")) != ALGORITHMS[algorithm]:
            return False
        if published.get("alg", algorithm) != algorithm:
            return False
        return published["kty"] != "RSA" or bool(self.key.key_size >= _RSA_BITS)


class InvalidToken(Exception):
    """The token is not valid here. The message is safe to show; it never has the token in it."""


class IssuerUnavailable(PartMissing):
    """The keys of the issuer cannot be had, so no token can be checked."""


class JwtVerifier:
    """Checks tokens of one issuer for one resource. Used from one event loop."""

    def __init__(
        self,
        issuer: str,
        audiences: tuple[str, ...],
        jwks_url: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.issuer, self._audiences, self._jwks_url, self._clock = issuer, audiences, jwks_url, clock
        self._keys: dict[str | None, list[_Key]] = {}
        self._fetched = self._tried = float("-inf")
        self._fetching = asyncio.Lock()

    async def verify(self, token: str) -> Claims:
        """The claims of a token that is valid here and now; raises `InvalidToken` or `IssuerUnavailable`."""
        header = _header(token)
        key = await self._key(header)
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key.key,
                algorithms=[header["alg"]],
                audience=list(self._audiences),
                issuer=self.issuer,
                leeway=LEEWAY,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise InvalidToken(_in_words(error)) from None
        if not isinstance(claims["sub"], str) or not claims["sub"]:
            raise InvalidToken("the token names no subject")
        return claims

    async def _key(self, header: Mapping[str, Any]) -> _Key:
        now = self._clock()
        if now - self._fetched > KEPT_SECONDS:
            await self._refresh()
        found = self._choose(header)
        if found is None:
            await self._refresh()  # the issuer may have new keys
            found = self._choose(header)
        if found is None:
            raise InvalidToken("the token is signed with a key that its issuer does not publish")
        return found

    def _choose(self, header: Mapping[str, Any]) -> _Key | None:
        """The key for a header; None if there is none, or if there are several and it does not say which."""
        algorithm = header["alg"]
        among = (
            self._keys.get(header.get("kid"), []) if "kid" in header else [k for v in self._keys.values() for k in v]
        )
        fitting = [key for key in among if key.fits(algorithm)]
        return fitting[0] if len(fitting) == 1 else None

    async def _refresh(self) -> None:
        """Fetch the keys, unless that was tried a moment ago."""
        async with self._fetching:
            now = self._clock()
            if now - self._tried >= RETRY_SECONDS:
                self._tried = now
                try:
                    self._keys = await self._fetch()
                    self._fetched = now
                except (httpx2.HTTPError, ValueError, KeyError, TypeError, jwt.PyJWTError) as error:
                    logger.warning("the keys of %s cannot be fetched: %s", self.issuer, error)
            if self._clock() - self._fetched > STALE_SECONDS:
                self._keys = {}
                raise IssuerUnavailable(
                    f"the keys of the authorization server {self.issuer} cannot be fetched",
                    hint="See the setting oauth_issuer and whether it can be reached from here.",
                )

    async def _fetch(self) -> dict[str | None, list[_Key]]:
        async with httpx2.AsyncClient(timeout=_FETCH_SECONDS, follow_redirects=False) as client:
            url = self._jwks_url or await self._discover(client)
            document = await _get_json(client, url)
        keys: dict[str | None, list[_Key]] = {}
        for each in document["keys"]:
            if each.get("use", "sig") != "sig" or each.get("kty") not in _TYPES_OF_KEYS:
                continue
            try:
                key = _Key(each, jwt.PyJWK(each).key)
            except jwt.PyJWTError as error:
                logger.warning("a key of %s is left out: %s", self.issuer, error)
            else:
                keys.setdefault(each.get("kid"), []).append(key)
        return keys

    async def _discover(self, client: httpx2.AsyncClient) -> str:
        """The URL of the keys, from the issuer's metadata, which must name the same issuer."""
        for url in _metadata_urls(self.issuer):
            try:
                found = await _get_json(client, url)
            except (httpx2.HTTPStatusError, ValueError):
                continue
            if found.get("issuer") != self.issuer:
                raise ValueError(f"{url} names the issuer {found.get('issuer')!r}")
            jwks = str(found["jwks_uri"])
            if urlsplit(jwks).scheme != "https" and urlsplit(self.issuer).scheme == "https":
                raise ValueError(f"the keys are not behind https: {jwks}")
            return jwks
        raise ValueError("there is no metadata of the authorization server")


def _header(token: str) -> dict[str, Any]:
    if len(token) > LONGEST:
        raise InvalidToken("the token is too long")
    try:
        header = jwt.get_unverified_header(token)
    except jwt.PyJWTError:
        raise InvalidToken("the token is neither one of this server nor a JWT") from None
    if not isinstance(header.get("alg"), str) or header["alg"] not in ALGORITHMS:
        raise InvalidToken("the token is not signed with an algorithm that is accepted here")
    if "crit" in header:
        raise InvalidToken("the token has critical headers that are not understood here")
    if "typ" in header and str(header["typ"]).lower() not in TYPES:
        raise InvalidToken("the token is of another type than an access token")
    if "kid" in header and not isinstance(header["kid"], str):
        raise InvalidToken("the token's kid is no text")
    return header


def _metadata_urls(issuer: str) -> list[str]:
    """Where RFC 8414 and OpenID Connect put the metadata, in the order that MCP gives."""
    parts = urlsplit(issuer)
    base, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    names = ("oauth-authorization-server", "openid-configuration")
    inserted = [f"{base}/.well-known/{name}{path}" for name in names]
    return [*inserted, f"{base}{path}/.well-known/openid-configuration"] if path else inserted


async def _get_json(client: httpx2.AsyncClient, url: str) -> dict[str, Any]:
    async with client.stream("GET", url, headers={"accept": "application/json"}) as response:
        response.raise_for_status()
        body = b""
        async for part in response.aiter_bytes():
            body += part
            if len(body) > _ANSWER_BYTES:
                raise ValueError(f"{url} answers with more than {_ANSWER_BYTES} bytes")
    document: dict[str, Any] = json.loads(body)
    if type(document) is not dict:
        raise ValueError(f"{url} does not answer with an object")
    return document


def _in_words(error: jwt.PyJWTError) -> str:
    match error:
        case jwt.ExpiredSignatureError():
            return "the token has expired"
        case jwt.InvalidAudienceError():
            return "the token is for another resource"
        case jwt.InvalidIssuerError():
            return "the token is of another issuer"
        case jwt.ImmatureSignatureError():
            return "the token is not valid yet"
        case jwt.MissingRequiredClaimError():
            return f"the token has no claim {error.claim}"
        case jwt.InvalidSignatureError():
            return "the token's signature is wrong"
    return "the token is not valid"
