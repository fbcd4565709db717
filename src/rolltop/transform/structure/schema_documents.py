"""What `$ref` means: a place in the schema itself, an anchor or identifier in it, or another file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from rolltop.transform import formats
from rolltop.transform.errors import ReadFailure
from rolltop.transform.structure.related import Files, place_of

__all__ = ["SchemaDocuments"]


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
