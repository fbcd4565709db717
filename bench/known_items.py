"""Known-item sets: questions that one document answers, made from documentation and code on this machine.

A question must have one answer: documents with the same text, pages that share a heading (license texts, release notes)
and headings or docstrings that come twice are left out. Both sets can hide from the document what is asked with: the
first sentence of a docstring always is, a heading where `hidden`.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from find import files
from find import functions as _functions

LONGEST = 20_000
A_PAGE = 2
"""Headings of one page that are asked for."""
_HEADING = re.compile(r"^(?:#{1,3} (.+)|([A-Z][^\n]{8,80})\n[=~-]{4,}[ \t]*)$", re.MULTILINE)


@dataclass(frozen=True)
class KnownItems:
    """Documents, and (question, path) with the path of the document that answers."""

    name: str
    documents: list[tuple[str, str]]
    asked: list[tuple[str, str]]

    def half(self, which: int) -> list[tuple[str, str]]:
        """0: for tuning; 1: for reporting."""
        return self.asked[which::2]


def functions(count: int) -> KnownItems:
    documents, asked = _functions()
    return _chosen("docstring to function", documents, asked, count)


def headings(count: int, *, hidden: bool) -> KnownItems:
    """A heading asks for its page, as it is or without that heading."""
    pages = _distinct((path, text) for path, text in files() if path.endswith((".md", ".rst", ".txt")))
    pages = [(path, text) for path, text in pages if len(text) < LONGEST]
    holders = Counter(words for _, text in pages for words in {asked for asked, _ in _headings(text)})
    rng, documents, questions = random.Random(1), [], []
    for path, text in pages:
        own = [each for each in _headings(text) if holders[each[0]] == 1]
        chosen = rng.sample(own, min(A_PAGE, len(own)))
        questions += [(words, path) for words, _ in chosen]
        documents.append((path, _without(text, [line for _, line in chosen]) if hidden else text))
    return _chosen("hidden heading to page" if hidden else "heading to page", documents, questions, count)


def _without(text: str, lines: list[str]) -> str:
    for line in lines:
        text = text.replace(line, "", 1)
    return text


def _headings(text: str) -> Iterator[tuple[str, str]]:
    """(the words that ask for it, how it is written) of headings with three to eight words."""
    for match in _HEADING.finditer(text):
        words = re.findall(r"[A-Za-z]{2,}", match[1] or match[2])
        if 3 <= len(words) <= 8:
            yield " ".join(words).lower(), match[0]


def _distinct(documents: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    return list({text: (path, text) for path, text in documents}.values())


def _chosen(name: str, documents: list[tuple[str, str]], asked: list[tuple[str, str]], count: int) -> KnownItems:
    """So many documents, two thirds of them asked for; each question once."""
    rng = random.Random(3)
    texts = dict(_distinct(iter(documents)))
    once = Counter(question.lower() for question, _ in asked)
    asked = [(question, path) for question, path in asked if once[question.lower()] == 1 and path in texts]
    rng.shuffle(asked)
    wanted = list(dict.fromkeys(path for _, path in asked))[: count * 2 // 3]
    rest = sorted(texts.keys() - {path for _, path in asked})
    paths = {*wanted, *rng.sample(rest, min(len(rest), count - len(wanted)))}
    return KnownItems(
        name, [(path, texts[path]) for path in sorted(paths)], [each for each in asked if each[1] in paths]
    )
