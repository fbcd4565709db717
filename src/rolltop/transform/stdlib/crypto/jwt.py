"""JSON Web Tokens: reading claims without trust, making tokens, verifying them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from jwt import PyJWK
from jwt.exceptions import PyJWTError

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.crypto import jws
from rolltop.transform.stdlib.crypto.jws import Token
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.host import host
from rolltop.transform.values import is_number

_TOKEN = (
    '"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbm4iLCJpc3MiOiJtZSIsImF1ZCI6InlvdSJ9.'
    '0VjrAfq3vWcTZ9C0fIv8cqkVLdyPTEmvPuSbhYOlvu0"'
)
_VERDICT = "{ verified: Boolean, error?: String, header?: Object, payload?: Object }"
_ALG = {"algorithm": "HS256 (the default), HS384, HS512, or RS…, PS…, ES…, EdDSA with a key in PEM form"}


@function(
    "decodeJWT(token: String): { header: Object, payload: Object, signature: String, verified: Boolean }",
    category="crypto",
    examples=[(f"decodeJWT({_TOKEN}).payload.sub", '"ann"'), ('decodeJWT("a.b")', "error: no token")],
)
def decode_jwt(token: str) -> dict[str, Any]:
    """The parts of a token. Nothing is verified: anybody may have written it."""
    read = jws.read_token(token)
    return {
        "header": read.header,
        "payload": read.claims(),
        "signature": read.signature_text,
        "verified": False,
    }


@function(
    "getJWTClaims(token: String): Object",
    category="crypto",
    examples=[(f"getJWTClaims({_TOKEN}).iss", '"me"')],
)
def get_jwt_claims(token: str) -> dict[str, Any]:
    """All claims of a token, not verified."""
    return jws.read_token(token).claims()


@function(
    "getJWTClaim(token: String, name: String): Any",
    category="crypto",
    examples=[(f'getJWTClaim({_TOKEN}, "aud")', '"you"'), (f'getJWTClaim({_TOKEN}, "none")', "null")],
)
def get_jwt_claim(token: str, name: str) -> Any:
    """One claim of a token, not verified; null when it is missing."""
    return get_jwt_claims(token).get(name)


@function("getJWTSubject(token: String): Any", category="crypto", examples=[(f"getJWTSubject({_TOKEN})", '"ann"')])
def get_jwt_subject(token: str) -> Any:
    """The subject (sub) of a token, not verified."""
    return get_jwt_claim(token, "sub")


@function("getJWTIssuer(token: String): Any", category="crypto", examples=[(f"getJWTIssuer({_TOKEN})", '"me"')])
def get_jwt_issuer(token: str) -> Any:
    """The issuer (iss) of a token, not verified."""
    return get_jwt_claim(token, "iss")


@function("getJWTAudience(token: String): Any", category="crypto", examples=[(f"getJWTAudience({_TOKEN})", '"you"')])
def get_jwt_audience(token: str) -> Any:
    """The audience (aud) of a token, not verified: a text or an array."""
    return get_jwt_claim(token, "aud")


@function(
    "isJWTExpired(token: String): Boolean",
    category="crypto",
    examples=[
        (f"isJWTExpired({_TOKEN})", "false"),
        ('isJWTExpired(createJWT({exp: 86400}, "secret"))', "true"),
        ('isJWTExpired(createJWT({exp: "86400"}, "secret"))', "error: exp is no number"),
    ],
    pure=False,
)
def is_jwt_expired(token: str) -> bool:
    """Whether the time of expiry (exp) has passed; false when there is none, an error when it is no number."""
    claims = get_jwt_claims(token)
    if "exp" not in claims:
        return False
    if not _is_time(claims["exp"]):
        fail("the claim exp is no number", hint="It has the seconds since 1970; do not trust the token.")
    return bool(claims["exp"] <= host().now().timestamp())


def _is_time(claim: Any) -> bool:
    return is_number(claim) and math.isfinite(claim)


@function(
    "validateJWTStructure(token: String): { valid: Boolean, errors: Array<String> }",
    category="crypto",
    examples=[
        (f"validateJWTStructure({_TOKEN}).valid", "true"),
        (
            'validateJWTStructure("a.b")',
            '{valid: false, errors: ["it does not have three parts with dots between them"]}',
        ),
    ],
)
def validate_jwt_structure(token: str) -> dict[str, Any]:
    """Whether a text has the form of a token with claims; says nothing about its signature."""
    read = jws.try_read_token(token)
    if isinstance(read, str):
        return {"valid": False, "errors": [read]}
    if not isinstance(read.content(), dict):
        return {"valid": False, "errors": ["its payload is no JSON object"]}
    return {"valid": True, "errors": []}


def _signed(claims: Mapping[str, Any], key: str, algorithm: str) -> str:
    try:
        payload = json.dumps(claims, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError):
        fail("the claims cannot be written as JSON", hint="Use text, numbers, booleans, arrays and objects.")
    return jws.make_token({"alg": algorithm, "typ": "JWT"}, payload, key)


@function(
    "createJWT(claims: Object, key: String, algorithm?: String, expiresIn?: Number): String",
    category="crypto",
    examples=[
        ('verifyJWT(createJWT({sub: "ann"}, "secret"), "secret").payload.sub', '"ann"'),
        ('isNumber(getJWTClaim(createJWT({}, "secret", "HS512", 60), "exp"))', "true"),
    ],
    params={**_ALG, "expiresIn": "Seconds until the token expires; sets iat and exp"},
    pure=False,
)
def create_jwt(claims: dict[str, Any], key: str, algorithm: str = "HS256", expires_in: float | None = None) -> str:
    """A signed token of claims."""
    if expires_in is None:
        return _signed(claims, key, algorithm)
    if not math.isfinite(expires_in):
        fail("createJWT needs a finite number of seconds", hint="Leave expiresIn out for a token that never expires.")
    now = int(host().now().timestamp())
    return _signed({**claims, "iat": now, "exp": now + int(expires_in)}, key, algorithm)


@function(
    "createJWTSigned(claims: Object, key: String, algorithm?: String): String",
    category="crypto",
    examples=[('createJWTSigned({sub: "ann", iss: "me", aud: "you"}, "secret")', _TOKEN)],
    params=_ALG,
)
def create_jwt_signed(claims: dict[str, Any], key: str, algorithm: str = "HS256") -> str:
    """A signed token of exactly these claims."""
    return _signed(claims, key, algorithm)


def _verdict(token: Token, error: str | None) -> dict[str, Any]:
    """Claims of a token that failed are left out, so that nobody uses them by mistake."""
    if error is not None:
        return {"verified": False, "error": error}
    return {"verified": True, "header": token.header, "payload": token.claims()}


def _out_of_time(token: Token) -> str | None:
    claims, now = token.claims(), host().now().timestamp()
    for name in ("exp", "nbf"):
        if name in claims and not _is_time(claims[name]):
            return f"the claim {name} is no number"
    if "exp" in claims and claims["exp"] <= now:
        return "the token has expired"
    return "the token is not valid yet" if claims.get("nbf", now) > now else None


@function(
    f"verifyJWT(token: String, key: String, algorithm?: String): {_VERDICT}",
    category="crypto",
    examples=[
        ('verifyJWT(createJWT({sub: "ann"}, "secret"), "secret").verified', "true"),
        ('verifyJWT(createJWT({exp: 86400}, "secret"), "secret").error', '"the token has expired"'),
        (f'verifyJWT({_TOKEN}, "guess")', '{verified: false, error: "the signature is wrong"}'),
    ],
    params={"algorithm": "The only algorithm to accept; any that fits the key when left out"},
    pure=False,
)
def verify_jwt(token: str, key: str, algorithm: str = "") -> dict[str, Any]:
    """Checks the signature and the times (exp, nbf) of a token."""
    read = jws.read_token(token)
    return _verdict(read, jws.check_token(read, key, algorithm) or _out_of_time(read))


@function(
    f"verifyJWTSignature(token: String, key: String, algorithm?: String): {_VERDICT}",
    category="crypto",
    examples=[(f'verifyJWTSignature({_TOKEN}, "secret", "HS256").payload.iss', '"me"')],
    params={"algorithm": "The only algorithm to accept; any that fits the key when left out"},
)
def verify_jwt_signature(token: str, key: str, algorithm: str = "") -> dict[str, Any]:
    """Checks the signature of a token, not its times."""
    read = jws.read_token(token)
    return _verdict(read, jws.check_token(read, key, algorithm))


@function(
    f"verifyJWTWithJWKS(token: String, keys: String | Object): {_VERDICT}",
    category="crypto",
    examples=[
        (
            f'verifyJWTWithJWKS({_TOKEN}, {{keys: [{{kty: "oct", k: "c2VjcmV0", alg: "HS256"}}]}}).verified',
            "true",
        ),
        (f"verifyJWTWithJWKS({_TOKEN}, {{keys: []}}).error", '"no key of the set fits the token"'),
    ],
    params={"keys": "A JSON Web Key Set: the object, its JSON text, or its URL where the host allows fetching"},
    pure=False,
)
def verify_jwt_with_jwks(token: str, keys: str | dict[str, Any]) -> dict[str, Any]:
    """Checks the signature and the times of a token with the fitting key of a key set."""
    read = jws.read_token(token)
    errors = [jws.check_token(read, key, read.header["alg"]) for key in _fitting(read, _key_set(keys))]
    if not errors:
        return _verdict(read, "no key of the set fits the token")
    return _verdict(read, errors[0] if None not in errors else _out_of_time(read))


def _key_set(source: str | dict[str, Any]) -> list[Any]:
    if isinstance(source, str):
        source = _parsed_set(_fetched(source) if source.strip().lower().startswith(("http:", "https:")) else source)
    keys = source.get("keys") if isinstance(source, dict) else None
    if not isinstance(keys, list):
        fail("this is no JSON Web Key Set", hint='It has the form {keys: [{kty: "RSA", kid: "…", n: "…", e: "AQAB"}]}.')
    return keys[:100]


def _parsed_set(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        fail("the key set is no JSON", hint="Pass the set itself.")


def _fetched(url: str) -> bytes:
    fetch = host().fetch
    if fetch is None:
        fail("this program may not fetch from the network", hint="Pass the key set itself: an object or its JSON text.")
    return fetch(url)


def _fitting(token: Token, keys: list[Any]) -> list[Any]:
    """The keys that may have signed the token: of the same id, where it names one."""
    wanted = token.header.get("kid")
    found = []
    for key in keys:
        if not isinstance(key, dict) or (wanted is not None and key.get("kid") != wanted):
            continue
        try:
            made = PyJWK(key, key.get("alg", token.header["alg"]))
        except PyJWTError:
            continue
        if made.algorithm_name == token.header["alg"]:
            found.append(made.key)
    return found
