"""A program's body as words that can be moved about, whatever language its author had in mind.

Unlike the lexer of the language this one knows template literals, `===`, `$` alone and other marks of
other languages, and it keeps the space before each word, so that what is not touched stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Script", "Word", "words"]

_PATTERN = re.compile(
    r"""(?P<lead>(?:\s|//[^\n]*|/\*[\s\S]*?\*/)*)
    (?:(?P<template>`(?:[^`\\]|\\.)*`|[fF](?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
      | (?P<name>\$?[^\W\d]\w*(?:-[^\W\d]\w*)*|\$\$?)
      | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
      | (?P<string>"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')
      | (?P<hash>\#[^\n]*)
      | (?P<op>===|!==|\.\.\.|\|>|=>|->|==|!=|<=|>=|<>|&&|\|\||\?\?|\?\.|\*\*|\+\+|:=|\.\.|.)
    )""",
    re.VERBOSE,
)
_CLOSER = {"(": ")", "[": "]", "{": "}"}
_OPENER = {closer: opener for opener, closer in _CLOSER.items()}
_BEFORE_VALUE = frozenset({"if", "else", "in", "return", "then", "and", "or", "not", "elif", "let", "match"})
"""Words after which a value starts, and not an operator."""


class Word(NamedTuple):
    kind: str
    """`name`, `number`, `string`, `template`, `hash` (a comment with #) or `op`."""
    text: str
    lead: str = ""
    """Blanks, line breaks and comments before it."""

    @property
    def fresh(self) -> bool:
        return "\n" in self.lead


def words(text: str, lead: str | None = None) -> list[Word]:
    """A text as words; `lead` replaces the space before the first."""
    found = Script(text).words
    return [found[0]._replace(lead=lead), *found[1:]] if found and lead is not None else found


class Script:
    """Words, and the ways to find what belongs together among them."""

    def __init__(self, text: str) -> None:
        self.words: list[Word] = []
        end = 0
        for found in _PATTERN.finditer(text):
            kind = found.lastgroup
            assert kind is not None
            self.words.append(Word(kind, found[kind], found["lead"]))
            end = found.end()
        self.tail = text[end:]

    def __str__(self) -> str:
        return join(self.words) + self.tail

    def __len__(self) -> int:
        return len(self.words)

    def at(self, index: int) -> str:
        """The text of a word; empty outside of the script."""
        return self.words[index].text if 0 <= index < len(self.words) else ""

    def kind(self, index: int) -> str:
        return self.words[index].kind if 0 <= index < len(self.words) else ""

    def fresh(self, index: int) -> bool:
        """Whether a word is the first of its line; what is outside of the script is."""
        return self.words[index].fresh if 0 < index < len(self.words) else True

    def between(self, start: int, end: int) -> str:
        """The text of words, without the space before the first."""
        return join(self.words[start:end]).lstrip() if start < end else ""

    def replace(self, start: int, end: int, text: str) -> None:
        """Put a text in the place of words; the space before them stays."""
        lead = self.words[start].lead if start < len(self.words) else self.tail
        self.words[start:end] = words(text, lead)

    # ---- what belongs together --------------------------------------------------------------

    def close(self, opener: int) -> int | None:
        """Where the bracket at a place is closed."""
        depth = 0
        for index in range(opener, len(self.words)):
            text = self.words[index].text
            if self.words[index].kind == "op":
                depth += (text in _CLOSER) - (text in _OPENER)
            if depth == 0:
                return index
        return None

    def open(self, closer: int) -> int | None:
        """Where the bracket that is closed at a place was opened."""
        depth = 0
        for index in range(closer, -1, -1):
            text = self.words[index].text
            if self.words[index].kind == "op":
                depth += (text in _OPENER) - (text in _CLOSER)
            if depth == 0:
                return index
        return None

    def ends_value(self, index: int) -> bool:
        """Whether a word can be the last of a value."""
        word = self.words[index] if 0 <= index < len(self.words) else None
        if word is None:
            return False
        if word.kind == "name":
            return word.text not in _BEFORE_VALUE or self.at(index - 1) in (".", "?.")
        return word.kind in ("number", "string", "template") or word.text in _OPENER

    def chain_start(self, last: int) -> int:
        """The first word of the value that ends at a place: names, members, indexes and calls."""
        index = last
        while index > 0:
            if self.words[index].text in (")", "]", "}") and self.words[index].kind == "op":
                opener = self.open(index)
                if opener is None:
                    return index
                index = opener
                if self.ends_value(index - 1) and not self.fresh(index):
                    index -= 1
                    continue
            if self.at(index - 1) in (".", "?."):
                index -= 2
            elif self.at(index - 1) in ("@", "^") and self.at(index - 2) in (".", "?."):
                index -= 3
            else:
                return index
        return max(index, 0)

    def chain_end(self, first: int) -> int:
        """Behind the last word of the value that starts at a place."""
        index = first
        if self.at(index) in _CLOSER and self.kind(index) == "op":
            index = self._behind(index)
        else:
            index += 1
        while index < len(self.words):
            text = self.at(index)
            if text in ("(", "[") and not self.fresh(index):
                index = self._behind(index)
            elif text in (".", "?."):
                index += 1 + (self.at(index + 1) in ("@", "^"))
                index += 1
            else:
                break
        return min(index, len(self.words))

    def _behind(self, opener: int) -> int:
        closer = self.close(opener)
        return len(self.words) if closer is None else closer + 1

    def split(self, start: int, end: int, separators: Iterable[str]) -> list[tuple[int, int]]:
        """The parts of a range between separators that are not inside brackets."""
        parts, begin, index = [], start, start
        wanted = frozenset(separators)
        while index < end:
            text = self.at(index)
            if self.kind(index) == "op" and text in _CLOSER:
                index = min(self._behind(index), end)
                continue
            if text in wanted and self.kind(index) != "string":
                parts.append((begin, index))
                begin = index + 1
            index += 1
        return [*parts, (begin, end)]

    def expression_end(self, start: int) -> int:
        """Behind an expression that starts at a place: at a comma, a closing bracket or a new statement."""
        index = start
        while index < len(self.words):
            text = self.at(index)
            if self.kind(index) == "op" and text in _CLOSER:
                index = self._behind(index)
                continue
            if text in (",", ";") or (self.kind(index) == "op" and text in _OPENER):
                return index
            if index > start and self.fresh(index) and self.ends_value(index - 1) and self._starts_statement(index):
                return index
            index += 1
        return index

    def _starts_statement(self, index: int) -> bool:
        return self.kind(index) in ("name", "number", "string", "template") or self.at(index) in ("{", "[", "(", "...")

    def enclosing(self) -> list[int | None]:
        """For each word the place of the innermost bracket that it is in."""
        found: list[int | None] = []
        waiting: list[int] = []
        for index, word in enumerate(self.words):
            if word.kind == "op" and word.text in _OPENER and waiting:
                waiting.pop()
            found.append(waiting[-1] if waiting else None)
            if word.kind == "op" and word.text in _CLOSER:
                waiting.append(index)
        return found

    def depth(self) -> int:
        """How deep brackets are inside each other."""
        deepest = depth = 0
        for word in self.words:
            if word.kind == "op":
                depth += (word.text in _CLOSER) - (word.text in _OPENER)
                deepest = max(deepest, depth)
        return deepest

    def is_key(self, index: int) -> bool:
        """Whether a word names a property in an object."""
        return self.at(index + 1) == ":" and (self.at(index - 1) in ("{", ",", ";", "@") or self.fresh(index))

    def is_free(self, index: int) -> bool:
        """Whether a name stands for itself: it is no property and no member."""
        return self.kind(index) == "name" and self.at(index - 1) not in (".", "?.", "@", "^") and not self.is_key(index)

    def uses(self, name: str) -> bool:
        return any(word.text == name for word in self.words)

    def unused(self, *names: str) -> str:
        """The first of these names that the script does not have."""
        return next((name for name in names if not self.uses(name)), f"{names[0]}1")


def join(found: Iterable[Word]) -> str:
    return "".join(word.lead + word.text for word in found)
