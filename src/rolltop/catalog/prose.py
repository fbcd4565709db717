"""What a parameter's description says: the description proper, and the example values in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rolltop.catalog.inference import Schema, fits, strip_type_prefix
from rolltop.catalog.rlang.markup import Markup
from rolltop.catalog.rlang.plain import MARK, to_text_with_marks, unmark

__all__ = ["Prose", "described", "example_values", "prose_of"]

# A sentence that only lists examples says nothing that the examples do not: it leaves the description.
_EXAMPLE_SENTENCE = re.compile(
    r"(?:(?<=[.;!?)])\s+|(?<=\n)|^)(?:example(?:\s+value)?s?|for example|e\.g\.)(?=[\s:,])", re.IGNORECASE
)
_IN_SENTENCE = re.compile(
    r"\b(?:example(?:\s+value)?s?|for example|e\.g\.|such as|valid values?|options?\s+(?:are|include)|one of|either)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"\.(?=\s+[A-Z]|\s*$)|\n(?=\n)")
_QUOTED = re.compile(r"""(["']).*\1""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prose:
    """`text` is everything as written without markup, `description` what is published of it."""

    text: str
    description: str
    example_codes: tuple[str, ...] = ()


def prose_of(markup: Markup) -> Prose:
    marked, codes = to_text_with_marks(markup)
    rest, examples = _split_examples(marked, codes)
    # Where there are only examples, they are all there is to say.
    return Prose(unmark(marked, codes), described(unmark(rest or marked, codes)), tuple(examples))


def described(text: str) -> str:
    """A description without its type prefix and final full stop."""
    text = strip_type_prefix(text).strip()
    return text[:-1].rstrip() if text.endswith(".") and not text.endswith("..") else text


def _split_examples(text: str, codes: list[str]) -> tuple[str, list[str]]:
    found: list[str] = []
    position = 0
    while sentence := _EXAMPLE_SENTENCE.search(text, position):
        stop = _sentence_end(text, sentence.end())
        position = sentence.end()
        if marks := MARK.findall(text, sentence.end(), stop):
            found += [codes[int(mark)] for mark in marks]
            text = f"{text[: sentence.start()].rstrip()} {text[stop:].lstrip()}".strip()
            position = sentence.start()
    read_to = 0
    for trigger in _IN_SENTENCE.finditer(text):
        if trigger.start() >= read_to:
            read_to = _sentence_end(text, trigger.end())
            found += [codes[int(mark)] for mark in MARK.findall(text, trigger.end(), read_to)]
    # Without a word that announces them, only what is certainly a value counts: text in quotes.
    return text, found or [code for code in codes if _QUOTED.fullmatch(code)]


def _sentence_end(text: str, start: int) -> int:
    end = _SENTENCE_END.search(text, start)
    return end.end() if end else len(text)


def example_values(codes: Iterable[str], schema: Schema, read: Callable[[str], list[Any]]) -> list[Any]:
    """The values of pieces of code that the parameter can take, each once; `read` gives the candidates of one."""
    values: list[Any] = []
    for code in codes:
        fitting = (value for candidate in read(code) for value in (candidate, [candidate]) if fits(value, schema))
        for value in fitting:
            if not any(value == known and type(value) is type(known) for known in values):
                values.append(value)
            break
    return values
