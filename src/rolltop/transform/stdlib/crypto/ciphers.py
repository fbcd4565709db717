"""Encryption with AES, keys, and RSA encryption and signatures.

Errors never repeat a key or a plain text.
"""

from __future__ import annotations

from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

from rolltop.transform.errors import FunctionFailure, fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.host import host
from rolltop.transform.stdlib.serialization.octets import decode_base64, encode_base64, octets

MOST_RANDOM = 4096


def _cipher(key: str, iv: str, size: int) -> Cipher[modes.CBC] | None:
    """None when the key or the initialization vector is too short."""
    secret, start = octets(key, "AES")[:size], octets(iv, "AES")[:16]
    if len(secret) < size or len(start) < 16:
        return None
    return Cipher(algorithms.AES(secret), modes.CBC(start))


def _encrypt(s: Any, key: str, iv: str, size: int) -> str | None:
    padder, cipher = PKCS7(128).padder(), _cipher(key, iv, size)
    padded = padder.update(octets(s, "encryptAES")) + padder.finalize()
    if cipher is None:
        return None
    work = cipher.encryptor()
    return encode_base64(work.update(padded) + work.finalize())


def _decrypt(s: str, key: str, iv: str, size: int) -> str | None:
    cipher, unpadder = _cipher(key, iv, size), PKCS7(128).unpadder()
    if cipher is None:
        return None
    work = cipher.decryptor()
    try:
        padded = work.update(decode_base64(s, "decryptAES")) + work.finalize()
        return (unpadder.update(padded) + unpadder.finalize()).decode()
    except (ValueError, FunctionFailure):
        return None


_AES = {"key": "Text; the first 16 bytes of its UTF-8 are the key", "iv": "Text; the first 16 bytes are used"}
_AES256 = _AES | {"key": "Text; the first 32 bytes of its UTF-8 are the key"}


@function(
    "encryptAES(s: Any, key: String, iv: String): String?",
    category="crypto",
    examples=[
        ('encryptAES("hi", "0123456789abcdef", "fedcba9876543210")', '"eDWsfWGiZ3hEH0elhoepiw=="'),
        ('encryptAES("hi", "short", "fedcba9876543210")', "null"),
    ],
    params=_AES,
)
def encrypt_aes(s: Any, key: str, iv: str) -> str | None:
    """Encrypts text with AES-128 in CBC mode; the result is base64, null when the key or the vector is too short."""
    return _encrypt(s, key, iv, 16)


@function(
    "decryptAES(s: String, key: String, iv: String): String?",
    category="crypto",
    examples=[
        (
            'decryptAES(encryptAES("hi", "0123456789abcdef", "fedcba9876543210"), '
            '"0123456789abcdef", "fedcba9876543210")',
            '"hi"',
        ),
        ('decryptAES("not base64!", "0123456789abcdef", "fedcba9876543210")', "null"),
    ],
    params=_AES,
)
def decrypt_aes(s: str, key: str, iv: str) -> str | None:
    """Decrypts what encryptAES made; null when it is something else or the key does not fit."""
    return _decrypt(s, key, iv, 16)


@function(
    "encryptAES256(s: Any, key: String, iv: String): String?",
    category="crypto",
    examples=[('length(encryptAES256("hi", "0123456789abcdef0123456789abcdef", "fedcba9876543210"))', "24")],
    params=_AES256,
)
def encrypt_aes256(s: Any, key: str, iv: str) -> str | None:
    """Encrypts text with AES-256 in CBC mode; the result is base64, null when the key or the vector is too short."""
    return _encrypt(s, key, iv, 32)


@function(
    "decryptAES256(s: String, key: String, iv: String): String?",
    category="crypto",
    examples=[
        (
            'decryptAES256(encryptAES256("hi", "0123456789abcdef0123456789abcdef", "fedcba9876543210"), '
            '"0123456789abcdef0123456789abcdef", "fedcba9876543210")',
            '"hi"',
        )
    ],
    params=_AES256,
)
def decrypt_aes256(s: str, key: str, iv: str) -> str | None:
    """Decrypts what encryptAES256 made; null when it is something else or the key does not fit."""
    return _decrypt(s, key, iv, 32)


def _random(count: int) -> str:
    if not 1 <= count <= MOST_RANDOM:
        fail(f"cannot make {count} random bytes", hint=f"Ask for 1 to {MOST_RANDOM}.")
    return encode_base64(host().random.randbytes(count))


@function(
    "generateKey(bytes?: Integer): String",
    category="crypto",
    examples=[("length(generateKey())", "44"), ("length(generateKey(16))", "24")],
    params={"bytes": "How many random bytes; default 32"},
    pure=False,
)
def generate_key(count: int = 32) -> str:
    """Random bytes for a key, in base64."""
    return _random(count)


@function(
    "generateIV(bytes?: Integer): String",
    category="crypto",
    examples=[("length(generateIV())", "24")],
    params={"bytes": "How many random bytes; default 16"},
    pure=False,
)
def generate_iv(count: int = 16) -> str:
    """Random bytes for an initialization vector, in base64."""
    return _random(count)


@function(
    "generateRSAKeyPair(bits?: Integer): { publicKey: String, privateKey: String, algorithm: String, "
    "keySize: Integer }",
    category="crypto",
    examples=[("generateRSAKeyPair(1024).keySize", "1024"), ("generateRSAKeyPair(512)", "error: no RSA keys")],
    params={"bits": "1024, 2048 (the default), 3072 or 4096"},
    pure=False,
)
def generate_rsa_key_pair(bits: int = 2048) -> dict[str, Any]:
    """A new pair of RSA keys, in PEM form."""
    if bits not in (1024, 2048, 3072, 4096):
        fail(f"there are no RSA keys of {bits} bits here", hint="Use 1024, 2048, 3072 or 4096.")
    key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return {"publicKey": public.decode(), "privateKey": private.decode(), "algorithm": "RSA", "keySize": bits}


def _der(text: str) -> bytes:
    return decode_base64(text, "the key")


def private_key(text: str) -> rsa.RSAPrivateKey:
    """A private RSA key from PEM, or from the base64 of its PKCS#8 form."""
    try:
        if "-----BEGIN" in text:
            key = serialization.load_pem_private_key(octets(text, "key"), password=None)
        else:
            key = serialization.load_der_private_key(_der(text), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        fail("the private key cannot be read", hint="Give PEM text without a password, as generateRSAKeyPair makes it.")
    if not isinstance(key, rsa.RSAPrivateKey):
        fail("the private key is no RSA key", hint="Make one with generateRSAKeyPair().")
    return key


def public_key(text: str) -> rsa.RSAPublicKey:
    """A public RSA key from PEM, or from the base64 of its X.509 form."""
    try:
        if "-----BEGIN" in text:
            key = serialization.load_pem_public_key(octets(text, "key"))
        else:
            key = serialization.load_der_public_key(_der(text))
    except (ValueError, TypeError, UnsupportedAlgorithm):
        fail("the public key cannot be read", hint="Give PEM text, as generateRSAKeyPair makes it.")
    if not isinstance(key, rsa.RSAPublicKey):
        fail("the public key is no RSA key", hint="Make one with generateRSAKeyPair().")
    return key


_SIGNATURES: dict[str, hashes.HashAlgorithm] = {
    "SHA1WITHRSA": hashes.SHA1(),  # noqa: S303 - old partners still sign with it
    "SHA256WITHRSA": hashes.SHA256(),
    "SHA384WITHRSA": hashes.SHA384(),
    "SHA512WITHRSA": hashes.SHA512(),
}
_ALGORITHM = {"algorithm": "SHA256withRSA (the default), SHA384withRSA, SHA512withRSA or SHA1withRSA"}


def _signature(name: str) -> hashes.HashAlgorithm:
    found = _SIGNATURES.get(name.upper().replace("-", ""))
    if found is None:
        fail(f"there is no signature {name[:40]!r}", hint=f"Use {_ALGORITHM['algorithm']}.")
    return found


_PAIR = "let k = generateRSAKeyPair(1024) in "


@function(
    "rsaSign(s: Any, privateKey: String, algorithm?: String): String",
    category="crypto",
    examples=[(_PAIR + 'rsaVerify("m", rsaSign("m", k.privateKey), k.publicKey)', "true")],
    params=_ALGORITHM,
)
def rsa_sign(s: Any, key: str, algorithm: str = "SHA256withRSA") -> str:
    """Signs text with a private RSA key (PKCS#1 v1.5); the signature is base64."""
    return encode_base64(private_key(key).sign(octets(s, "rsaSign"), padding.PKCS1v15(), _signature(algorithm)))


@function(
    "rsaVerify(s: Any, signature: String, publicKey: String, algorithm?: String): Boolean",
    category="crypto",
    examples=[(_PAIR + 'rsaVerify("other", rsaSign("m", k.privateKey), k.publicKey)', "false")],
    params=_ALGORITHM,
)
def rsa_verify(s: Any, signature: str, key: str, algorithm: str = "SHA256withRSA") -> bool:
    """Whether a signature was made for this text with the private key that belongs to a public key."""
    made = decode_base64(signature, "rsaVerify")
    try:
        public_key(key).verify(made, octets(s, "rsaVerify"), padding.PKCS1v15(), _signature(algorithm))
    except InvalidSignature:
        return False
    return True


@function(
    "rsaEncrypt(s: Any, publicKey: String): String",
    category="crypto",
    examples=[(_PAIR + 'rsaDecrypt(rsaEncrypt("hi", k.publicKey), k.privateKey)', '"hi"')],
    pure=False,
)
def rsa_encrypt(s: Any, key: str) -> str:
    """Encrypts a short text for the owner of a public RSA key (PKCS#1 v1.5); the result is base64."""
    public, data = public_key(key), octets(s, "rsaEncrypt")
    most = public.key_size // 8 - 11
    if len(data) > most:
        fail(
            f"the text has {len(data)} bytes; this key encrypts {most}", hint="Encrypt an AES key, and the text by it."
        )
    return encode_base64(public.encrypt(data, padding.PKCS1v15()))


@function(
    "rsaDecrypt(s: String, privateKey: String): String",
    category="crypto",
    examples=[
        (_PAIR + 'rsaDecrypt(rsaEncrypt("é", k.publicKey), k.privateKey)', '"é"'),
        ('rsaDecrypt("AAAA", "no key")', "error: key"),
    ],
)
def rsa_decrypt(s: str, key: str) -> str:
    """Decrypts what rsaEncrypt made."""
    try:
        return private_key(key).decrypt(decode_base64(s, "rsaDecrypt"), padding.PKCS1v15()).decode()
    except ValueError:
        fail("rsaDecrypt: the text was not encrypted for this key", hint="Use the private key of the same pair.")
