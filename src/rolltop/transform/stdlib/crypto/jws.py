"""Signed tokens (JWS): sign, verify, read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from jwt.algorithms import Algorithm, get_default_algorithms
from jwt.exceptions import PyJWTError

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.serialization.octets import decode_base64url, encode_base64url, octets
from rolltop.transform.values import INT_MAX, INT_MIN

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


def try_read_token(text: str) -> Token | str:
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


def read_token(text: str) -> Token:
    token = try_read_token(text)
    if isinstance(token, str):
        fail(f"this is no token: {token}", hint="A token looks like eyJhbGciOi….eyJzdWIiOi….c2lnbmF0dXJl")
    return token


def _algorithm(name: str) -> Algorithm:
    found = _ALGORITHMS.get(name)
    if found is None:
        fail(f"there is no token algorithm {name[:40]!r}", hint=f"Use one of {', '.join(sorted(_ALGORITHMS))}.")
    return found


def make_token(header: dict[str, Any], payload: bytes, key: str) -> str:
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


def check_token(token: Token, key: Any, wanted: str = "") -> str | None:
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


_TOKEN = '"eyJhbGciOiJIUzI1NiIsImtpZCI6ImsxIn0.aGVsbG8.c2ln"'


@function(
    "signJWS(payload: Any, key: String, algorithm?: String): String",
    category="crypto",
    examples=[
        ('getJWSPayload(signJWS("hello", "secret"))', '"hello"'),
        ('getJWSPayload(signJWS("", "secret"))', '""'),
        ('verifyJWTSignature(signJWS({sub: "ann"}, "secret"), "secret").verified', "true"),
    ],
    params={
        "payload": "Text is signed as it is, anything else as JSON",
        "algorithm": "HS256 (the default), HS384, HS512, or RS…, PS…, ES…, EdDSA with a private key in PEM form",
    },
)
def sign_jws(payload: Any, key: str, algorithm: str = "HS256") -> str:
    """Signs a payload; the result has the compact form header.payload.signature."""
    if isinstance(payload, (str, bytes)):
        data = octets(payload, "signJWS")
    else:
        try:
            data = json.dumps(payload, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError):
            fail("the payload cannot be written as JSON", hint="Use text, numbers, booleans, arrays and objects.")
    return make_token({"alg": algorithm}, data, key)


@function(
    "decodeJWS(token: String): { header: Object, payload: Any, signature: String, verified: Boolean }",
    category="crypto",
    examples=[(f"decodeJWS({_TOKEN}).payload", '"hello"')],
)
def decode_jws(token: str) -> dict[str, Any]:
    """The parts of a signed token, not verified; a JSON payload is parsed."""
    read = read_token(token)
    return {"header": read.header, "payload": read.content(), "signature": read.signature_text, "verified": False}


@function("getJWSPayload(token: String): Any", category="crypto", examples=[(f"getJWSPayload({_TOKEN})", '"hello"')])
def get_jws_payload(token: str) -> Any:
    """The payload, not verified; JSON is parsed."""
    return read_token(token).content()


@function(
    "getJWSHeader(token: String): Object",
    category="crypto",
    examples=[(f"getJWSHeader({_TOKEN})", '{alg: "HS256", kid: "k1"}')],
)
def get_jws_header(token: str) -> dict[str, Any]:
    """The header, not verified."""
    return read_token(token).header


@function(
    "getJWSAlgorithm(token: String): String",
    category="crypto",
    examples=[(f"getJWSAlgorithm({_TOKEN})", '"HS256"')],
)
def get_jws_algorithm(token: str) -> str:
    """The algorithm (alg) that the header names."""
    return str(read_token(token).header["alg"])


@function("getJWSKeyId(token: String): Any", category="crypto", examples=[(f"getJWSKeyId({_TOKEN})", '"k1"')])
def get_jws_key_id(token: str) -> Any:
    """The key id (kid) of the header, or null."""
    return read_token(token).header.get("kid")


@function("getJWSTokenType(token: String): Any", category="crypto", examples=[(f"getJWSTokenType({_TOKEN})", "null")])
def get_jws_token_type(token: str) -> Any:
    """The type (typ) of the header, or null."""
    return read_token(token).header.get("typ")


@function(
    "getJWSInfo(token: String): { algorithm: String, type: Any, keyId: Any, contentType: Any, header: Object, "
    "payloadSize: Integer, signatureSize: Integer }",
    category="crypto",
    examples=[(f"getJWSInfo({_TOKEN}).payloadSize", "5")],
)
def get_jws_info(token: str) -> dict[str, Any]:
    """What can be told of a token without a key; sizes in bytes."""
    read = read_token(token)
    return {
        "algorithm": read.header["alg"],
        "type": read.header.get("typ"),
        "keyId": read.header.get("kid"),
        "contentType": read.header.get("cty"),
        "header": read.header,
        "payloadSize": len(read.payload),
        "signatureSize": len(read.signature),
    }


@function(
    "getJWSSigningInput(token: String): String",
    category="crypto",
    examples=[(f"getJWSSigningInput({_TOKEN})", '"eyJhbGciOiJIUzI1NiIsImtpZCI6ImsxIn0.aGVsbG8"')],
)
def get_jws_signing_input(token: str) -> str:
    """The text that the signature covers: header and payload with the dot."""
    return read_token(token).signing_input


@function(
    "isJWSFormat(token: String): Boolean",
    category="crypto",
    examples=[(f"isJWSFormat({_TOKEN})", "true"), ('isJWSFormat("a..c")', "false")],
)
def is_jws_format(token: str) -> bool:
    """Whether a text has three parts that are not empty, with dots between them."""
    return token.count(".") == 2 and all(token.split("."))
