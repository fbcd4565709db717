"""The lines above `---` as DataWeave writes them, or with parts left out."""

from __future__ import annotations

import re

from rolltop.transform.run.scope import closest
from rolltop.transform.syntax.header import FORMATS

__all__ = ["header_lines", "split_header"]

_RULE = re.compile(r"^---+[ \t]*\r?$", re.MULTILINE)
_HEAD = re.compile(r"\s*(%|input\b|output\b|var\b|fun\b|import\b|ns\b|type\b)")
_MEDIA = re.compile(r"(?:application|text)/(?:[\w.+-]*\+)?(?:x-)?(json|xml|csv|yaml|plain)\b")
_PORT = re.compile(r"(input|output)\s*:?\s*(?:(\w+)\s+)?([\w/+.-]+)(.*)", re.DOTALL)
_VARIABLE = re.compile(r"var\s+(\w+)\s*=\s*(.*)", re.DOTALL)
_FUNCTION = re.compile(r"fun\s+(\w+)\s*(\([^)]*\))\s*=\s*(.*)", re.DOTALL)
_SAME = {"js": "json", "yml": "yaml", "jsonschema": "jsch", "protobuf": "proto", "text": "csv", "plain": "csv"}


def split_header(text: str) -> tuple[str, str]:
    """Header and body; the header is empty when there is none."""
    rule = _RULE.search(text)
    if rule is not None and _HEAD.match(text):
        return text[: rule.end()], text[rule.end() :]
    lines = text.splitlines(keepends=True)
    count = 0
    if lines and lines[0].lstrip().startswith("%"):
        count = next((at for at, line in enumerate(lines) if not _HEAD.match(line)), len(lines))
    return "".join(lines[:count]), "".join(lines[count:])


def header_lines(header: str) -> tuple[str, str]:
    """The header as it should be, and the bindings that belong below it."""
    if not header.strip():
        return header, ""
    ports: dict[str, str] = {}
    bindings: list[str] = []
    for line in _statements(header):
        if port := _PORT.fullmatch(line):
            ports[port[1]] = _port(port)
        elif variable := _VARIABLE.fullmatch(line):
            bindings.append(f"let {variable[1]} = {variable[2]}")
        elif function := _FUNCTION.fullmatch(line):
            bindings.append(f"let {function[1]} = {function[2]} => {function[3]}")
    made = ["%utlx 1.0", ports.get("input", "input json"), ports.get("output", "output json"), "---"]
    return "\n".join(made), "".join(f"\n{binding}" for binding in bindings)


def _statements(header: str) -> list[str]:
    """Lines of the header, those that go on joined with the one that they belong to."""
    found: list[str] = []
    for line in header.splitlines():
        if not line.strip() or line.startswith("---"):
            continue
        if _HEAD.match(line) or not found:
            found.append(line.strip())
        else:
            found[-1] += f"\n{line.rstrip()}"
    return found


def _port(port: re.Match[str]) -> str:
    side, name, format_, rest = port.groups()
    media = _MEDIA.match(format_)
    word = (media[1] if media else format_).lower()
    word = _SAME.get(word, word)
    known = word if word in FORMATS else closest(word, FORMATS) or "json"
    named = f"{name} " if name and name not in ("payload", side) else ""
    return f"{side} {named}{known}{'' if media else rest.rstrip()}"
