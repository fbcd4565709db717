"""JSON Web Signatures in compact form: cutting them up, making them, checking them.

The signature algorithms are PyJWT's. `none` is never accepted, and a key is only used with the
family of algorithms that it is made for: a public key never serves as an HMAC secret.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from jwt.algorithms import Algorithm, get_default_algorithms
from jwt.exceptions import PyJWTError

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._octets import decode_base64url, encode_base64url
from rolltop.transform.values import INT_MAX, INT_MIN

__all__ = ["Token", "check", "make", "read", "try_read"]

LONGEST = 1_000_000
_ALGORITHMS: dict[str, Algorithm] = {
    name: algorithm for name, algorithm in get_default_algorithms().items() if name != "none"
}


@dataclass(frozen=True, slots=True)
class Token:
    header: dict[str, Any]
    payload: bytes
    signature: bytes
    signing_input: str

    @property
    def signature_text(self) -> str:
        return encode_base64url(self.signature)

    def content(self) -> Any:
        """The payload as JSON when it is, else as text."""
        try:
            return _json(self.payload)
        except ValueError:
            return self.payload.decode("utf-8", "replace")

    def claims(self) -> dict[str, Any]:
        content = self.content()
        if not isinstance(content, dict):
            fail("the token holds no claims", hint="Its payload is no JSON object; read it with getJWSPayload.")
        return content


def _json(data: bytes) -> Any:
    return json.loads(data, parse_int=_integer, parse_constant=_refused)


def _integer(digits: str) -> int | float:
    if len(digits) < 19:
        return int(digits)
    number = float(digits)
    return int(digits) if INT_MIN <= number < INT_MAX else number


def _refused(name: str) -> Any:
    raise ValueError(name)


def try_read(text: str) -> Token | str:
    """The token, or what is wrong with it."""
    parts = text.strip().split(".") if len(text) <= LONGEST else []
    if len(parts) != 3 or not parts[0]:  # a payload may be empty
        return "it does not have three parts with dots between them"
    try:
        header = _json(decode_base64url(parts[0]))
    except (ValueError, RecursionError):
        return "its header is no base64url of JSON"
    if not isinstance(header, dict) or not isinstance(header.get("alg"), str):
        return "its header names no algorithm"
    try:
        payload, signature = decode_base64url(parts[1]), decode_base64url(parts[2])
    except ValueError:
        return "its payload or signature is no base64url"
    return Token(header, payload, signature, f"{parts[0]}.{parts[1]}")


def read(text: str) -> Token:
    token = try_read(text)
    if isinstance(token, str):
        fail(f"this is no token: {token}", hint="A token looks like eyJhbGciOi….eyJzdWIiOi….c2lnbmF0dXJl")
    return token


def _algorithm(name: str) -> Algorithm:
    found = _ALGORITHMS.get(name)
    if found is None:
        fail(f"there is no token algorithm {name[:40]!r}", hint=f"Use one of {', '.join(sorted(_ALGORITHMS))}.")
    return found


def make(header: dict[str, Any], payload: bytes, key: str) -> str:
    """A signed token in compact form."""
    algorithm = _algorithm(header["alg"])
    if not key:
        fail("the key is empty", hint="HMAC algorithms take a secret, the others a private key in PEM form.")
    signing_input = f"{encode_base64url(_compact(header))}.{encode_base64url(payload)}"
    try:
        signature = algorithm.sign(signing_input.encode(), algorithm.prepare_key(key))
    except (PyJWTError, ValueError, TypeError, AttributeError):
        fail(f"the key cannot sign with {header['alg']}", hint="HS… takes a secret, RS…, PS… and ES… a private key.")
    return f"{signing_input}.{encode_base64url(signature)}"


def _compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def check(token: Token, key: Any, wanted: str = "") -> str | None:
    """None when the signature is good, else what is wrong. `wanted` names the only algorithm to accept."""
    name = token.header["alg"]
    if wanted:
        _algorithm(wanted)
    if name not in _ALGORITHMS or (wanted and name != wanted):
        return f"the token is signed with {name[:40]!r}" + (f", not with {wanted}" if wanted else ", which is not safe")
    algorithm = _ALGORITHMS[name]
    try:
        good = algorithm.verify(token.signing_input.encode(), algorithm.prepare_key(key), token.signature)
    except (PyJWTError, ValueError, TypeError, AttributeError):
        return f"the key does not fit {name}"
    return None if good else "the signature is wrong"
