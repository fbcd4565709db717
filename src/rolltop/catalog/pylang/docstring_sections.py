"""The parts of a docstring that are neither parameters nor result, wherever they stand.

Parsers of docstrings take what follows a section they know as part of it: a safety notice after the arguments would
become the description of the last one.
"""

from __future__ import annotations

import re
import textwrap

__all__ = ["split_free_text"]

_KNOWN = frozenset({
    "args", "arguments", "parameters", "params", "other parameters", "keyword args", "keyword arguments", "other args",
    "other arguments", "returns", "return", "yields", "yield", "receives", "raises", "exceptions", "except", "warns",
    "attributes", "methods", "example", "examples", "see also", "references", "index",
})  # fmt: skip
"""Sections that are read as such, or that say nothing about how to call the function."""
_TITLE = re.compile(r"([A-Z][\w /-]{0,60}):[ \t]*$")
_UNDERLINE = re.compile(r"([=\-~^])\1{2,}\s*$")
_FIELD = re.compile(
    r"[:@](?:param|parameter|arg|argument|key|keyword|type|returns?|rtype|raises?|yields?|ytype|var|ivar)\b"
)


def split_free_text(text: str) -> tuple[str, str]:
    """The docstring with its known sections, and the text that belongs to none after the first of them."""
    lines = text.split("\n")
    kept: list[str] = []
    free: list[str] = []
    target, in_section, style = kept, False, ""
    at = 0
    while at < len(lines):
        line = lines[at]
        title, found, height = _section(lines, at)
        if title is not None:
            is_known = title.lower() in _KNOWN
            in_section = in_section or is_known
            style = found if is_known else style
            target = kept if is_known or not in_section else free
            if target is free:
                free += ["", f"## {title}", ""]
                body, at = _body(lines, at + height, found)
                free += body
                target, in_section = kept, True
                continue
            kept += lines[at : at + height]
            at += height
            continue
        if in_section and style != "numpy" and _is_free(lines, at):
            free += ["", line]
            target = free
        elif line[:1].strip() and target is free and not _FIELD.match(line):
            free.append(line)
        else:
            if line[:1].strip():
                target = kept
            target.append(line)
        at += 1
    return "\n".join(kept).strip("\n"), "\n".join(free).strip("\n")


def _section(lines: list[str], at: int) -> tuple[str | None, str, int]:
    """The title of the section that begins here, the style it is written in, and how many lines the title has."""
    line = lines[at]
    following = lines[at + 1] if at + 1 < len(lines) else ""
    if line[:1].strip() and _UNDERLINE.match(following) and len(line) <= 80:
        return line.strip(), "numpy", 2
    found = _TITLE.match(line)
    if found and (found[1].lower() in _KNOWN or (following[:1].isspace() and following.strip())):
        return found[1], "google", 1
    if _FIELD.match(line):
        return "args", "sphinx", 1
    return None, "", 0


def _body(lines: list[str], at: int, style: str) -> tuple[list[str], int]:
    stop = at
    while stop < len(lines):
        if lines[stop][:1].strip() and (style != "numpy" or _section(lines, stop)[0] is not None):
            break
        stop += 1
    return textwrap.dedent("\n".join(lines[at:stop])).split("\n"), stop


def _is_free(lines: list[str], at: int) -> bool:
    """A paragraph that is not indented, after a blank line: it belongs to no section."""
    return bool(lines[at][:1].strip()) and at > 0 and not lines[at - 1].strip() and not lines[at].startswith(">>>")
