"""Operators, constants, comments and texts as other languages write them."""

from __future__ import annotations

import re

from rolltop.transform.repair.script import Script, Word
from rolltop.transform.syntax.literals import quote

__all__ = [
    "brackets",
    "comments",
    "concatenations",
    "constants",
    "defaults",
    "equality",
    "null_tests",
    "quotes",
    "templates",
    "word_operators",
]

_SAME = {"===": "==", "!==": "!=", "<>": "!="}
_CONSTANTS = {
    "None": "null", "undefined": "null", "nil": "null", "NULL": "null", "Null": "null",
    "True": "true", "False": "false", "TRUE": "true", "FALSE": "false",
}  # fmt: skip
_PLAIN = re.compile(r"\$?[\w.@?\[\]\"']+|[\w$]+\([^()]*\)")
_PYTHON_HOLE = re.compile(r"\{\{|\}\}|\\(.)|\{((?:[^{}]|\{[^{}]*\})*)\}", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_CURLY = str.maketrans({"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u2018": "'", "\u2019": "'"})


def equality(text: str) -> str:
    """`===` is `==`."""
    script = Script(text)
    script.words = [
        word._replace(text=_SAME[word.text]) if word.kind == "op" and word.text in _SAME else word
        for word in script.words
    ]
    return str(script)


def word_operators(text: str) -> str:
    """`a and not b` is `a && !b`."""
    script = Script(text)
    for index in range(len(script) - 1, -1, -1):
        word = script.words[index]
        if not script.is_free(index):
            continue
        if word.text in ("and", "or", "AND", "OR") and script.ends_value(index - 1) and not script.fresh(index):
            script.words[index] = Word("op", "&&" if word.text.lower() == "and" else "||", word.lead)
        elif word.text in ("not", "NOT") and script.at(index + 1) not in ("(", ")", ",", "", "in"):
            script.words[index : index + 2] = [
                Word("op", "!", word.lead),
                script.words[index + 1]._replace(lead=""),
            ]
    return str(script)


def null_tests(text: str) -> str:
    """`x is null` and `x is not null` are `x == null` and `x != null`."""
    script = Script(text)
    for index in range(len(script) - 1, 0, -1):
        if script.at(index).lower() != "is" or not script.is_free(index) or not script.ends_value(index - 1):
            continue
        negated = script.at(index + 1).lower() == "not"
        if script.at(index + 1 + negated) in ("null", "None", "NULL", "undefined"):
            mark = Word("op", "!=" if negated else "==", " ")
            script.words[index : index + 2 + negated] = [mark, Word("name", "null", " ")]
    return str(script)


def constants(text: str) -> str:
    """`None`, `undefined`, `True` and `False`."""
    script = Script(text)
    for index, word in enumerate(script.words):
        if word.text in _CONSTANTS and script.is_free(index):
            script.words[index] = word._replace(text=_CONSTANTS[word.text])
    return str(script)


def concatenations(text: str) -> str:
    """`a ++ b` is `concat(a, b)`: what it joins may be texts, arrays or objects."""
    script = Script(text)
    index = 1
    while index < len(script) - 1:
        if script.at(index) != "++" or not script.ends_value(index - 1):
            index += 1
            continue
        start, end = script.chain_start(index - 1), script.chain_end(index + 1)
        script.replace(start, end, f"concat({script.between(start, index)}, {script.between(index + 1, end)})")
        index = start + 1
    return str(script)


def defaults(text: str) -> str:
    """`a default b` is `a ?? b`."""
    script = Script(text)
    for index, word in enumerate(script.words):
        if word.text == "default" and script.is_free(index) and script.ends_value(index - 1) and not word.fresh:
            script.words[index] = Word("op", "??", word.lead)
    return str(script)


def comments(text: str) -> str:
    """`# note` is `// note`."""
    script = Script(text)
    for index, word in enumerate(script.words):
        if word.kind == "hash":
            script.words[index] = word._replace(text="//" + word.text[1:])
    return str(script)


def quotes(text: str) -> str:
    """Typographic quotation marks."""
    return text.translate(_CURLY)


def templates(text: str) -> str:
    """`f"Hello {name}"` is `"Hello " + name`."""
    script = Script(text)
    for index in range(len(script) - 1, -1, -1):
        word = script.words[index]
        if word.kind == "template" and word.text[0] != "`":
            joined = _joined(word.text)
            neighbours = (script.at(index - 1), script.at(index + 1))
            alone = neighbours[1] not in (".", "[") and all(mark not in _TIGHTER for mark in neighbours)
            script.replace(index, index + 1, joined if alone or " + " not in joined else f"({joined})")
    return str(script)


_TIGHTER = frozenset({"*", "/", "%", "-", "!"})


def _joined(literal: str) -> str:
    inner = literal[2:-1]
    parts: list[str] = []
    plain, end = "", 0
    for found in _PYTHON_HOLE.finditer(inner):
        plain += inner[end : found.start()]
        end = found.end()
        if found[2] is None:
            plain += _ESCAPES.get(found[1], found[1]) if found[1] else found[0][0]
            continue
        parts += [quote(plain)] if plain or not parts else []
        parts.append(_operand(found[2]))
        plain = ""
    plain += inner[end:]
    parts += [quote(plain)] if plain or not parts else []
    # A text comes first, so that + joins and does not add.
    return " + ".join(parts if len(parts) > 1 or parts[0][0] in "\"'" else ['""', *parts])


def _operand(expression: str) -> str:
    shown = expression.partition("!r")[0].strip()
    return shown if _PLAIN.fullmatch(shown) else f"({shown})"


def brackets(text: str) -> str:
    """What was opened is closed at the end; what was never opened is not closed."""
    script = Script(text)
    closers = {"(": ")", "[": "]", "{": "}"}
    waiting: list[str] = []
    for index, word in enumerate(list(script.words)):
        if word.kind != "op":
            continue
        if word.text in closers:
            waiting.append(closers[word.text])
        elif word.text in closers.values():
            if waiting and waiting[-1] == word.text:
                waiting.pop()
            else:
                script.words[index] = word._replace(text="")
    return str(script).rstrip() + "".join(reversed(waiting)) if waiting else str(script)
