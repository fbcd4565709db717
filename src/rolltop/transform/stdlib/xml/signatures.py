"""Enveloped XML signatures (XML-DSig) with RSA keys, made and checked by signxml."""

from __future__ import annotations

from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from lxml import etree
from signxml.algorithms import DigestAlgorithm, SignatureConstructionMethod, SignatureMethod
from signxml.exceptions import SignXMLException
from signxml.signer import XMLSigner
from signxml.verifier import SignatureConfiguration, XMLVerifier

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.crypto.ciphers import private_key, public_key
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.serialization.octets import octets
from rolltop.transform.stdlib.xml.canonical_form import ALGORITHMS, canonical, parse_tree, xml_text

_DS = "http://www.w3.org/2000/09/xmldsig#"
_NAMES = {"ds": _DS}
_METHODS = {
    "SHA256WITHRSA": (SignatureMethod.RSA_SHA256, DigestAlgorithm.SHA256),
    "SHA384WITHRSA": (SignatureMethod.RSA_SHA384, DigestAlgorithm.SHA384),
    "SHA512WITHRSA": (SignatureMethod.RSA_SHA512, DigestAlgorithm.SHA512),
}
_SIGNED = 'let k = generateRSAKeyPair(2048) in let s = signXML("<a><b>1</b></a>", k.privateKey, k.publicKey) in '


_REFUSALS = (
    SignXMLException, InvalidSignature, UnsupportedAlgorithm, etree.LxmlError, ValueError, TypeError, LookupError,
    AttributeError, AssertionError,
)  # fmt: skip
"""What a signature that somebody made up leads to."""


def _tree(xml: Any, function_name: str) -> Any:
    text = xml_text(xml)
    root = parse_tree(text) if text is not None else None
    if root is None:
        fail(f"{function_name}: the XML is not well-formed", hint="Check it with parseXml, which says where.")
    return root


def _certificate(pem: str) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(octets(pem, "certificate"))
    except ValueError:
        fail("the certificate cannot be read", hint="Give PEM text that starts with -----BEGIN CERTIFICATE-----.")


@function(
    "signXML(xml: Any, privateKey: String, publicKey: String, algorithm?: String): String",
    category="crypto",
    examples=[
        (_SIGNED + "verifyXMLSignature(s)", "true"),
        (_SIGNED + 'verifyXMLSignature(replace(s, "<b>1</b>", "<b>2</b>"))', "false"),
    ],
    params={
        "publicKey": "The public key that belongs to the private one, or its certificate; it goes into the signature",
        "algorithm": "SHA256withRSA (the default), SHA384withRSA or SHA512withRSA",
    },
)
def sign_xml(xml: Any, private: str, public: str, algorithm: str = "SHA256withRSA") -> str:
    """Signs a document; the signature stands inside its root element."""
    chosen = _METHODS.get(algorithm.upper().replace("-", ""))
    if chosen is None:
        fail(f"there is no signature {algorithm[:40]!r}", hint="Use SHA256withRSA, SHA384withRSA or SHA512withRSA.")
    key = private_key(private)
    is_certificate = "BEGIN CERTIFICATE" in public
    given = _certificate(public).public_key() if is_certificate else public_key(public)
    if given != key.public_key():
        fail("the public key does not belong to the private key", hint="Use both keys of one pair.")
    signer = XMLSigner(
        method=SignatureConstructionMethod.enveloped, signature_algorithm=chosen[0], digest_algorithm=chosen[1]
    )
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    root = _tree(xml, "signXML")
    canonical(xml, ALGORITHMS["c14n"])  # says why when there is no canonical form to sign
    signed = signer.sign(root, key=pem, cert=public if is_certificate else None)
    return etree.tostring(signed, encoding="unicode")


def _problem(root: Any, certificate: str | None) -> str | None:
    """None when the signature of the whole document is good, else what is wrong with it."""
    signature = root.find("ds:Signature", _NAMES)
    if signature is None:
        return "the document has no signature"
    covered = [found.get("URI", "") for found in signature.iterfind("ds:SignedInfo/ds:Reference", _NAMES)]
    if covered != [""]:
        # A signature over a part says nothing about the rest, which anybody may have wrapped around it.
        return "the signature does not cover the whole document"
    embedded = certificate or _embedded_certificate(root)
    try:
        XMLVerifier().verify(
            root,
            x509_cert=embedded,
            expect_config=SignatureConfiguration(require_x509=embedded is not None, location="./"),
        )
    except _REFUSALS as error:
        said = str(error).strip()
        return said if said and not said.endswith(":") else "the signature does not fit the document and the key"
    return None


def prepare_signatures() -> None:
    """Read the schemas of signatures now: later, there may be no files to open."""
    XMLVerifier.schemas()  # type: ignore[no-untyped-call]


def _embedded_certificate(root: Any) -> str | None:
    text = root.findtext(".//ds:Signature/ds:KeyInfo/ds:X509Data/ds:X509Certificate", None, _NAMES)
    if not text:
        return None
    return f"-----BEGIN CERTIFICATE-----\n{text.strip()}\n-----END CERTIFICATE-----\n"


@function(
    "verifyXMLSignature(xml: String): Boolean",
    category="crypto",
    examples=[('verifyXMLSignature("<a/>")', "false"), (_SIGNED + "verifyXMLSignature(s)", "true")],
)
def verify_xml_signature(xml: str) -> bool:
    """Whether a document is as it was signed, by the key inside it. That says nothing about who signed it."""
    return _problem(_tree(xml, "verifyXMLSignature"), None) is None


@function(
    "verifyXMLSignatureWithCert(xml: String, certificate: String): { valid: Boolean, error?: String }",
    category="crypto",
    examples=[('verifyXMLSignatureWithCert("<a/>", "no certificate")', "error: certificate cannot be read")],
    params={"certificate": "The certificate of whoever must have signed, in PEM form"},
)
def verify_xml_signature_with_cert(xml: str, certificate: str) -> dict[str, Any]:
    """Whether a document is as the owner of a certificate signed it; the key inside does not count."""
    _certificate(certificate)
    problem = _problem(_tree(xml, "verifyXMLSignatureWithCert"), certificate)
    return {"valid": True} if problem is None else {"valid": False, "error": problem}


@function(
    "getXMLSignatureInfo(xml: String): Object",
    category="crypto",
    examples=[
        ('getXMLSignatureInfo("<a/>")', "{signed: false}"),
        (_SIGNED + "getXMLSignatureInfo(s).references[0].uri", '""'),
    ],
)
def get_xml_signature_info(xml: str) -> dict[str, Any]:
    """What the signature of a document says about itself; nothing is verified."""
    signature = _tree(xml, "getXMLSignatureInfo").find(".//ds:Signature", _NAMES)
    if signature is None:
        root = _tree(xml, "getXMLSignatureInfo")
        signature = root if root.tag == f"{{{_DS}}}Signature" else None
    if signature is None:
        return {"signed": False}
    key = signature.find("ds:KeyInfo", _NAMES)
    return {
        "signed": True,
        "signatureAlgorithm": _algorithm(signature, "ds:SignedInfo/ds:SignatureMethod"),
        "canonicalizationAlgorithm": _algorithm(signature, "ds:SignedInfo/ds:CanonicalizationMethod"),
        "references": [_reference(found) for found in signature.iterfind("ds:SignedInfo/ds:Reference", _NAMES)],
        "signatureValue": "".join(signature.findtext("ds:SignatureValue", "", _NAMES).split()),
        "keyInfo": [] if key is None else [etree.QName(child).localname for child in key if isinstance(child.tag, str)],
    }


def _algorithm(node: Any, path: str) -> str | None:
    found = node.find(path, _NAMES)
    return None if found is None else found.get("Algorithm")


def _reference(node: Any) -> dict[str, Any]:
    return {
        "uri": node.get("URI", ""),
        "digestAlgorithm": _algorithm(node, "ds:DigestMethod"),
        "digest": node.findtext("ds:DigestValue", "", _NAMES).strip(),
        "transforms": [found.get("Algorithm") for found in node.iterfind("ds:Transforms/ds:Transform", _NAMES)],
    }
