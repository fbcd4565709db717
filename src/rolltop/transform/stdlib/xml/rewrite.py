"""Rewriting XML text: namespaces and empty elements. Everything else stays as it is written."""

from __future__ import annotations

import re
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.xml.tokens import (
    Element,
    Token,
    attributes_of,
    name_in,
    tokens,
    tree,
    with_attributes,
)
from rolltop.transform.values import scalar_text

_NCNAME = re.compile(r"[^\W\d][\w.\-]*")
_XSI = "http://www.w3.org/2001/XMLSchema-instance"


def _texts(mapping: dict[str, Any], function_name: str) -> dict[str, str]:
    texts = {key: scalar_text(value) or "" for key, value in mapping.items()}
    if not all(texts.values()):
        fail(f"{function_name}: a prefix or namespace is empty", hint="Both are texts.")
    return texts


def _check_prefix(prefix: str) -> None:
    if _NCNAME.fullmatch(prefix) is None or prefix.lower() in ("xml", "xmlns"):
        fail(f"{prefix[:40]!r} cannot be a prefix", hint="A prefix starts with a letter and is not xml.")


def _quote(text: str) -> str:
    return '"' + text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;") + '"'


@function(
    "addNamespaceDeclarations(xml: String, namespaces: Map<String>): String",
    category="serialization",
    examples=[
        ('addNamespaceDeclarations("<a><b/></a>", {n: "urn:n"})', '"<a xmlns:n=\\"urn:n\\"><b/></a>"'),
        ('addNamespaceDeclarations("<a xmlns:n=\\"urn:m\\"/>", {n: "urn:n"})', "error: already stands for"),
    ],
    params={"namespaces": "An object {prefix: uri}"},
)
def add_namespace_declarations(xml: str, namespaces: dict[str, Any]) -> str:
    """Declares namespaces on the root element."""
    wanted = _texts(namespaces, "addNamespaceDeclarations")
    parts = list(tokens(xml, "addNamespaceDeclarations"))
    at = next(at for at, token in enumerate(parts) if token.kind in ("start", "empty"))
    attributes = attributes_of(parts[at].text)
    for prefix, uri in wanted.items():
        _check_prefix(prefix)
        present = dict(attributes).get(f"xmlns:{prefix}")
        if present is None:
            attributes.append((f"xmlns:{prefix}", _quote(uri)))
        elif present[1:-1] != uri:
            fail(f"the prefix {prefix} already stands for {present}", hint="Use another prefix.")
    parts[at] = Token("start", with_attributes(parts[at].text, name_in(parts[at].text), attributes))
    return "".join(token.text for token in parts)


@function(
    "enforceNamespacePrefixes(xml: String, prefixes: Map<String>): String",
    category="serialization",
    examples=[
        (
            'enforceNamespacePrefixes("<x:a xmlns:x=\\"urn:n\\" x:i=\\"1\\"><x:b/></x:a>", {"urn:n": "n"})',
            '"<n:a xmlns:n=\\"urn:n\\" n:i=\\"1\\"><n:b/></n:a>"',
        ),
        (
            'enforceNamespacePrefixes("<a xmlns=\\"urn:n\\" i=\\"1\\"/>", {"urn:n": "n"})',
            '"<n:a xmlns:n=\\"urn:n\\" i=\\"1\\"/>"',
        ),
    ],
    params={"prefixes": "An object {uri: prefix}"},
)
def enforce_namespace_prefixes(xml: str, prefixes: dict[str, Any]) -> str:
    """Gives namespaces the prefixes that a receiver expects; what the document says stays the same."""
    wanted = _texts(prefixes, "enforceNamespacePrefixes")
    for prefix in wanted.values():
        _check_prefix(prefix)
    if len(set(wanted.values())) != len(wanted):
        fail("one prefix is wanted for two namespaces", hint="Every namespace needs a prefix of its own.")
    return _Renaming(wanted).run(xml)


class _Renaming:
    """Follows the scopes of prefixes through a document."""

    def __init__(self, wanted: dict[str, str]) -> None:
        self.wanted = wanted
        self.scopes: list[dict[str, str]] = [{}]

    def run(self, xml: str) -> str:
        return "".join(map(self._token, tokens(xml, "enforceNamespacePrefixes")))

    def _token(self, token: Token) -> str:
        if token.kind == "end":
            renamed = f"</{self._name(name_in(token.text), default=True)}>"
            self.scopes.pop()
            return renamed
        if token.kind not in ("start", "empty"):
            return token.text
        attributes = attributes_of(token.text)
        own = {
            name.partition(":")[2]: value[1:-1]
            for name, value in attributes
            if name == "xmlns" or name.startswith("xmlns:")
        }
        self.scopes.append(self.scopes[-1] | own)
        made = with_attributes(
            token.text, self._name(name_in(token.text), default=True), [self._attribute(*pair) for pair in attributes]
        )
        if token.kind == "empty":
            self.scopes.pop()
        return made

    def _attribute(self, name: str, value: str) -> tuple[str, str]:
        if name != "xmlns" and not name.startswith("xmlns:"):
            return self._name(name, default=False), value
        uri, declared = value[1:-1], name.partition(":")[2]
        if uri in self.wanted:
            return f"xmlns:{self.wanted[uri]}", value
        if declared in self.wanted.values():
            fail(f"the prefix {declared} stands for {uri} in the document", hint="Rename that one too.")
        return name, value

    def _name(self, name: str, *, default: bool) -> str:
        prefix, colon, local = name.rpartition(":")
        if not colon and not default:
            return name
        uri = self.scopes[-1].get(prefix)
        return f"{self.wanted[uri]}:{local}" if uri in self.wanted else name


@function(
    "formatEmptyElements(xml: String, style: String): String",
    category="serialization",
    examples=[
        ('formatEmptyElements("<a><b></b></a>", "self-closing")', '"<a><b/></a>"'),
        ('formatEmptyElements("<a><b/></a>", "explicit")', '"<a><b></b></a>"'),
        ('formatEmptyElements("<a>x<b/></a>", "omit")', '"<a>x</a>"'),
        (
            'formatEmptyElements("<a><b/></a>", "nil")',
            '"<a><b xmlns:xsi=\\"http://www.w3.org/2001/XMLSchema-instance\\" xsi:nil=\\"true\\"/></a>"',
        ),
    ],
    params={"style": "self-closing, explicit, nil or omit"},
)
def format_empty_elements(xml: str, style: str) -> str:
    """Writes elements without content in one style; omit leaves them out, except the root."""
    if style not in ("self-closing", "explicit", "nil", "omit"):
        fail(f"there is no style {style[:40]!r}", hint="Use self-closing, explicit, nil or omit.")
    return "".join(_formatted(part, style, root=True) for part in tree(xml, "formatEmptyElements"))


def _formatted(part: Element | Token, style: str, *, root: bool = False) -> str:
    if isinstance(part, Token):
        return part.text
    if part.children:
        inside = "".join(_formatted(child, style) for child in part.children)
        return f"{part.start.text}{inside}{part.end}"
    name, attributes = name_in(part.start.text), attributes_of(part.start.text)
    if style == "omit" and not root:
        return ""
    if style == "nil" and "xsi:nil" not in dict(attributes):
        attributes += [("xmlns:xsi", _quote(_XSI)), ("xsi:nil", '"true"')]
    shown = with_attributes("<>", name, attributes)
    return f"{shown}</{name}>" if style == "explicit" else f"{shown[:-1]}/>"
