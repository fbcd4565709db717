"""Schemas that are spread over files: what a text refers to, and where that is.

Nothing is read here: whoever may open files finds the references of one text after the other, and hands all
texts to the reader, by place. Places are paths with `/`; addresses of the network have none.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

__all__ = ["ALONE", "Files", "collect", "place_of", "references"]

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
