"""What an editor asks about a program: findings, what a word means, what may be written here, the canonical form."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from rolltop.transform.check import check
from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.errors import ProgramInvalid
from rolltop.transform.stdlib.catalog import Entry, own_entries
from rolltop.transform.syntax import tree
from rolltop.transform.syntax.formatter import format_program
from rolltop.transform.syntax.header import FORMATS
from rolltop.transform.syntax.lexer import KEYWORDS
from rolltop.transform.syntax.parser import parse

__all__ = ["Completion", "completions", "findings", "formatted", "hover", "word_at"]

_WORD = re.compile(r"\$?[A-Za-z_]\w*(?:-[A-Za-z_]\w*)*")


class Completion(NamedTuple):
    """Something that may stand at a place; `kind` is function, variable, keyword or format."""

    label: str
    kind: str
    detail: str = ""
    documentation: str = ""


def findings(text: str) -> list[Diagnostic]:
    """Everything that is wrong or doubtful, style included."""
    return check(text, lint=True)


def formatted(text: str) -> str | None:
    """The canonical form; None for a program that does not parse."""
    try:
        return format_program(text)
    except ProgramInvalid:
        return None


def word_at(text: str, offset: int) -> tuple[str, int, int] | None:
    """The name that an offset stands in or behind, with its bounds."""
    start = text.rfind("\n", 0, offset) + 1
    for found in _WORD.finditer(text, start):
        if found.start() <= offset <= found.end():
            return found[0], found.start(), found.end()
        if found.start() > offset:
            break
    return None


def hover(text: str, offset: int) -> str | None:
    """What the word at an offset means, in Markdown: a function of the library, an input, a name of the program."""
    found = word_at(text, offset)
    if found is None:
        return None
    word, start, _ = found
    before = text[:start].rstrip()
    if before.endswith(".") and not before.endswith(".."):
        return None  # a property of the data
    program = parse(text).program
    for port in program.header.inputs:
        if word == f"${port.name}":
            return f"`{word}`: the input {port.name}, {port.format}"
    for node in tree.walk(program.body):
        if isinstance(node, tree.FunctionDef) and node.name == word:
            return f"```utlx\nfunction {word}({', '.join(param.name for param in node.params)})\n```"
        if isinstance(node, tree.Let) and node.name == word.lstrip("$"):
            line = text.count("\n", 0, node.at) + 1
            return f"`{word}` is bound in line {line}"
    entry = _entries().get(word)
    return None if entry is None else _described(entry)


def _described(entry: Entry) -> str:
    examples = "\n".join(entry.examples[:3])
    shown = f"```utlx\n{entry.signature}\n```\n\n{entry.description}"
    return f"{shown}\n\n```utlx\n{examples}\n```" if examples else shown


def completions(text: str, offset: int) -> list[Completion]:
    """What may be written at an offset, to be narrowed by what was typed of it."""
    start = text.rfind("\n", 0, offset) + 1
    line = text[start:offset]
    parsed = parse(text)
    program = parsed.program
    rule = text.find("\n---")
    if rule > offset and re.match(r"\s*(?:input|output)\b", line):
        return [Completion(name, "format") for name in FORMATS]
    inputs = [Completion(f"${port.name}", "variable", f"input {port.format}") for port in program.header.inputs]
    if re.search(r"\$[\w-]*$", line):
        return inputs
    if re.search(r"\.\s*@?\w*$", line):
        return _fields(program)
    names = {
        node.name: "function" if isinstance(node, tree.FunctionDef) else "variable"
        for node in tree.walk(program.body)
        if isinstance(node, (tree.Let, tree.FunctionDef, tree.Param))
    }
    functions = [Completion(name, "function", entry.signature, entry.description) for name, entry in _entries().items()]
    own = [Completion(name, kind, "of this program") for name, kind in names.items()]
    return [*own, *inputs, *functions, *(Completion(word, "keyword") for word in sorted(KEYWORDS))]


def _fields(program: tree.Program) -> list[Completion]:
    """Properties that the program names elsewhere: what the data looks like is not known here."""
    names = {node.name for node in tree.walk(program.body) if isinstance(node, tree.Member) and node.name != "*"}
    return [Completion(name, "variable", "a property used in this program") for name in sorted(names)]


@cache
def _entries() -> dict[str, Entry]:
    return {name: entry for entry in own_entries() for name in entry.names}
