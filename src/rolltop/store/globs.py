"""Globs over stored paths: `*` and `?` stay within a name, `**` crosses directories.

An absolute pattern is matched from the root. A relative one is matched at any depth, at the start of a
name, as in gitignore: `src/` selects `/home/ada/app/src/main.py`, `*.md` every Markdown document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

__all__ = ["glob_matches", "glob_regex", "is_glob", "like_glob", "literal_glob"]

_MAGIC = re.compile(r"[*?\[]")


def is_glob(text: str) -> bool:
    return bool(_MAGIC.search(text))


def glob_matches(pattern: str, path: str) -> bool:
    """Whether a stored path is selected by a glob."""
    return glob_regex(pattern).fullmatch(path) is not None


@lru_cache(maxsize=256)
def glob_regex(pattern: str) -> re.Pattern[str]:
    anchored = pattern.startswith("/")
    body = "".join(_translate(pattern))
    return re.compile(body if anchored else f"(?:.*/)?{body}", re.DOTALL)


def _translate(pattern: str) -> list[str]:
    out: list[str] = []
    index = 0
    while index < len(pattern):
        char = pattern[index]
        if pattern.startswith("**/", index):
            out.append("(?:.*/)?")
            index += 3
        elif pattern.startswith("**", index):
            out.append(".*")
            index += 2
        elif char == "[" and (end := pattern.find("]", index + 2)) > 0:
            out.append(_char_class(pattern[index + 1 : end]))
            index = end + 1
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char))
            index += 1
    return out


def _char_class(inside: str) -> str:
    negated = inside[0] in "!^"
    members = "".join(_members(inside[1:] if negated else inside))
    if negated:
        return f"[^/{members}]"
    return f"[{members}]" if members else "(?!)"


def _members(text: str) -> Iterator[str]:
    """Characters and ranges; a range that runs backwards holds nothing."""
    index = 0
    while index < len(text):
        if text[index + 1 : index + 2] == "-" and index + 2 < len(text):
            first, last = text[index], text[index + 2]
            if first <= last:
                yield f"{re.escape(first)}-{re.escape(last)}"
            index += 3
        else:
            yield re.escape(text[index])
            index += 1


def literal_glob(text: str) -> str:
    """The text as a pattern of SQLite's GLOB that matches just it."""
    return re.sub(r"([*?\[])", r"[\1]", text)


def like_glob(pattern: str) -> str:
    """A pattern of SQLite's GLOB that matches at least what the glob matches: a quick first sieve."""
    loose = re.sub(r"\[.[^\]]*\]", "?", pattern, flags=re.DOTALL)
    loose = loose.replace("[", "?").replace("**/", "*")
    return loose if pattern.startswith("/") else f"*{loose}"
