"""Digests against hashlib, ciphers and keys against openssl, tokens against PyJWT."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import hmac
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import jwt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.errors import RolltopError
from rolltop.transform.stdlib import Host, find, installed
from rolltop.transform.stdlib.xml.canonical_form import parse_tree

SECRET = "a secret of more than thirty-two bytes, as it should be, and some more to be sure of it"
KEY, IV = "0123456789abcdef0123456789abcdef", "fedcba9876543210"
QUICK = settings(max_examples=25, deadline=None)


def call(name: str, *arguments: Any) -> Any:
    declared = find(name)
    assert declared is not None
    return declared.call(*arguments)


def refusal(name: str, *arguments: Any) -> str:
    with pytest.raises(RolltopError) as caught:
        call(name, *arguments)
    return caught.value.message


@pytest.fixture(scope="module")
def pair() -> dict[str, str]:
    return dict(call("generateRSAKeyPair"))


@pytest.fixture(scope="module")
def signed(pair: dict[str, str]) -> str:
    return str(call("signXML", "<a><b>1</b></a>", pair["privateKey"], pair["publicKey"]))


def openssl(*arguments: str, data: bytes = b"") -> bytes:
    return subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=True).stdout


@pytest.mark.parametrize("name", ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512"])
@QUICK
@given(st.text() | st.binary())
def test_digests_are_those_of_hashlib(name: str, value: str | bytes) -> None:
    data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
    assert call(name, value) == hashlib.new(name, data).hexdigest()
    assert call("hash", value, name) == hashlib.new(name, data).hexdigest()


@pytest.mark.parametrize("name", ["MD5", "SHA1", "SHA256", "SHA384", "SHA512"])
@QUICK
@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8"), min_size=1))
def test_keyed_digests_are_those_of_hmac(name: str, text: str, key: str) -> None:
    wanted = hmac.new(key.encode(), text.encode(), name.lower())
    assert call(f"hmac{name}", text, key) == wanted.hexdigest()
    assert call("hmacBase64", text, key, f"Hmac{name}") == base64.b64encode(wanted.digest()).decode()


def test_the_first_digests_refuse_what_is_no_text() -> None:
    assert "md5 requires a string or a binary" in refusal("md5", 5)
    assert call("sha384", 5) == hashlib.sha384(b"5").hexdigest()
    assert call("sha384", {}) is None


@QUICK
@given(st.binary())
def test_base64_and_hexadecimal_read_back(data: bytes) -> None:
    assert call("base64Encode", data) == base64.b64encode(data).decode()
    assert call("fromBase64", call("toBase64", data)) == data
    assert call("fromHex", call("hexEncode", data)) == data


@QUICK
@given(st.text(st.characters(codec="utf-8")))
def test_url_encodings_read_back(text: str) -> None:
    assert call("urlDecode", call("urlEncode", text)) == text
    assert call("urlDecodeComponent", call("urlEncodeComponent", text)) == text


@pytest.mark.parametrize("text", ["A", "A===", "=AAA", "SGk=SGk=", "SG k=!"])
def test_bad_base64_is_refused(text: str) -> None:
    assert "not base64" in refusal("base64Decode", text)


@pytest.mark.parametrize(
    ("function", "cipher", "size"), [("encryptAES", "-aes-128-cbc", 16), ("encryptAES256", "-aes-256-cbc", 32)]
)
def test_encryption_is_that_of_openssl(function: str, cipher: str, size: int) -> None:
    made = openssl("enc", cipher, "-K", KEY.encode()[:size].hex(), "-iv", IV.encode().hex(), data="grüße".encode())
    assert base64.b64decode(call(function, "grüße", KEY, IV)) == made
    assert call(function.replace("en", "de", 1), call(function, "grüße", KEY, IV), KEY, IV) == "grüße"


def test_failures_of_ciphers_give_null_and_are_not_told() -> None:
    made = call("encryptAES", "text", KEY, IV)
    assert call("decryptAES", made, "another key 0000", IV) in (None, "") or call("decryptAES", made, KEY, IV) == "text"
    for made in ("not base64!", "AAAA", "", base64.b64encode(bytes(32)).decode()):
        assert call("decryptAES", made, KEY, IV) is None
        assert call("decryptAES256", made, KEY, IV) is None
    for key, iv in (("secret", IV), (KEY, "short"), ("", "")):
        assert call("encryptAES", "x", key, iv) is None
        assert call("encryptAES256", "x", key, iv) is None
        assert call("decryptAES", "AAAA", key, iv) is None


def test_an_expiry_that_cannot_be_read_is_never_valid() -> None:
    for exp in ("86400", "x", None, True, [1], {}, "9e99"):
        token = call("createJWT", {"exp": exp}, SECRET)
        assert "exp is no number" in refusal("isJWTExpired", token)
        assert call("verifyJWT", token, SECRET)["verified"] is False
    header, payload = (
        base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (b'{"alg":"HS256"}', b'{"exp":1e999}')
    )
    assert "exp is no number" in refusal("isJWTExpired", f"{header}.{payload}.c2ln")
    assert call("isJWTExpired", call("createJWT", {"a": 1}, SECRET)) is False


def test_an_empty_payload_is_one() -> None:
    token = call("signJWS", "", SECRET)
    assert (call("getJWSPayload", token), call("decodeJWS", token)["payload"]) == ("", "")
    assert call("isJWSFormat", token) is False
    assert call("validateJWTStructure", token)["valid"] is False


def test_rsa_signatures_are_those_of_openssl(pair: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "private.pem").write_text(pair["privateKey"])
    (tmp_path / "public.pem").write_text(pair["publicKey"])
    made = openssl("dgst", "-sha256", "-sign", str(tmp_path / "private.pem"), data=b"text")
    assert call("rsaSign", "text", pair["privateKey"]) == base64.b64encode(made).decode()
    assert call("rsaVerify", "text", base64.b64encode(made).decode(), pair["publicKey"]) is True
    assert call("rsaVerify", "texts", base64.b64encode(made).decode(), pair["publicKey"]) is False


def test_rsa_encryption_reads_back_and_is_bounded(pair: dict[str, str]) -> None:
    assert call("rsaDecrypt", call("rsaEncrypt", "é" * 100, pair["publicKey"]), pair["privateKey"]) == "é" * 100
    assert "245" in refusal("rsaEncrypt", "x" * 246, pair["publicKey"])
    assert "cannot be read" in refusal("rsaEncrypt", "x", "-----BEGIN PUBLIC KEY-----")


def test_randomness_is_the_hosts() -> None:
    moment = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    with installed(Host.fixed(moment, seed=1)):
        first = call("generateKey")
    with installed(Host.fixed(moment, seed=1)):
        assert call("generateKey") == first
    assert "cannot make" in refusal("generateKey", 10**9)


@pytest.mark.parametrize("algorithm", ["HS256", "HS384", "HS512"])
def test_tokens_are_those_of_pyjwt(algorithm: str) -> None:
    claims = {"sub": "ann", "admin": True, "roles": ["a", "b"]}
    assert jwt.decode(call("createJWT", claims, SECRET, algorithm), SECRET, algorithms=[algorithm]) == claims
    theirs = jwt.encode(claims, SECRET, algorithm)
    assert call("verifyJWT", theirs, SECRET, algorithm)["payload"] == claims
    assert call("decodeJWT", theirs)["payload"] == claims


def test_tokens_with_keys_are_those_of_pyjwt(pair: dict[str, str]) -> None:
    made = call("createJWTSigned", {"sub": "ann"}, pair["privateKey"], "RS256")
    assert jwt.decode(made, pair["publicKey"], algorithms=["RS256"]) == {"sub": "ann"}
    assert call("verifyJWTSignature", made, pair["publicKey"])["verified"] is True


def test_a_public_key_never_serves_as_a_secret(pair: dict[str, str]) -> None:
    header = base64.urlsafe_b64encode(b'{"alg":"HS256"}').rstrip(b"=")
    signing = header + b"." + base64.urlsafe_b64encode(b'{"sub":"eve"}').rstrip(b"=")
    signature = base64.urlsafe_b64encode(hmac.digest(pair["publicKey"].encode(), signing, "sha256")).rstrip(b"=")
    forged = (signing + b"." + signature).decode()
    assert call("verifyJWT", forged, pair["publicKey"]) == {"verified": False, "error": "the key does not fit HS256"}


def test_unsigned_tokens_are_not_verified() -> None:
    unsigned = jwt.encode({"sub": "eve"}, "", algorithm="none")
    assert call("verifyJWT", unsigned, "")["verified"] is False
    assert "payload" not in call("verifyJWT", unsigned, "")
    assert "no token algorithm" in refusal("createJWT", {}, "x", "none")


def test_times_are_checked_with_the_hosts_clock() -> None:
    with installed(Host.fixed(dt.datetime(2024, 1, 1, tzinfo=dt.UTC))):
        token = call("createJWT", {"sub": "ann"}, SECRET, "HS256", 60)
        assert call("verifyJWT", token, SECRET)["verified"] is True
    with installed(Host.fixed(dt.datetime(2024, 1, 1, 0, 1, tzinfo=dt.UTC))):
        assert call("isJWTExpired", token) is True
        assert call("verifyJWT", token, SECRET)["error"] == "the token has expired"
        assert call("verifyJWTSignature", token, SECRET)["verified"] is True


def test_key_sets_verify_without_the_network(pair: dict[str, str]) -> None:
    public = jwt.algorithms.RSAAlgorithm(jwt.algorithms.RSAAlgorithm.SHA256).prepare_key(pair["publicKey"])
    key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(public)) | {"kid": "k1"}
    token = jwt.encode({"sub": "ann"}, pair["privateKey"], "RS256", headers={"kid": "k1"})
    assert call("verifyJWTWithJWKS", token, {"keys": [{"kty": "oct"}, "junk", key]})["verified"] is True
    assert call("verifyJWTWithJWKS", token, json.dumps({"keys": [key | {"kid": "k2"}]}))["verified"] is False
    assert "may not fetch" in refusal("verifyJWTWithJWKS", token, "https://example.com/keys")


@pytest.mark.parametrize("text", ["", "a.b.c", "..", "e30.e30.e30", "eyJhbGciOjF9.e30.", "x" * 2_000_000, "é.é.é"])
def test_what_is_no_token_is_refused(text: str) -> None:
    assert "no token" in refusal("decodeJWT", text)
    assert call("validateJWTStructure", text)["valid"] is False


def test_signed_xml_holds_until_it_is_changed(pair: dict[str, str]) -> None:
    signed = call("signXML", "<a><b>1</b></a>", pair["privateKey"], pair["publicKey"])
    assert call("verifyXMLSignature", signed) is True
    assert call("verifyXMLSignature", signed.replace("<b>1</b>", "<b>2</b>")) is False
    assert call("verifyXMLSignature", f"<evil>{signed}</evil>") is False
    info = call("getXMLSignatureInfo", signed)
    assert info["signatureAlgorithm"].endswith("rsa-sha256")


def test_a_forged_signature_is_false_and_no_failure(signed: str) -> None:
    forged = [
        signed.replace("rsa-sha256", "rsa-sha512"), signed.replace("rsa-sha256", "rsa-none"),
        call("prettyPrintXML", signed), re.sub("<ds:SignatureValue>...", "<ds:SignatureValue>AAA", signed),
        re.sub("<ds:SignatureValue>[^<]*", "<ds:SignatureValue>", signed),
        re.sub("<ds:SignatureValue>.*</ds:SignatureValue>", "", signed, flags=re.DOTALL),
        re.sub("<ds:KeyInfo>.*</ds:KeyInfo>", "", signed, flags=re.DOTALL),
        re.sub("<ds:Modulus>[^<]*", "<ds:Modulus>AQAB", signed), re.sub("<ds:Exponent>[^<]*", "<ds:Exponent>", signed),
        re.sub("<ds:DigestValue>[^<]*", "<ds:DigestValue>!", signed),
        re.sub(' Algorithm="[^"]*"', "", signed), re.sub('Algorithm="[^"]*sha256"', 'Algorithm="x"', signed),
    ]  # fmt: skip
    for text in forged:
        assert text != signed
        assert call("verifyXMLSignature", text) is False


@settings(max_examples=150, deadline=None)
@given(st.floats(0, 1), st.integers(0, 30), st.sampled_from(["", "<", ">", "A", "/", '"', "&", "ds:", " ", "=", "URI"]))
def test_no_change_of_a_signed_document_is_more_than_false(signed: str, where: float, cut: int, piece: str) -> None:
    at = int(where * len(signed))
    changed = signed[:at] + piece + signed[at + cut :]
    if parse_tree(changed) is None:
        assert "not well-formed" in refusal("verifyXMLSignature", changed)
    else:
        assert call("verifyXMLSignature", changed) in (True, False)


def test_what_has_no_canonical_form_is_told_why(pair: dict[str, str]) -> None:
    said = "namespace 'u' is relative"
    assert said in refusal("signXML", '<a xmlns="u"/>', pair["privateKey"], pair["publicKey"])
    for name in ("c14n", "c14nHash", "prepareForSignature", "excC14n", "c14n11"):
        assert said in refusal(name, '<a xmlns="u"/>')
    assert said in refusal("c14nEquals", '<a xmlns="u"/>', '<a xmlns="u"/>')
    assert said in refusal("c14nSubset", '<a xmlns:x="u"><x:b/></a>', "//x:b")


def test_a_certificate_says_who_signed(pair: dict[str, str], tmp_path: Path) -> None:
    certificates = []
    for name in ("ann", "eve"):
        (tmp_path / name).write_text(pair["privateKey"] if name == "ann" else call("generateRSAKeyPair")["privateKey"])
        made = openssl("req", "-x509", "-key", str(tmp_path / name), "-subj", f"/CN={name}", "-days", "1")
        certificates.append(made.decode())
    signed = call("signXML", "<a/>", pair["privateKey"], certificates[0])
    assert call("verifyXMLSignature", signed) is True
    assert call("verifyXMLSignatureWithCert", signed, certificates[0]) == {"valid": True}
    assert call("verifyXMLSignatureWithCert", signed, certificates[1])["valid"] is False
    forged = call("verifyXMLSignatureWithCert", signed.replace("rsa-sha256", "rsa-sha512"), certificates[0])
    assert forged == {"valid": False, "error": "the signature does not fit the document and the key"}


def test_both_keys_must_be_of_one_pair(pair: dict[str, str]) -> None:
    other = call("generateRSAKeyPair", 1024)
    assert "does not belong" in refusal("signXML", "<a/>", pair["privateKey"], other["publicKey"])
