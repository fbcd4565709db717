"""JSON Web Signatures over any payload, and reading their headers without trust."""

from __future__ import annotations

import json
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib import _tokens
from rolltop.transform.stdlib._octets import octets
from rolltop.transform.stdlib.declare import function

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
    return _tokens.make({"alg": algorithm}, data, key)


@function(
    "decodeJWS(token: String): { header: Object, payload: Any, signature: String, verified: Boolean }",
    category="crypto",
    examples=[(f"decodeJWS({_TOKEN}).payload", '"hello"')],
)
def decode_jws(token: str) -> dict[str, Any]:
    """The parts of a signed token, not verified; a JSON payload is parsed."""
    read = _tokens.read(token)
    return {"header": read.header, "payload": read.content(), "signature": read.signature_text, "verified": False}


@function("getJWSPayload(token: String): Any", category="crypto", examples=[(f"getJWSPayload({_TOKEN})", '"hello"')])
def get_jws_payload(token: str) -> Any:
    """The payload, not verified; JSON is parsed."""
    return _tokens.read(token).content()


@function(
    "getJWSHeader(token: String): Object",
    category="crypto",
    examples=[(f"getJWSHeader({_TOKEN})", '{alg: "HS256", kid: "k1"}')],
)
def get_jws_header(token: str) -> dict[str, Any]:
    """The header, not verified."""
    return _tokens.read(token).header


@function(
    "getJWSAlgorithm(token: String): String",
    category="crypto",
    examples=[(f"getJWSAlgorithm({_TOKEN})", '"HS256"')],
)
def get_jws_algorithm(token: str) -> str:
    """The algorithm (alg) that the header names."""
    return str(_tokens.read(token).header["alg"])


@function("getJWSKeyId(token: String): Any", category="crypto", examples=[(f"getJWSKeyId({_TOKEN})", '"k1"')])
def get_jws_key_id(token: str) -> Any:
    """The key id (kid) of the header, or null."""
    return _tokens.read(token).header.get("kid")


@function("getJWSTokenType(token: String): Any", category="crypto", examples=[(f"getJWSTokenType({_TOKEN})", "null")])
def get_jws_token_type(token: str) -> Any:
    """The type (typ) of the header, or null."""
    return _tokens.read(token).header.get("typ")


@function(
    "getJWSInfo(token: String): { algorithm: String, type: Any, keyId: Any, contentType: Any, header: Object, "
    "payloadSize: Integer, signatureSize: Integer }",
    category="crypto",
    examples=[(f"getJWSInfo({_TOKEN}).payloadSize", "5")],
)
def get_jws_info(token: str) -> dict[str, Any]:
    """What can be told of a token without a key; sizes in bytes."""
    read = _tokens.read(token)
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
    return _tokens.read(token).signing_input


@function(
    "isJWSFormat(token: String): Boolean",
    category="crypto",
    examples=[(f"isJWSFormat({_TOKEN})", "true"), ('isJWSFormat("a..c")', "false")],
)
def is_jws_format(token: str) -> bool:
    """Whether a text has three parts that are not empty, with dots between them."""
    return token.count(".") == 2 and all(token.split("."))
