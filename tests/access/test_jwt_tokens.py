"""Access tokens of an issuer over real HTTP: what is valid, and every forgery that was thought of."""

from __future__ import annotations

import asyncio
import base64
import functools
import hmac
import json
import threading
import time
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa as cryptography_rsa
from joserfc import jwk
from joserfc import jwt as jose

from rolltop.access import InvalidToken, IssuerUnavailable, JwtVerifier

RESOURCE = "https://desk.example.org/mcp"


@functools.cache
def rsa(kid: str, number: int = 0) -> Any:
    """A key of the issuer; `number` tells keys of the same name apart. Made once, because that takes a while."""
    return jwk.RSAKey.generate_key(2048, {"kid": kid})


class Issuer:
    """An authorization server as far as a resource server sees it: metadata and keys, counted."""

    def __init__(self) -> None:
        self.keys: list[Any] = [rsa("one")]
        self.extra: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.fails = False
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked.append(self.path)
                answer = issuer.answer(self.path)
                self.send_response(200 if answer is not None else 404)
                self.end_headers()
                self.wfile.write(json.dumps(answer).encode())

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/team"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, path: str) -> Any:
        if self.fails:
            return None
        if path == "/.well-known/oauth-authorization-server/team":
            return {"issuer": self.url, "jwks_uri": self.url + "/keys"}
        if path == "/team/keys":
            return {"keys": [*(key.as_dict(private=False) for key in self.keys), *self.extra]}
        return None

    def token(self, key: Any = None, header: dict[str, Any] | None = None, **claims: Any) -> str:
        key = key or self.keys[0]
        now = int(time.time())
        usual = {"iss": self.url, "aud": RESOURCE, "sub": "anna", "exp": now + 300, "iat": now}
        body = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        headers = {"alg": "RS256", "kid": key.kid, "typ": "at+jwt", **(header or {})}
        return jose.encode({k: v for k, v in headers.items() if v is not None}, body, key, algorithms=[headers["alg"]])

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    made = Issuer()
    yield made
    made.close()


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def verifier(issuer: Issuer, clock: Clock) -> JwtVerifier:
    return JwtVerifier(issuer.url, (RESOURCE,), clock=clock)


def subject(verifier: JwtVerifier, token: str) -> str:
    return str(asyncio.run(verifier.verify(token))["sub"])


def refused(verifier: JwtVerifier, token: str) -> str:
    with pytest.raises(InvalidToken) as error:
        asyncio.run(verifier.verify(token))
    assert len(token) < 50 or token not in str(error.value)
    return str(error.value)


def test_a_token_of_the_issuer_for_this_resource_is_valid(issuer: Issuer, verifier: JwtVerifier) -> None:
    assert subject(verifier, issuer.token()) == "anna"
    assert subject(verifier, issuer.token(aud=["https://other.example", RESOURCE])) == "anna"
    assert subject(verifier, issuer.token(header={"typ": None})) == "anna"
    assert len(issuer.asked) == 2  # metadata and keys, once


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"aud": "https://other.example/mcp"}, "another resource"),
        ({"aud": RESOURCE + "/"}, "another resource"),
        ({"aud": None}, "aud"),
        ({"iss": "https://evil.example"}, "another issuer"),
        ({"iss": None}, "iss"),
        ({"exp": 1}, "expired"),
        ({"exp": None}, "exp"),
        ({"nbf": 1 << 40}, "not valid yet"),
        ({"sub": None}, "sub"),
        ({"sub": ""}, "subject"),
    ],
)
def test_claims_that_are_not_meant_for_us(
    issuer: Issuer, verifier: JwtVerifier, claims: dict[str, Any], words: str
) -> None:
    assert words in refused(verifier, issuer.token(**claims))


def test_no_algorithm_and_shared_secrets_are_refused(issuer: Issuer, verifier: JwtVerifier) -> None:
    head, body, signature = issuer.token().split(".")
    for algorithm in ("none", "None", "NONE", "HS256", ""):
        forged = _part({"alg": algorithm, "kid": "one", "typ": "at+jwt"})
        for end in ("", signature):
            assert "algorithm" in refused(verifier, f"{forged}.{body}.{end}")
    # The oldest trick: an HMAC with the public key, which everybody has, as its secret.
    signed = f"{_part({'alg': 'HS256', 'kid': 'one'})}.{body}"
    forged = hmac.digest(issuer.keys[0].as_pem(private=False), signed.encode(), "sha256")
    assert "algorithm" in refused(verifier, f"{signed}.{_encoded(forged)}")
    assert refused(verifier, f"{head}.{body}.") == "the token's signature is wrong"


def test_a_header_cannot_bring_its_own_key(issuer: Issuer, verifier: JwtVerifier) -> None:
    mine = rsa("one", 1)
    brought = {"jwk": mine.as_dict(private=False), "jku": "http://127.0.0.1:9/keys", "x5u": "http://127.0.0.1:9/x"}
    subject(verifier, issuer.token())
    for header in ({}, brought):
        assert "signature" in refused(verifier, issuer.token(mine, header))
    asked = len(issuer.asked)
    unknown = jwk.RSAKey.generate_key(2048, {"kid": "../../keys?x=' OR 1=1"})
    assert "does not publish" in refused(verifier, issuer.token(unknown, brought))
    assert len(issuer.asked) <= asked + 2


def test_a_kid_never_chooses_a_key_of_another_kind(issuer: Issuer, verifier: JwtVerifier, clock: Clock) -> None:
    curve = jwk.ECKey.generate_key("P-256", {"kid": "two"})
    encryption = rsa("unknown")
    issuer.keys.append(curve)
    issuer.extra.append({**encryption.as_dict(private=False), "use": "enc"})
    assert subject(verifier, issuer.token(curve, {"alg": "ES256"})) == "anna"
    assert "does not publish" in refused(verifier, issuer.token(header={"kid": "two"}))
    clock.now += 100
    assert "does not publish" in refused(verifier, issuer.token(encryption))
    clock.now += 100
    # Without a kid the one key of that kind is meant; with two of them nobody guesses.
    assert subject(verifier, issuer.token(header={"kid": None})) == "anna"
    issuer.keys.append(rsa("new"))
    clock.now += 1000
    assert "does not publish" in refused(verifier, issuer.token(header={"kid": None}))


def test_odd_headers_are_refused(issuer: Issuer, verifier: JwtVerifier) -> None:
    _, body, signature = issuer.token().split(".")
    for header in ({"crit": ["exp"], "exp": 1}, {"typ": "logout+jwt"}, {"kid": 7}, {"kid": ["one"]}):
        forged = f"{_part({'alg': 'RS256', 'kid': 'one', **header})}.{body}.{signature}"
        refused(verifier, forged)
    for broken in ("", ".", "..", "a.b.c", "{}", "rt-x", "A" * 20000, f"{_part({'alg': ['RS256']})}.{body}.x"):
        refused(verifier, broken)


def test_keys_rotate(issuer: Issuer, verifier: JwtVerifier, clock: Clock) -> None:
    old = issuer.token()
    assert subject(verifier, old) == "anna"
    issuer.keys = [rsa("new")]
    clock.now += 60
    assert subject(verifier, issuer.token()) == "anna"  # an unknown kid fetches at once
    assert "does not publish" in refused(verifier, old)


def test_forged_tokens_cost_the_issuer_nothing(issuer: Issuer, verifier: JwtVerifier) -> None:
    subject(verifier, issuer.token())
    asked = len(issuer.asked)
    unknown = rsa("unknown")
    for _ in range(20):
        refused(verifier, issuer.token(unknown))
    assert len(issuer.asked) == asked


def test_keys_outlive_an_issuer_that_is_away_for_a_while(issuer: Issuer, verifier: JwtVerifier, clock: Clock) -> None:
    token = issuer.token(exp=int(time.time()) + 10**6)
    subject(verifier, token)
    issuer.fails = True
    clock.now += 1000
    assert subject(verifier, token) == "anna"
    clock.now += 4000
    with pytest.raises(IssuerUnavailable):
        asyncio.run(verifier.verify(token))
    issuer.fails = False
    clock.now += 60
    assert subject(verifier, token) == "anna"


def test_metadata_of_another_issuer_is_refused(issuer: Issuer, clock: Clock) -> None:
    named_otherwise = JwtVerifier(issuer.url + "/", (RESOURCE,), clock=clock)
    with pytest.raises(IssuerUnavailable):
        asyncio.run(named_otherwise.verify(issuer.token()))


def test_short_keys_are_not_used(issuer: Issuer, verifier: JwtVerifier) -> None:
    weak = cryptography_rsa.generate_private_key(65537, 1024)
    published = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(weak.public_key()))
    issuer.extra.append({**published, "kid": "weak"})
    claims = {"iss": issuer.url, "aud": RESOURCE, "sub": "anna", "exp": int(time.time()) + 300}
    with warnings.catch_warnings(action="ignore"):
        token = jwt.encode(claims, weak, algorithm="RS256", headers={"kid": "weak"})
    assert "does not publish" in refused(verifier, token)


def _part(value: dict[str, Any]) -> str:
    return _encoded(json.dumps(value).encode())


def _encoded(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
