"""Digests and keyed digests. Text is taken as UTF-8; results are hexadecimal in lower case."""

from __future__ import annotations

import hashlib
import hmac as hmac_of
from collections.abc import Callable
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.serialization.octets import encode_base64, octets
from rolltop.transform.values import scalar_text

_ALGORITHMS: dict[str, Callable[..., Any]] = {
    "md5": hashlib.md5,
    "sha1": hashlib.sha1,
    "sha224": hashlib.sha224,
    "sha256": hashlib.sha256,
    "sha384": hashlib.sha384,
    "sha512": hashlib.sha512,
    "sha3224": hashlib.sha3_224,
    "sha3256": hashlib.sha3_256,
    "sha3384": hashlib.sha3_384,
    "sha3512": hashlib.sha3_512,
}
_NAMES = "MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512 or SHA3-224 to SHA3-512"


def algorithm(name: str) -> Callable[..., Any]:
    """A digest by its name in any spelling: SHA-256, sha256, HmacSHA256."""
    found = _ALGORITHMS.get(name.lower().removeprefix("hmac").replace("-", "").replace("_", ""))
    if found is None:
        fail(f"there is no digest {name[:40]!r}", hint=f"Use {_NAMES}.")
    return found


def _hex(data: bytes, make: Callable[..., Any]) -> str:
    return str(make(data, usedforsecurity=False).hexdigest())


def _hex_or_null(value: Any, make: Callable[..., Any]) -> str | None:
    if value is None or (type(value) is not bytes and scalar_text(value) is None):
        return None
    return _hex(octets(value, "digest"), make)


def _keyed(value: Any, key: Any, make: Callable[..., Any], name: str) -> bytes:
    secret = octets(key, name)
    if not secret:
        fail(f"{name}: the key is empty", hint="Give a key of at least as many bytes as the digest has.")
    return hmac_of.digest(secret, octets(value, name), make)


@function(
    "md5(s: String | Binary): String",
    category="crypto",
    examples=[('md5("hello")', '"5d41402abc4b2a76b9719d911017c592"')],
)
def md5(s: str | bytes) -> str:
    """The MD5 digest; good against accidents only, not against attackers."""
    return _hex(octets(s, "md5"), hashlib.md5)


@function(
    "sha1(s: String | Binary): String",
    category="crypto",
    examples=[('sha1("hello")', '"aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"')],
)
def sha1(s: str | bytes) -> str:
    """The SHA-1 digest; good against accidents only, not against attackers."""
    return _hex(octets(s, "sha1"), hashlib.sha1)


@function(
    "sha256(s: String | Binary): String",
    category="crypto",
    examples=[('sha256("hello")', '"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"')],
)
def sha256(s: str | bytes) -> str:
    """The SHA-256 digest."""
    return _hex(octets(s, "sha256"), hashlib.sha256)


@function("sha512(s: String | Binary): String", category="crypto", examples=[('length(sha512("hello"))', "128")])
def sha512(s: str | bytes) -> str:
    """The SHA-512 digest."""
    return _hex(octets(s, "sha512"), hashlib.sha512)


@function(
    "sha224(v: Any): String?",
    category="crypto",
    examples=[
        ('sha224("hello")', '"ea09ae9cc6768c50fcee903ed054556e5bfc8347907f12598aa24193"'),
        ("sha224(null)", "null"),
    ],
)
def sha224(v: Any) -> str | None:
    """The SHA-224 digest of a scalar's text; null for null, arrays and objects."""
    return _hex_or_null(v, hashlib.sha224)


@function(
    "sha384(v: Any): String?",
    category="crypto",
    examples=[('length(sha384("hello"))', "96"), ("sha384([1])", "null")],
)
def sha384(v: Any) -> str | None:
    """The SHA-384 digest of a scalar's text; null for null, arrays and objects."""
    return _hex_or_null(v, hashlib.sha384)


@function(
    "sha3_256(v: Any): String?",
    category="crypto",
    examples=[('sha3_256("hello")', '"3338be694f50c5f338814986cdf0686453a888b84f424d792af4b9202398f392"')],
)
def sha3_256(v: Any) -> str | None:
    """The SHA3-256 digest of a scalar's text; null for null, arrays and objects."""
    return _hex_or_null(v, hashlib.sha3_256)


@function("sha3_512(v: Any): String?", category="crypto", examples=[('length(sha3_512("hello"))', "128")])
def sha3_512(v: Any) -> str | None:
    """The SHA3-512 digest of a scalar's text; null for null, arrays and objects."""
    return _hex_or_null(v, hashlib.sha3_512)


@function(
    "hash(s: Any, algorithm?: String): String",
    category="crypto",
    examples=[
        ('hash("hello") == sha256("hello")', "true"),
        ('hash("hello", "MD5")', '"5d41402abc4b2a76b9719d911017c592"'),
        ('hash("hello", "CRC")', "error: no digest"),
    ],
    params={"algorithm": _NAMES + "; default SHA-256"},
)
def hash_(s: Any, name: str = "SHA-256") -> str:
    """The digest of text or binary by a named algorithm."""
    return _hex(octets(s, "hash"), algorithm(name))


@function(
    "hmac(s: Any, key: Any, algorithm?: String): String",
    category="crypto",
    examples=[('hmac("m", "k", "HmacSHA256") == hmacSHA256("m", "k")', "true")],
    params={"algorithm": _NAMES + ", also as HmacSHA256; default SHA-256"},
)
def hmac(s: Any, key: Any, name: str = "HmacSHA256") -> str:
    """The keyed digest of text or binary by a named algorithm."""
    return _keyed(s, key, algorithm(name), "hmac").hex()


@function(
    "hmacBase64(s: Any, key: Any, algorithm?: String): String",
    category="crypto",
    examples=[('hmacBase64("m", "k")', '"tgCQ4wUil661oICInOL8S8qVfnVvrrTffTGADKHncew="')],
    params={"algorithm": _NAMES + ", also as HmacSHA256; default SHA-256"},
)
def hmac_base64(s: Any, key: Any, name: str = "HmacSHA256") -> str:
    """The keyed digest of text or binary, in base64."""
    return encode_base64(_keyed(s, key, algorithm(name), "hmacBase64"))


@function("hmacMD5(s: Any, key: Any): String", category="crypto", examples=[('length(hmacMD5("m", "k"))', "32")])
def hmac_md5(s: Any, key: Any) -> str:
    """The keyed MD5 digest."""
    return _keyed(s, key, hashlib.md5, "hmacMD5").hex()


@function("hmacSHA1(s: Any, key: Any): String", category="crypto", examples=[('length(hmacSHA1("m", "k"))', "40")])
def hmac_sha1(s: Any, key: Any) -> str:
    """The keyed SHA-1 digest."""
    return _keyed(s, key, hashlib.sha1, "hmacSHA1").hex()


@function(
    "hmacSHA256(s: Any, key: Any): String",
    category="crypto",
    examples=[
        ('hmacSHA256("m", "k")', '"b60090e3052297aeb5a080889ce2fc4bca957e756faeb4df7d31800ca1e771ec"'),
        ('hmacSHA256("m", "")', "error: key is empty"),
    ],
)
def hmac_sha256(s: Any, key: Any) -> str:
    """The keyed SHA-256 digest."""
    return _keyed(s, key, hashlib.sha256, "hmacSHA256").hex()


@function("hmacSHA384(s: Any, key: Any): String", category="crypto", examples=[('length(hmacSHA384("m", "k"))', "96")])
def hmac_sha384(s: Any, key: Any) -> str:
    """The keyed SHA-384 digest."""
    return _keyed(s, key, hashlib.sha384, "hmacSHA384").hex()


@function("hmacSHA512(s: Any, key: Any): String", category="crypto", examples=[('length(hmacSHA512("m", "k"))', "128")])
def hmac_sha512(s: Any, key: Any) -> str:
    """The keyed SHA-512 digest."""
    return _keyed(s, key, hashlib.sha512, "hmacSHA512").hex()
