"""What a text refers to: documents by path, name or hash, pages by address, papers by DOI."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from rolltop.store.extract import Extracted

__all__ = ["CITES", "IMPORTS", "LINKS", "NAMES", "Reference", "references_of"]

LINKS, IMPORTS, CITES, NAMES = "link", "import", "cite", "name"
MOST = 5000
LONGEST = 512 << 10

_WEB = re.compile(r"https?://[^\s<>\"'`{}|\\^\[\]]{4,500}")
_DOI = re.compile(r"\b10\.\d{4,9}/[-._;()/:A-Za-z0-9]{1,200}")
_DOC = re.compile(r"\bdoc://([^\s<>\"'`)\]}]{1,500})")
_MARKDOWN = re.compile(
    r"\]\(\s*(?:<([^<>\n]{1,500})>|((?:[^()\s<>]|\([^()\s<>]{0,200}\)){1,500}))"
    r"|^ {0,3}\[[^\]\n]{1,200}\]:[ \t]+(?:<([^<>\n]{1,500})>|(\S{1,500}))",
    re.MULTILINE,
)
_ANCHOR = re.compile(r"<a\s[^<>]{0,500}?\bhref\s*=\s*[\"']?([^\"'\s<>]{1,500})", re.IGNORECASE)
_WIKI = re.compile(r"\[\[([^\[\]|#\n]{1,200})")
_PATH = re.compile(r"(?<![\w/.:@-])((?:\.{0,2}/)?(?:[\w.-]{1,100}/){1,20}[\w-][\w.-]{0,100}\.\w{1,8})(?![\w/])")
_TICKED = re.compile(r"`([\w-][\w.-]{0,100}\.\w{1,8})`")


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """`kind` says how `path` is to be read: LINKS and IMPORTS are paths as they were written, CITES are addresses,
    NAMES are hashes or names. `key` is what it is looked up by: the last part of a path, else the whole."""

    kind: str
    key: str
    path: str


def references_of(text: Extracted) -> list[Reference]:
    """In order, each once."""
    found: dict[Reference, None] = {}
    for reference in _all(text):
        found[reference] = None
        if len(found) >= MOST:
            break
    return sorted(found)


def _all(text: Extracted) -> Iterator[Reference]:
    body = text.body[:LONGEST]
    for target in text.links:
        yield from _target(target)
    for match in _MARKDOWN.finditer(body):
        yield from _target(match[match.lastindex or 0])
    for match in _ANCHOR.finditer(body) if "<a" in body or "<A" in body else ():
        yield from _target(match[1])
    for match in _DOC.finditer(body) if "doc://" in body else ():
        yield from _target(match[0])
    for match in _WEB.finditer(body):
        yield from _target(match[0])
    for match in _DOI.finditer(body) if "10." in body else ():
        yield Reference(CITES, f"doi:{_without_end(match[0]).lower()}", "")
    for match in _WIKI.finditer(body):
        name = match[1].strip()
        # `Release 1.2` is the name of a page, not of a file of the kind 2.
        yield from _path(LINKS, name if posixpath.splitext(name)[1][1:].isalpha() else f"{name}.md")
    # Few words have a slash, and the pattern is slow on the others.
    slashed = " ".join(word for word in body.split() if "/" in word)
    for pattern, where in ((_PATH, slashed), (_TICKED, body)):
        for match in pattern.finditer(where):
            yield from _path(LINKS, match[1])


def _target(target: str) -> Iterator[Reference]:
    """What a link points to."""
    target = target.strip()
    scheme = target.partition(":")[0].lower()
    if scheme in ("http", "https"):
        address = address_of(target)
        if address:
            yield Reference(CITES, address, "")
    elif scheme == "doc":
        name = unquote(target[6:]).strip("/").rstrip(".,;:")
        if name:
            yield Reference(NAMES, name.rpartition("/")[2], name)
    elif scheme == "file" or not re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE):
        yield from _path(LINKS, unquote(target.removeprefix("file://").partition("#")[0].partition("?")[0]))


def address_of(target: str) -> str:
    """An address in the one form in which it is compared."""
    try:
        parts = urlsplit(_without_end(target))
    except ValueError:
        return ""
    if doi := _DOI.search(parts.path) if parts.netloc.endswith("doi.org") else None:
        return f"doi:{doi[0].lower()}"
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.lower()}{parts.path.rstrip('/')}{query}" if parts.netloc else ""


def _without_end(target: str) -> str:
    """An address without what ends the sentence around it; a parenthesis that it opens itself belongs to it."""
    while target and (target[-1] in ".,;:!?*_" or (target[-1] == ")" and target.count(")") > target.count("("))):
        target = target[:-1]
    return target


def _path(kind: str, path: str) -> Iterator[Reference]:
    path = path.strip()
    name = posixpath.basename(path)
    if name and name not in (".", "..") and len(path) <= 500:
        yield Reference(kind, name, path)


def import_of(path: str) -> Reference:
    return Reference(IMPORTS, posixpath.basename(path), path)
