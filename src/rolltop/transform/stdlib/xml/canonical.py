"""Canonical XML: one spelling for every document that says the same, and digests of it.

Arguments are XML text, a document or an element; results are null when the text is not well-formed.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.crypto.hashes import algorithm as digest_algorithm
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.serialization.octets import octets
from rolltop.transform.stdlib.xml import canonical_form
from rolltop.transform.stdlib.xml.canonical_form import ALGORITHMS, canonical, canonical_subset

_PREFIXES = {"prefixes": "Prefixes whose declarations are kept even where they are not used"}
_SAMPLE = '"<a y=\\"1\\" x=\\"2\\"><!--c--><b/></a>"'
_WITHOUT, _WITH = (
    '"<a x=\\"2\\" y=\\"1\\"><b></b></a>"',
    '"<a x=\\"2\\" y=\\"1\\"><!--c--><b></b></a>"',
)
_NAMES = "c14n, exc-c14n, c14n11, each also with -with-comments, physical, or the identifier that signatures use"


def _identifier(name: str) -> str:
    found = canonical_form.identifier(name)
    if found is None:
        fail(f"there is no canonical form {name[:60]!r}", hint=f"Use {_NAMES}.")
    return found


@function("c14n(x: Any): String?", category="serialization", examples=[(f"c14n({_SAMPLE})", _WITHOUT)])
def c14n(x: Any) -> str | None:
    """Canonical XML 1.0 without comments."""
    return canonical(x, ALGORITHMS["c14n"])


@function(
    "c14nWithComments(x: Any): String?",
    category="serialization",
    examples=[(f"c14nWithComments({_SAMPLE})", _WITH)],
)
def c14n_with_comments(x: Any) -> str | None:
    """Canonical XML 1.0 with comments."""
    return canonical(x, ALGORITHMS["c14nwithcomments"])


@function(
    "excC14n(x: Any, prefixes?: Array<String>): String?",
    category="serialization",
    examples=[
        ('excC14n("<a xmlns:n=\\"urn:n\\"><b/></a>")', '"<a><b></b></a>"'),
        ('excC14n("<a xmlns:n=\\"urn:n\\"/>", ["n"])', '"<a xmlns:n=\\"urn:n\\"></a>"'),
    ],
    params=_PREFIXES,
)
def exc_c14n(x: Any, prefixes: Sequence[str] = ()) -> str | None:
    """Exclusive canonical XML: namespaces are declared where they are used."""
    return canonical(x, ALGORITHMS["excc14n"], prefixes)


@function(
    "excC14nWithComments(x: Any, prefixes?: Array<String>): String?",
    category="serialization",
    examples=[(f"excC14nWithComments({_SAMPLE})", _WITH)],
    params=_PREFIXES,
)
def exc_c14n_with_comments(x: Any, prefixes: Sequence[str] = ()) -> str | None:
    """Exclusive canonical XML with comments."""
    return canonical(x, ALGORITHMS["excc14nwithcomments"], prefixes)


@function("c14n11(x: Any): String?", category="serialization", examples=[(f"c14n11({_SAMPLE})", _WITHOUT)])
def c14n11(x: Any) -> str | None:
    """Canonical XML 1.1 without comments."""
    return canonical(x, ALGORITHMS["c14n11"])


@function(
    "c14n11WithComments(x: Any): String?",
    category="serialization",
    examples=[(f"c14n11WithComments({_SAMPLE})", _WITH)],
)
def c14n11_with_comments(x: Any) -> str | None:
    """Canonical XML 1.1 with comments."""
    return canonical(x, ALGORITHMS["c14n11withcomments"])


@function("c14nPhysical(x: Any): String?", category="serialization", examples=[(f"c14nPhysical({_SAMPLE})", _WITH)])
def c14n_physical(x: Any) -> str | None:
    """The physical form: sorted attributes and full end tags, but every declaration and comment as it stands."""
    return canonical(x, ALGORITHMS["c14nphysical"])


@function(
    "canonicalizeWithAlgorithm(x: Any, algorithm: String, prefixes?: Array<String>): String?",
    category="serialization",
    examples=[
        ('canonicalizeWithAlgorithm("<a/>", "http://www.w3.org/2001/10/xml-exc-c14n#")', '"<a></a>"'),
        ('canonicalizeWithAlgorithm("<a/>", "unknown")', "null"),
    ],
    params={"algorithm": _NAMES, **_PREFIXES},
)
def canonicalize_with_algorithm(x: Any, algorithm: str, prefixes: Sequence[str] = ()) -> str | None:
    """The canonical form of a named algorithm; null when there is none of that name."""
    found = canonical_form.identifier(algorithm)
    return None if found is None else canonical(x, found, prefixes)


@function(
    "c14nSubset(x: Any, xpath: String, algorithm?: String): String?",
    category="serialization",
    examples=[('c14nSubset("<a><b i=\\"1\\"/><c/></a>", "//b")', '"<b i=\\"1\\"></b>"')],
    params={"xpath": "Selects elements; prefixes are those of the document", "algorithm": _NAMES + "; default c14n"},
)
def c14n_subset(x: Any, xpath: str, algorithm: str = "c14n") -> str | None:
    """The canonical form of the elements that an XPath selects, each with all it contains."""
    return canonical_subset(x, xpath, _identifier(algorithm))


def _digest(x: Any, hash_name: str, algorithm: str) -> bytes | None:
    make, form = digest_algorithm(hash_name), canonical(x, _identifier(algorithm))
    return None if form is None else bytes(make(form.encode()).digest())


@function(
    "c14nHash(x: Any, hash?: String, algorithm?: String): String?",
    category="serialization",
    examples=[
        (f"c14nHash({_SAMPLE}) == sha256(c14n({_SAMPLE}))", "true"),
        ('length(c14nHash("<a/>", "sha512", "exc-c14n"))', "128"),
        ('c14nHash("<a>")', "null"),
    ],
    params={"hash": "md5, sha1, sha256 (the default), sha512 and others", "algorithm": _NAMES + "; default c14n"},
)
def c14n_hash(x: Any, hash_name: str = "sha256", algorithm: str = "c14n") -> str | None:
    """The digest of the canonical form, in hexadecimal."""
    made = _digest(x, hash_name, algorithm)
    return None if made is None else made.hex()


@function(
    "c14nEquals(a: Any, b: Any, algorithm?: String): Boolean",
    category="serialization",
    examples=[
        ('c14nEquals("<a x=\\"1\\" y=\\"2\\"/>", "<a y=\\"2\\"  x=\\"1\\"></a>")', "true"),
        ('c14nEquals("<a/>", "<b/>")', "false"),
    ],
    params={"algorithm": _NAMES + "; default c14n"},
)
def c14n_equals(a: Any, b: Any, algorithm: str = "c14n") -> bool:
    """Whether two documents have the same canonical form; false when one is not well-formed."""
    form = _identifier(algorithm)
    left = canonical(a, form)
    return left is not None and left == canonical(b, form)


@function(
    "c14nFingerprint(x: Any): String?",
    category="serialization",
    examples=[('c14nFingerprint("<a/>") == c14nFingerprint("<a></a>")', "true")],
)
def c14n_fingerprint(x: Any) -> str | None:
    """The first 16 hexadecimal digits of the SHA-256 of the canonical form."""
    made = c14n_hash(x)
    return None if made is None else made[:16]


@function(
    "prepareForSignature(x: Any, hash?: String): { canonical: String, digest: String, algorithm: String, "
    "digestAlgorithm: String }",
    category="serialization",
    examples=[
        ('prepareForSignature("<a/>").canonical', '"<a></a>"'),
        ('validateDigest("<a/>", prepareForSignature("<a/>").digest)', "true"),
        ('prepareForSignature("<a>")', "error: not well-formed"),
    ],
    params={"hash": "sha1, sha256 (the default), sha384, sha512"},
)
def prepare_for_signature(x: Any, hash_name: str = "sha256") -> dict[str, Any]:
    """What a signature covers: the canonical form and its digest in base64, with their algorithms."""
    made, form = _digest(x, hash_name, "c14n"), c14n(x)
    if made is None:
        fail("the XML is not well-formed", hint="Check it with parseXml, which says where it goes wrong.")
    return {
        "canonical": form,
        "digest": base64.b64encode(made).decode(),
        "algorithm": ALGORITHMS["c14n"],
        "digestAlgorithm": hash_name,
    }


@function(
    "validateDigest(x: Any, digest: String, hash?: String, algorithm?: String): Boolean",
    category="serialization",
    examples=[
        ('validateDigest("<a/>", c14nHash("<a></a>"))', "true"),
        ('validateDigest("<b/>", c14nHash("<a/>"))', "false"),
    ],
    params={"digest": "Base64 or hexadecimal", "algorithm": _NAMES + "; default c14n"},
)
def validate_digest(x: Any, digest: str, hash_name: str = "sha256", algorithm: str = "c14n") -> bool:
    """Whether a digest is that of the canonical form."""
    made = _digest(x, hash_name, algorithm)
    if made is None:
        return False
    given = octets(digest.strip(), "validateDigest")
    if len(given) == 2 * len(made):
        return hmac.compare_digest(made.hex().encode(), given.lower())
    return hmac.compare_digest(base64.b64encode(made), given)
