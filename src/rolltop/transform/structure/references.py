"""Schemas over several files: find what a text refers to, and resolve `$ref`.

Nothing is read here. The caller, who may open files, finds the references of one text after the other and hands
all texts to the reader, by place. Places are paths with `/`; network addresses have none.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from rolltop.transform import formats
from rolltop.transform.errors import ReadFailure

__all__ = ["ALONE", "Files", "SchemaDocuments", "collect", "place_of", "references"]

MOST_FILES, MOST_CHARACTERS = 100, 32 << 20
"""What one schema may draw in."""
_LONGEST = 4 << 20
"""Characters of a text that is looked through; a schema that is longer stands alone."""
_XSD = re.compile(
    r"<(?:\w{1,99}:)?(?:include|import|redefine|override)\b[^<>]{0,2000}?\bschemaLocation\s{0,9}=\s{0,9}[\"']([^\"'<>]{1,999})"
)
_JSON = re.compile(r"\"?\$ref\"?\s{0,99}:\s{0,99}[\"']?([^\"'#\s]{1,1000})")
_PROTO = re.compile(
    r"^[ \t]{0,99}import[ \t]{1,99}(?:public[ \t]{1,99}|weak[ \t]{1,99})?[\"']([^\"'\n]{1,1000})", re.MULTILINE
)
_KINDS = {"xsd": _XSD, "xml": _XSD, "json-schema": _JSON, "json": _JSON, "yaml": _JSON, "protobuf": _PROTO}
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//|\\\\")


@dataclass(frozen=True, slots=True)
class Files:
    """Where a text is, and the other texts that it may refer to."""

    name: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)

    def find(self, base: str, reference: str) -> tuple[str, str] | None:
        """Place and text of what a text refers to."""
        place = place_of(base, reference)
        return (place, self.texts[place]) if place is not None and place in self.texts else None


ALONE = Files()


def references(text: str, format_: str) -> list[str]:
    """What a text refers to, each once; addresses and places within itself are left out."""
    pattern = _KINDS.get(format_)
    found = pattern.findall(text) if pattern is not None and len(text) <= _LONGEST else []
    return [each for each in dict.fromkeys(found) if not _ADDRESS.match(each)]


def place_of(base: str, reference: str) -> str | None:
    """The place that a reference in the text at `base` means."""
    if _ADDRESS.match(reference) or not base:
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(reference)))


def collect(name: str, text: str, format_: str, read: Callable[[str], str | None]) -> dict[str, str]:
    """All texts that a text refers to, directly or through others; `read` gives None for what may not be read."""
    found: dict[str, str] = {}
    seen, waiting, size = {name}, [(name, text)], 0
    while waiting:
        base, current = waiting.pop()
        for reference in references(current, format_):
            place = place_of(base, reference)
            if place is None or place in seen or len(found) >= MOST_FILES:
                continue
            seen.add(place)
            other = read(place)
            if other is None or size + len(other) > MOST_CHARACTERS:
                continue
            size += len(other)
            found[place] = other
            waiting.append((place, other))
    return found


class SchemaDocuments:
    """A schema and the files that it refers to, read when they are first needed."""

    def __init__(self, root: dict[str, Any], files: Files) -> None:
        self.root, self.files = root, files
        self.others: dict[str, Any] = {}
        self.named: dict[str, Any] | None = None

    def find(self, reference: str) -> Any:
        """What is referred to; None when it is not here."""
        place, _, fragment = reference.partition("#")
        if place and place != self.root.get("$id"):
            known = self._names().get(place)
            document = self._other(place) if known is None else known
        else:
            document = self.root
        if not fragment or document is None:
            return document
        if fragment.startswith("/"):
            return _pointed(document, unquote(fragment))
        return self._names().get(f"#{fragment}") if document is self.root else None

    def _names(self) -> dict[str, Any]:
        """Parts of the schema by `#anchor` and by identifier."""
        if self.named is None:
            self.named = {}
            for part in _parts(self.root):
                for key, mark in (("$anchor", "#"), ("$dynamicAnchor", "#"), ("$id", ""), ("id", "")):
                    if isinstance(part.get(key), str):
                        self.named.setdefault(mark + part[key], part)
        return self.named

    def _other(self, reference: str) -> Any:
        """Another file; what it refers to is written as seen from the first one."""
        if self.files.name and place_of(self.files.name, reference) == self.files.name:
            return self.root
        known = self.files.texts.get(reference[1:]) if reference.startswith("/") else None
        found = self.files.find(self.files.name, reference) if known is None else (reference[1:], known)
        if found is None:
            return None
        place, text = found
        if place not in self.others:
            try:
                document = formats.read("yaml" if place.endswith((".yaml", ".yml")) else "json", text)
            except ReadFailure:
                document = None
            self.others[place] = document
            for part in _parts(document):
                target = part.get("$ref")
                if isinstance(target, str):
                    part["$ref"] = _seen_from_the_first(target, place)
        return self.others[place]


def _seen_from_the_first(reference: str, place: str) -> str:
    path, mark, fragment = reference.partition("#")
    absolute = place_of(place, path) if path else place
    if absolute is None:
        return reference
    # A relative place would be taken from the directory of the first file once more.
    return f"{'' if absolute.startswith('/') else '/'}{absolute}{mark}{fragment}"


def _parts(document: Any) -> Iterator[dict[str, Any]]:
    """All objects in a document, however deep."""
    waiting = [document]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _pointed(document: Any, pointer: str) -> Any:
    found = document
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        elif isinstance(found, dict) and key in found:
            found = found[key]
        else:
            return None
    return found
