"""The canonical form of a program: parse, lay out, keep every comment. Formatting twice changes nothing."""

from __future__ import annotations

import re
from typing import Any

from rolltop.transform.errors import ProgramInvalid
from rolltop.transform.stack import deep_stack
from rolltop.transform.syntax.layout import Layout
from rolltop.transform.syntax.lexer import Comment, tokenize
from rolltop.transform.syntax.literals import quote
from rolltop.transform.syntax.parser import parse
from rolltop.transform.syntax.tree import Header, Port

__all__ = ["format_program"]

_PLAIN_KEY = re.compile(r"[^\W\d]\w*")


def format_program(text: str) -> str:
    """The program in canonical form, or `ProgramInvalid` when it does not parse."""
    parsed = parse(text)
    if parsed.problems:
        raise ProgramInvalid(parsed.problems)
    tokens, comments, _ = tokenize(parsed.source)
    header, start = "", 0
    if parsed.program.header.written:
        start = tokens.offsets[tokens.kinds.index("---")]
        header = _header(parsed.program.header, [note for note in comments if note.at < start])
    body_notes = [note for note in comments if note.at >= start]
    with deep_stack():
        body = Layout(tokens, body_notes, parsed.extensions).body(parsed.program.body)
    return header + body


def _header(header: Header, notes: list[Comment]) -> str:
    lines = [note.text for note in notes]
    lines.append(" ".join(header.directive.split()))
    lines.append(_declaration("input", header.inputs))
    lines.append(_declaration("output", header.outputs))
    lines.append("---")
    return "\n".join(lines) + "\n"


def _declaration(word: str, ports: list[Port]) -> str:
    if len(ports) == 1:
        port = ports[0]
        name = "" if port.name == word else port.name + " "
        return f"{word} {name}{_spec(port)}"
    return f"{word}: " + ", ".join(f"{port.name} {_spec(port)}" for port in ports)


def _spec(port: Port) -> str:
    parts = [port.format]
    if port.dialect:
        parts.append(port.dialect)
    if port.options:
        parts.append("{ " + ", ".join(f"{_key(key)}: {_option(value)}" for key, value in port.options.items()) + " }")
    return " ".join(parts)


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else quote(key)


def _option(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(_option, value)) + "]"
    return quote(value) if isinstance(value, str) else repr(value)
