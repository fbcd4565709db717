"""Front matter: the block of `key: value` lines between `---` at the top of a document.

It is recognised by the shape of its lines instead of with a YAML parser: a document that merely
begins with a rule (`---`) keeps it, and nothing that somebody put there is ever evaluated.
"""

from __future__ import annotations

import re

__all__ = ["split_front_matter"]

_LONGEST = 64 * 1024
_OPENING = re.compile(r"---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_KEY = re.compile(r"""(?:[\w][\w .-]*|"[^"\n]*"|'[^'\n]*')[ \t]*:(?:[ \t]|$)""")


def split_front_matter(text: str) -> tuple[str, str]:
    """`(front matter with its fences, the rest)`; the first is empty when there is none."""
    opening = _OPENING.match(text)
    if opening is None:
        return "", text
    closing = _CLOSING.search(text, opening.end(), opening.end() + _LONGEST)
    if closing is None or not _is_mapping(text[opening.end() : closing.start()]):
        return "", text
    return text[: closing.end()], text[closing.end() :]


def _is_mapping(block: str) -> bool:
    """Whether every line is a key, a comment, blank, or belongs to the key above it, and there is a key."""
    key: re.Match[str] | None = None
    for line in block.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if found := _KEY.match(line):
            key = found
        elif key is None or not (line.startswith((" ", "\t")) or (line.startswith("- ") and _is_open(key))):
            return False
    return key is not None or not block.strip()


def _is_open(key: re.Match[str]) -> bool:
    """Whether a list may follow: the key has no value in its own line."""
    value = key.string[key.end() :].strip()
    return not value or value.startswith(("#", "&", "!"))
